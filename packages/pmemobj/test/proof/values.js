'use strict'

const fc = require('fast-check')

// Values as data that programs are made of: `{ is, ... }`, or a primitive. `build` makes them.

const VIEWS = ['Uint8Array', 'Int8Array', 'Uint16Array', 'Float64Array', 'BigInt64Array', 'DataView', 'Buffer']
const key = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'name', 'value') }, fc.constantFrom('0', '7', '4294967295', '', 'ä', '\ud800', '__proto__x', 'length', 'constructor'))
const number = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer(), fc.double())
const text = fc.oneof(fc.string({ maxLength: 8 }), fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('', '\ud83d', '\udc00\ud800', 'é', '𝒳'))
const long = fc.record({ is: fc.constant('long'), unit: fc.constantFrom('x', 'ä', '漢', '\ud800'), length: fc.constantFrom(255, 256, 257, 1000, 70000) })
const primitive = fc.oneof(fc.constantFrom(undefined, null, true, false), number, fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), text, long)
const ref = fc.record({ is: fc.constant('ref'), at: fc.nat(50) })
// To an object that is under construction around it: a cycle.
const around = fc.record({ is: fc.constant('around'), up: fc.nat(3) })
const date = fc.record({ is: fc.constant('date'), time: fc.oneof(fc.integer(), fc.constantFrom(NaN, 8.64e15, -1)) })
const symbol = fc.record({ is: fc.constant('symbol'), key: fc.constantFrom('', 'a', 'ä€') })
const constant = fc.oneof(symbol,
  fc.record({ is: fc.constant('regexp'), source: fc.constantFrom('a+', '[ä€]', '(?:)'), flags: fc.constantFrom('', 'g', 'dsu') }),
  fc.record({ is: fc.constant('boxed'), value: fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom('text', 7n), symbol) }),
  fc.record({ is: fc.constant('error'), name: fc.constantFrom('Error', 'RangeError', 'TypeError'), message: fc.constantFrom('no', 'x'.repeat(300)), code: fc.integer() }))
const bytes = fc.record({ is: fc.constantFrom('ArrayBuffer', ...VIEWS), bytes: fc.array(fc.nat(255), { maxLength: 20 }), offset: fc.constantFrom(0, 8) })

/**
 * @param {string[]} types that there may be, beside objects and arrays: 'Map', 'Set', 'Date', 'constants', 'bytes'
 * @returns {fc.Arbitrary<unknown>}
 */
function valueOf (types) {
  const has = type => types.includes(type)
  const extra = [...has('Date') ? [date] : [], ...has('constants') ? [constant] : [], ...has('bytes') ? [bytes] : []]
  const { value } = fc.letrec(tie => ({
    value: fc.oneof({ maxDepth: 3, withCrossShrink: true }, { weight: 4, arbitrary: primitive }, ref, around, ...extra, tie('object'), tie('array'),
      ...has('Map') ? [tie('map')] : [], ...has('Set') ? [tie('set')] : []),
    object: fc.record({ is: fc.constant('object'), entries: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }) }),
    array: fc.record({ is: fc.constant('array'), items: fc.array(fc.option(fc.tuple(tie('value')), { freq: 8 }), { maxLength: 6 }), padding: fc.constantFrom(0, 0, 0, 40) }),
    map: fc.record({ is: fc.constant('map'), entries: fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 }) }),
    set: fc.record({ is: fc.constant('set'), items: fc.array(tie('value'), { maxLength: 4 }) })
  }))
  return value
}

/** Builds one value; `objects` are those that references choose from. */
class Builder {
  #objects
  #around = []

  constructor (objects) {
    this.#objects = objects
  }

  build (value) {
    if (typeof value !== 'object' || value === null) return value
    return this[value.is] === undefined ? buildBytes(value) : this[value.is](value)
  }

  long ({ unit, length }) { return unit.repeat(length) }
  date ({ time }) { return new Date(time) }
  symbol ({ key: name }) { return Symbol.for(name) }
  regexp ({ source, flags }) { return new RegExp(source, flags) }
  boxed ({ value }) { return Object(this.build(value)) }
  // Its own stack is as long as the paths of files are.
  error ({ name, message, code }) { return Object.assign(new globalThis[name](message), { code, stack: `${name}: at a place` }) }
  ref ({ at }) { return this.#objects.length === 0 ? null : this.#objects[at % this.#objects.length] }
  around ({ up }) { return this.#around.at(-1 - up) ?? null }

  object ({ entries }) {
    return this.#within({}, object => {
      for (const [name, value] of entries) object[name] = this.build(value)
    })
  }

  array ({ items, padding }) {
    return this.#within(new Array(items.length + padding), array => {
      items.forEach((item, index) => {
        if (item !== null) array[index] = this.build(item[0])
      })
    })
  }

  map ({ entries }) {
    return this.#within(new Map(), map => {
      for (const [name, value] of entries) map.set(this.build(name), this.build(value))
    })
  }

  set ({ items }) {
    return this.#within(new Set(), set => {
      for (const item of items) set.add(this.build(item))
    })
  }

  #within (object, fill) {
    this.#around.push(object)
    fill(object)
    this.#around.pop()
    return object
  }
}

/** 8 bytes more before a view that begins at 8. A Buffer is copied without what is around it. */
function buildBytes ({ is, bytes, offset }) {
  const before = is === 'Buffer' ? 0 : offset
  const buffer = new ArrayBuffer(before + bytes.length * 8)
  new Uint8Array(buffer).set(bytes, before)
  if (is === 'ArrayBuffer') return buffer
  return is === 'Buffer' ? Buffer.from(buffer) : new globalThis[is](buffer, before)
}

module.exports = { Builder, key, valueOf }
