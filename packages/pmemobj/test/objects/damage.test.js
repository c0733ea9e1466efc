'use strict'

const assert = require('node:assert')
const { inspect } = require('node:util')
const fc = require('fast-check')
const binding = require('../../lib/binding/binding')
const { Heap } = require('../../lib/objects/heap/heap')
const { MAPS } = require('../../lib/objects/record/layout')
const { plain } = require('../../lib/objects/heap/plain')
const { OrderedMap } = require('../../lib/map/ordered-map')
const { temporaryFolder } = require('../temporary-folder')

const RUNS = Number(process.env.DAMAGE_RUNS ?? 150)
/** As records have it: seven bits a byte, the lowest first. */
function varint (number) {
  const bytes = []
  for (; number > 127; number = Math.floor(number / 128)) bytes.push(number % 128 + 128)
  return [...bytes, number]
}

/** Codes that a damaged record may give; the rest would be an error of ours. */
const ANSWERS = ['PMEMOBJ_CORRUPT', 'PMEMOBJ_LAYOUT_VERSION', 'PMEMOBJ_INVALID', 'PMEMOBJ_NO_SPACE', 'PMEMOBJ_NOT_FOUND']
const LONG = 'long '.repeat(100)

const numbers = count => Array.from({ length: count }, (_, i) => i)
const named = count => Object.fromEntries(numbers(count).map(i => [`name ${i}`, { i }]))

/** One of each kind, and of each size that is kept in another way. */
function everything () {
  const list = [1, -1, 0.5, 'short', '€', LONG, 10n ** 30n, true, null, undefined, { inner: [] }]
  return {
    list,
    long: numbers(100),
    queue: [],
    holes: Object.assign([], { 40: 'x' }),
    shape: named(40),
    dictionary: named(150),
    map: new Map([[1, 2], [{ key: 1 }, 'value'], [LONG, list]]),
    longMap: new Map(numbers(70).map(i => [i, { i }])),
    set: new Set([1, LONG, list]),
    date: new Date(5),
    error: Object.assign(new RangeError(LONG, { cause: list }), { code: 'E' }),
    errors: Object.assign(new Error('many'), named(150)),
    constants: { pattern: /a(b)/gi, n: Object(1n), text: Object(LONG), symbol: Object(Symbol.for('s')) },
    symbols: { [Symbol.for('s')]: Symbol.for(LONG), ...named(150), [Symbol.for('t')]: 2 },
    bytes: new Uint8Array([1, 2, 3]),
    views: [new ArrayBuffer(8), new Float64Array(2), Buffer.from('bytes'), new DataView(new ArrayBuffer(3))]
  }
}

/** Does all that users do, with all that is reached. Gives the codes of the errors. */
function useAll (heap) {
  const codes = new Set()
  const attempt = work => {
    try {
      return work()
    } catch (error) {
      if (!ANSWERS.includes(error.code)) throw error
      codes.add(error.code)
    }
  }
  const root = attempt(() => heap.root)
  const objects = new Set([root])
  for (const object of objects) {
    if (typeof object !== 'object' || object === null || objects.size > 2000) continue
    for (const value of attempt(() => valuesOf(object)) ?? []) objects.add(value)
    attempt(() => inspect(object))
    attempt(() => plain(object))
    attempt(() => Object.getPrototypeOf(object))
  }
  for (const object of objects) {
    if (typeof object !== 'object' || object === null) continue
    for (const way of attempt(() => waysToChange(object)) ?? []) attempt(way)
  }
  attempt(() => heap.create({ root }))
  attempt(() => { heap.root = { root } })
  attempt(() => heap.collect())
  return codes
}

function valuesOf (object) {
  if (object instanceof Map) return [...object].flat()
  if (object instanceof Set) return [...object]
  if (ArrayBuffer.isView(object)) return [object.buffer, object.byteLength]
  if (Array.isArray(object)) return object.filter(() => true)
  return Object.values(object)
}

function waysToChange (object) {
  if (object instanceof Map) return [() => object.set({}, LONG), () => object.delete([...object.keys()][0]), () => object.clear()]
  if (object instanceof Set) return [() => object.add([]), () => object.delete([...object][0]), () => object.clear()]
  if (object instanceof Date) return [() => object.setTime(object.getTime() + 1)]
  if (Array.isArray(object)) {
    return [() => object.push({}), () => { object[0] = LONG }, () => object.sort(() => 0), () => object.reverse(), () => object.splice(1, 1, 'x'),
      () => object.shift(), () => { object.length = 1 }]
  }
  if (Object.getPrototypeOf(object) !== Object.prototype) return []
  return [() => { object.more = LONG }, () => Object.keys(object).forEach(name => { object[name] = [] }),
    () => { delete object[Object.keys(object)[0]] }, () => { delete object.more }]
}

describe('damaged objects', function () {
  this.timeout(Math.max(600_000, 100 * RUNS))
  const folder = temporaryFolder()
  let handle, maps

  before(() => {
    handle = binding.open(folder.next(), true, false, false, 0, 2 ** 30, 0, undefined)
    maps = Object.fromEntries(Object.entries(MAPS).map(([name, hidden]) =>
      [name, new OrderedMap(handle, binding.openMap(handle, hidden), hidden)]))
  })

  after(() => binding.close(handle))

  const open = () => new Heap(handle, { collect: false })

  /** A pool with all kinds of objects, and nothing else. */
  function renew () {
    for (const map of Object.values(maps)) map.clear()
    const heap = open()
    heap.root = everything()
    for (const i of numbers(100)) heap.root.queue.unshift({ i })
    heap.close()
  }

  /** All records: of objects, of shapes, and the keys of bytes. */
  function records () {
    return Object.entries(maps).flatMap(([name, map]) => {
      const flat = map.iterator({ keyEncoding: 'buffer', valueEncoding: 'buffer', values: name !== 'buffers' }).nextv(10_000)
      const step = name === 'buffers' ? 1 : 2
      return Array.from({ length: flat.length / step }, (_, i) =>
        ({ map, key: Buffer.from(flat[step * i]), value: step === 1 ? Buffer.alloc(8) : Buffer.from(flat[2 * i + 1]) }))
    })
  }

  /** Uses the objects, and gives the codes that users get. */
  function used () {
    const heap = open()
    try {
      return useAll(heap)
    } finally {
      heap.close()
    }
  }

  it('are none where nothing is damaged', () => {
    renew()
    assert.deepStrictEqual(used(), new Set())
  })

  // Each a record of the root, in the place of the array that it refers to.
  const hostile = {
    'an array that says it is longer than arrays can be': [3, ...varint(2 ** 32)],
    'an array of four billion elements without one': [3, ...varint(2 ** 32 - 1)],
    'an array with fewer elements than it says': [3, 5, 129],
    'a queue that starts nowhere': [14, ...varint(2 ** 50), ...varint(100)],
    'a queue without elements': [14, 64, 0],
    'a queue without its parts': [14, 64, 100],
    'an array with more': [3, 1, 129, 129],
    'a dictionary of 2 ** 52 names without one': [2, 7, 0, ...varint(2 ** 52)],
    'a number of too many bytes': [3, ...Array(1000).fill(255)],
    'a number above 2 ** 53': [3, 255, 255, 255, 255, 255, 255, 255, 127],
    'a Map of 2 ** 52 entries without one': [6, ...varint(2 ** 52)],
    'a Map with one key twice': [6, 2, 0, 129, 129, 1, 129, 129],
    'a string longer than its record': [3, 1, 7, ...varint(2 ** 40)],
    'a string longer than strings can be': [3, 1, 8, ...varint(2 ** 53 - 1)],
    'a bigint longer than its record': [3, 1, 9, ...varint(2 ** 50)],
    'an integer that is none of 32 bits': [3, 1, 5, ...varint(2 ** 33)],
    'an object of a shape that there is not': [1, ...varint(2 ** 48 - 1)],
    'an object whose shape has an id that wraps around': [1, ...varint(2 ** 48 + 1)],
    'a Date that is none': [5, 0, 0, 0, 0, 0, 0, 0, 127],
    'a view of itself': [9, 1, 10, 2, 0, 0],
    'a view that begins behind its bytes': [9, 1, 10, 1, ...varint(2 ** 50), 0],
    'an ArrayBuffer without its bytes': [8, ...varint(2 ** 50)],
    'a regular expression that is none': [10, 7, 1, 40, 7, 0],
    'an object of a primitive that is another object': [11, 10, 1],
    'an object of no primitive': [11, 0],
    'an error of a shape that there is not': [12, ...varint(2 ** 48 - 1)],
    'a symbol without its name': [3, 1, 12],
    'a symbol whose name is a number': [3, 1, 12, 129],
    'a kind that there is not': [77],
    'no kind at all': []
  }

  for (const [name, bytes] of Object.entries(hostile)) {
    it(`are found where a record has ${name}`, () => {
      for (const map of Object.values(maps)) map.clear()
      const heap = open()
      heap.root = [[1]]
      heap.close()
      maps.objects.put(Buffer.of(0, 0, 0, 0, 0, 2), Buffer.from(bytes))
      assert.ok(used().has('PMEMOBJ_CORRUPT'))
    })
  }

  const references = {
    'an id that no object has': [3, 1, 10, 99],
    'the id of the root\'s record': [3, 1, 10, 0],
    'an id that wraps around': [3, 1, 10, ...varint(2 ** 48 + 2)],
    'a long string where there is none': [3, 1, 11, 99],
    'an object where a long string should be': [3, 1, 11, 2],
    'the root\'s record where a long string should be': [3, 1, 11, 0]
  }

  for (const [name, bytes] of Object.entries(references)) {
    it(`are found where a reference is to ${name}`, () => {
      for (const map of Object.values(maps)) map.clear()
      const heap = open()
      heap.root = [[1]]
      heap.close()
      maps.objects.put(Buffer.of(0, 0, 0, 0, 0, 1), Buffer.from(bytes))
      assert.ok(used().has('PMEMOBJ_CORRUPT'))
    })
  }

  it('are not collected, for what they refer to is not known', () => {
    for (const map of Object.values(maps)) map.clear()
    const heap = open()
    heap.root = [[[1]], [2]]
    heap.close()
    const before = records().length
    maps.objects.put(Buffer.of(0, 0, 0, 0, 0, 2), Buffer.from([3, 1, 10]))
    const again = open()
    assert.throws(() => again.collect(), { code: 'PMEMOBJ_CORRUPT' })
    again.close()
    assert.strictEqual(records().length, before)
  })

  const VARINT = Buffer.from('ffffffffffffff0f', 'hex')
  const bytes = fc.uint8Array({ maxLength: 40 })
  const damage = fc.oneof(
    fc.record({ what: fc.constant('flip'), at: fc.nat(200), bit: fc.nat(7) }),
    fc.record({ what: fc.constant('set'), at: fc.nat(200), byte: fc.nat(255) }),
    fc.record({ what: fc.constant('cut'), at: fc.nat(200) }),
    fc.record({ what: fc.constant('add'), bytes }),
    fc.record({ what: fc.constant('replace'), bytes }),
    fc.record({ what: fc.constant('body'), bytes }),
    fc.record({ what: fc.constant('great'), at: fc.nat(30) }),
    fc.record({ what: fc.constant('other'), which: fc.nat(1000) }),
    fc.record({ what: fc.constant('refer'), at: fc.nat(60), id: fc.nat(700), tag: fc.constantFrom(10, 11) }),
    fc.record({ what: fc.constant('delete') })
  )

  function damaged (value, { what, at = 0, ...more }, all) {
    const copy = Buffer.from(value)
    const place = copy.length === 0 ? 0 : at % copy.length
    switch (what) {
      case 'flip': if (copy.length > 0) copy[place] ^= 1 << more.bit; return copy
      case 'set': if (copy.length > 0) copy[place] = more.byte; return copy
      case 'cut': return copy.subarray(0, place)
      case 'add': return Buffer.concat([copy, more.bytes])
      case 'replace': return Buffer.from(more.bytes)
      case 'body': return Buffer.concat([copy.subarray(0, 1), more.bytes])
      case 'great': return Buffer.concat([copy.subarray(0, place), VARINT, copy.subarray(place + 1)])
      case 'other': return all[more.which % all.length].value
      // An id as a varint of two bytes.
      case 'refer': return Buffer.concat([copy.subarray(0, place), Buffer.of(more.tag, more.id % 128 + 128, more.id >> 7), copy.subarray(place + 1)])
      default: return undefined
    }
  }

  it('give errors with codes, and nothing else', () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.nat(2000), damage), { minLength: 1, maxLength: 3 }), changes => {
      renew()
      const all = records()
      for (const [which, change] of changes) {
        const { map, key, value } = all[which % all.length]
        const bad = damaged(value, change, all)
        if (bad === undefined) map.del(key)
        else map.put(key, bad)
      }
      used()
    }), { numRuns: RUNS })
  })
})
