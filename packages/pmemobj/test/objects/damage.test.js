'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { Pool } = require('../..')
const binding = require('../../lib/binding')
const { Heap } = require('../../lib/objects/heap')
const { plain } = require('../../lib/objects/plain')
const { OrderedMap } = require('../../lib/ordered-map')
const { temporaryFolder } = require('../temporary-folder')

const runs = Number(process.env.OBJECT_DAMAGE_RUNS ?? 1000)

class Point { constructor (x) { this.x = x } }

// PMEMOBJ_INVALID: the name of a class is another one. PMEMOBJ_LAYOUT_VERSION: so is the format.
const EXPECTED = new Set(['PMEMOBJ_CORRUPT', 'PMEMOBJ_INVALID', 'PMEMOBJ_LAYOUT_VERSION'])

/** All kinds, each small and in parts. */
function everything () {
  const numbers = Array.from({ length: 70 }, (_, i) => i * 1000)
  const bytes = new ArrayBuffer(64)
  const dictionary = Object.fromEntries(numbers.concat(numbers.map(i => i + 1)).map(i => [`name ${i}`, i]))
  return {
    values: [undefined, null, true, false, 0, 127, 128, -1, 1.5, NaN, 2n ** 90n, -1n, 'latin', 'ünï', '日本', 'long '.repeat(99), [,], { }], // eslint-disable-line no-sparse-arrays
    numbers,
    dictionary,
    wide: Object.fromEntries(numbers.slice(0, 40).map(i => [`p${i}`, i])),
    point: new Point(1),
    bare: Object.assign(Object.create(null), { a: 1 }),
    date: new Date(123456789),
    map: new Map([[1, 'one'], ['long '.repeat(98), [2]], [{ key: 1 }, new Set([1])]]),
    bigMap: new Map(numbers.map(i => [i, `${i}`])),
    bigSet: new Set(numbers),
    bytes,
    views: [new Uint8Array(bytes, 8, 8), new DataView(bytes), Buffer.from('hello'), new Float64Array(bytes, 8)]
  }
}

describe('damaged records of objects', () => {
  const folder = temporaryFolder()
  let pool
  /** @type {{ map: OrderedMap, key: Buffer, value: Buffer }[]} */
  let records

  before(() => {
    pool = Pool.create(folder.next())
    pool.register(Point)
    pool.root = everything()
    const handle = Pool.handleOf(pool)
    records = ['\0objects', '\0shapes'].flatMap(name => {
      const map = new OrderedMap(handle, binding.openMap(handle, name), name)
      const iterator = map.iterator({ keyEncoding: 'buffer', valueEncoding: 'buffer' })
      const found = []
      for (let entry; (entry = iterator.nextv(1)).length > 0;) {
        found.push({ map, key: Buffer.from(entry[0]), value: Buffer.from(entry[1]) })
      }
      iterator.close()
      return found
    })
  })
  after(() => pool.close())

  /** Reads all there is, in all ways. */
  function readAll () {
    const heap = new Heap(Pool.handleOf(pool), { cacheSize: 4 })
    heap.classes.register(Point, 'Point')
    try {
      const copy = plain(heap.root)
      for (const name of Object.keys(heap.root ?? {})) plain(heap.root[name], 1)
      return copy
    } finally {
      heap.close()
    }
  }

  /** What a record becomes is read as something else, or is refused with a code. */
  function check ({ map, key, value }, damaged) {
    map.put(key, damaged)
    try {
      readAll()
    } catch (error) {
      if (!EXPECTED.has(error.code)) throw error
    } finally {
      map.put(key, value)
    }
  }

  it('there is something to damage, which is read', () => {
    assert.ok(records.length > 30)
    assert.deepStrictEqual(readAll(), everything())
  })

  it('with any byte changed are refused, or something else', function () {
    this.timeout(30000 + 50 * runs)
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 127, 128, 255))
    fc.assert(fc.property(fc.nat(records.length - 1), fc.nat(), byte, (number, at, to) => {
      const record = records[number]
      const damaged = Buffer.from(record.value)
      damaged[at % damaged.length] = to
      check(record, damaged)
    }), { numRuns: runs })
  })

  it('that claim to be huge are refused before there is memory for them', () => {
    const huge = Buffer.from([255, 255, 255, 255, 255, 255, 255, 15])
    for (const record of records) {
      for (let at = 1; at < Math.min(record.value.length, 8); at++) {
        check(record, Buffer.concat([record.value.subarray(0, at), huge]))
        check(record, Buffer.concat([record.value.subarray(0, at), huge.subarray(4), record.value.subarray(at)]))
        check(record, Buffer.concat([record.value.subarray(0, at), huge.subarray(3), record.value.subarray(at + 1)]))
      }
    }
  }).timeout(60000)

  it('that end too early, go on, or are gone, are refused', () => {
    for (const record of records) {
      for (const size of [0, 1, 2, record.value.length - 1]) check(record, record.value.subarray(0, size))
      check(record, Buffer.concat([record.value, Buffer.alloc(1)]))
      record.map.del(record.key)
      try {
        assert.notDeepStrictEqual(readAll(), everything())
      } catch (error) {
        if (!EXPECTED.has(error.code)) throw error
      } finally {
        record.map.put(record.key, record.value)
      }
    }
  }).timeout(60000)

  it('are found by the collector, which deletes nothing then', () => {
    const { map, key, value } = records.find(record => record.value[0] === 6 && record.value.length > 10)
    map.put(key, Buffer.from([99]))
    assert.throws(() => pool.collect(), { code: 'PMEMOBJ_CORRUPT' })
    map.put(key, value)
    assert.deepStrictEqual(readAll(), everything())
  })
})
