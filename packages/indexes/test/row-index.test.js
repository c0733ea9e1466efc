'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { MemoryLevel } = require('memory-level')
const { pouchCollation } = require('@potoroo/collation')
const { DocumentStore } = require('@potoroo/document-store')
const { makeRow } = require('../lib/rows/row')
const { RowIndex } = require('../lib/index/row-index')
const { RowLayout } = require('../lib/rows/row-layout')
const { markSums } = require('../lib/sums/sum-marks')
const { LEVELS, levelOf } = require('../lib/sums/sum-node')

const ALL = { descending: false }

describe('the rows of an index', () => {
  it('are as many at any moment as its state says, whenever that is while they are written', async () => {
    const store = await DocumentStore.open(new MemoryLevel())
    const layout = new RowLayout(store.indexSpace.prefix)
    const state = { index: 1, seq: 0, purgeSeq: 0, counts: [0], external: 0, active: 0, collations: [pouchCollation.name] }
    const index = new RowIndex(store.indexSpace, layout, { signature: 's', collations: [pouchCollation] }, { state, isStored: false })
    const snapshots = []
    for (let seq = 1; seq <= 5; seq++) {
      const writer = { isDone: false }
      index.replace([{ id: `doc-${seq}`, rows: [makeRow(pouchCollation, 0, seq, null)] }], { seq }).finally(() => { writer.isDone = true })
      while (!writer.isDone) {
        // As many as microtasks may stand between what is written and who is told of it.
        for (let i = 0; i < 30; i++) {
          snapshots.push(index.snapshot())
          await null
        }
        await new Promise(setImmediate)
      }
    }
    const seen = new Set()
    for (const snapshot of await Promise.all(snapshots)) {
      let count = 0
      for await (const page of snapshot.texts(0, ALL)) count += page.length
      assert.deepEqual([snapshot.state.seq, ...snapshot.state.counts], [count, count])
      seen.add(count)
      await snapshot.close()
    }
    assert.deepEqual([...seen], [0, 1, 2, 3, 4, 5])
    await store.close()
  })

  it('leave no sum as it was, where one is longer than what the level brings at a time', async () => {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-'))
    const level = new ClassicLevel(folder)
    const store = await DocumentStore.open(level)
    const space = store.indexSpace
    const place = { rows: `${space.prefix}R`, nodes: `${space.prefix}N`, salt: 1 }
    const row = /** @type {string} */ (Array.from({ length: 1000 }, (_, i) => `row-${i}`).find(row => levelOf(row, place.salt) === 1))
    const nodes = Array.from({ length: LEVELS }, (_, i) => `${place.nodes}${i + 1}`)
    const put = (key, value) => ({ type: 'put', key, value })
    await space.keyspace.write([...nodes.map(key => put(key, '[1,{}]')), put(`${nodes[0]}${row}`, `[1,{"sum":"${'x'.repeat(3_000_000)}"}]`)])
    assert.deepEqual(await markSums(space, place, [{ row, added: false, removed: true }]),
      [...nodes.map(key => put(key, '')), { type: 'del', key: `${nodes[0]}${row}` }])
    await store.close()
    await level.close()
    await fs.rm(folder, { recursive: true })
  })
})
