'use strict'

const assert = require('node:assert')
const { temporaryPools } = require('./temporary-pools')

/** Hides properties of a value by ones of its own, which are not enumerable. */
function hiding (value, properties) {
  for (const [name, hidden] of Object.entries(properties)) Object.defineProperty(value, name, { value: hidden })
  return value
}

describe('a value whose properties are hidden by its own', () => {
  const pools = temporaryPools()
  const values = {
    bytes: [hiding(new Uint8Array([1, 2, 3]), { length: 1000, byteOffset: 2 ** 40, byteLength: 2 ** 40, buffer: new ArrayBuffer(1) }), new Uint8Array([1, 2, 3])],
    memory: [hiding(new ArrayBuffer(8), { byteLength: 100 }), new ArrayBuffer(8)],
    'part of a Buffer': [hiding(Buffer.from(new ArrayBuffer(16), 4, 4), { byteLength: 100, length: 3 }), Buffer.alloc(4)],
    view: [hiding(new DataView(new ArrayBuffer(8)), { byteOffset: 5, byteLength: 100, buffer: new ArrayBuffer(1) }), new DataView(new ArrayBuffer(8))],
    expression: [hiding(/a/gi, { source: '(', flags: 'zz', global: false }), /a/gi],
    date: [hiding(new Date(5), { getTime: () => 1.5 }), new Date(5)],
    number: [hiding(Object(1), { valueOf: () => 'x' }), Object(1)],
    map: [(() => { const map = new Map([[1, 2]]); Object.defineProperty(map, Symbol.iterator, { value: () => [[3, 4]].values() }); return map })(), new Map([[1, 2]])],
    set: [(() => { const set = new Set([1]); Object.defineProperty(set, Symbol.iterator, { value: () => [3].values() }); return set })(), new Set([1])]
  }

  for (const [name, [value, plain]] of Object.entries(values)) {
    it(`is kept as JavaScript has it: ${name}`, () => {
      const pool = pools.create({})
      pool.root.value = value
      pool.root.again = value
      assert.strictEqual(pool.root.again, pool.root.value)
      const again = pools.reopen(pool)
      assert.deepStrictEqual(again.plain(again.root.value), plain)
    })
  }
})
