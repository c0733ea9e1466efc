'use strict'

const assert = require('node:assert/strict')
const { sortedRows } = require('../../lib/adaptive/sorted-rows')
const { collectGarbage } = require('../collect-garbage')

const MEGABYTE = 1024 * 1024

describe('rows that are sorted without an index', () => {
  /** The documents that are still held when all were read. */
  let held

  async function * documents (count, size) {
    const before = process.memoryUsage().arrayBuffers
    for (let n = 0; n < count; n++) yield { doc: { _id: `d${n}`, n: (n * 7) % count }, document: { body: Buffer.alloc(size) } }
    collectGarbage()
    held = process.memoryUsage().arrayBuffers - before
  }

  const sorted = (given, wanted) => sortedRows(given, { columns: [['n']], low: '', high: '\uffff', descending: false, wanted })

  it('are the first, with their documents', async () => {
    const rows = await sorted(documents(5000, 10), 3)
    assert.deepEqual(rows.map(({ key }) => key), [[0], [1], [2]])
    assert.ok(rows.every(({ document }) => document.body.length === 10))
  })

  it('leave out a document that is nested too deeply for an index', async () => {
    async function * given () {
      yield { doc: { _id: 'deep', n: JSON.parse('['.repeat(1500) + ']'.repeat(1500)) }, document: { body: '' } }
      yield { doc: { _id: 'flat', n: 1 }, document: { body: '' } }
    }
    assert.deepEqual((await sorted(given(), 3)).map(({ id }) => id), ['flat'])
  })

  it('hold few large documents that are not wanted', async () => {
    const rows = await sorted(documents(100, MEGABYTE), 3)
    assert.deepEqual(rows.map(({ key }) => key), [[0], [1], [2]])
    assert.ok(held < 40 * MEGABYTE, `${held} bytes`)
  })

  it('hold no documents that are too large together', async () => {
    const rows = await sorted(documents(150, MEGABYTE), 1000)
    assert.deepEqual(rows.map(({ key }) => key), Array.from({ length: 150 }, (_, n) => [n]))
    assert.ok(rows.every(({ document }) => document === undefined))
    assert.ok(held < 100 * MEGABYTE, `${held} bytes`)
  })
})
