'use strict'

const assert = require('node:assert')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')
const { CopyTable } = require('../../lib/objects/heap/copy-table')

/** The rest of a turn holds what its WeakRefs were asked for. */
const nextTurn = () => new Promise(setImmediate)

describe('copies by plain values', () => {
  let collectGarbage

  before(() => {
    setFlagsFromString('--expose-gc')
    collectGarbage = runInNewContext('gc')
  })

  it('are not held by values that a program holds longer than a turn', async () => {
    const values = Array.from({ length: 1000 }, (_, n) => ({ n }))
    let table = new CopyTable()
    const copies = values.map(value => setIn(table, value))
    await nextTurn()
    collectGarbage()
    assert.deepStrictEqual(copies.map((copy, i) => copy.deref() === table.get(values[i])), new Array(1000).fill(true))
    table.end()
    table = new CopyTable()
    await nextTurn()
    collectGarbage()
    assert.deepStrictEqual(copies.filter(copy => copy.deref() !== undefined), [])
    assert.strictEqual(table.get(values[0]), undefined)
  })

  it('go with values that a program drops in a long turn', async () => {
    const table = new CopyTable()
    const copies = Array.from({ length: 1000 }, (_, n) => setIn(table, { n }))
    await nextTurn()
    collectGarbage()
    const held = copies.filter(copy => copy.deref() !== undefined).length
    assert.ok(held <= 256, `${held} copies are held`)
  })
})

/** @returns {WeakRef<object>} */
function setIn (table, value) {
  const copy = {}
  table.set(value, copy)
  return new WeakRef(copy)
}
