'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')
const { histories, shuffled } = require('./revision-histories')

function toDoc ({ path, deleted }) {
  const doc = { _id: 'a', _rev: `${path.start}-${path.ids[0]}`, _revisions: path, name: path.ids[0] }
  return deleted ? { ...doc, _deleted: true } : doc
}

/** Writes edits in batches of these sizes, together with a bystander. */
async function replicate (edits, sizes, options) {
  const store = await DocumentStore.open(new MemoryLevel(), options)
  for (let at = 0, i = 0; at < edits.length; at += sizes[i % sizes.length], i++) {
    await store.write(edits.slice(at, at + sizes[i % sizes.length]).map(toDoc), { newEdits: false })
  }
  return store
}

async function stateOf (store) {
  const leaves = await store.openRevs('a', 'all', { conflicts: true, deletedConflicts: true, revs: true })
  const { docCount, docDelCount } = await store.info()
  return { leaves, docCount, docDelCount }
}

/** With its history cut short after some revisions. */
function cutShort ({ path, deleted }) {
  return fc.integer({ min: 1, max: path.ids.length })
    .map((length) => ({ path: { start: path.start, ids: path.ids.slice(0, length) }, deleted }))
}

describe('replication in any order', () => {
  it('gives the same tree where histories arrive in pieces', async () => {
    const pieces = histories().chain((edits) => fc.tuple(...[...edits, ...edits].map(cutShort)))
    const orders = pieces.chain((edits) => fc.tuple(
      fc.shuffledSubarray(edits, { minLength: edits.length }), fc.shuffledSubarray(edits, { minLength: edits.length })
    ))
    await fc.assert(fc.asyncProperty(orders, async ([some, others]) => {
      const one = await replicate(some, [1], {})
      const other = await replicate(others, [3], {})
      assert.deepEqual(await stateOf(one), await stateOf(other))
      const { updateSeq } = one
      await one.write(some.map(toDoc), { newEdits: false })
      assert.equal(one.updateSeq, updateSeq, 'nothing was new')
      await one.close()
      await other.close()
    }), { numRuns: 100 })
  }).timeout(600_000)

  for (const autoCompaction of [false, true]) {
    it(`gives the same leaves, bodies and conflicts${autoCompaction ? ', compacting' : ''}`, async () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 })
      await fc.assert(fc.asyncProperty(shuffled(), sizes, sizes, async ([some, others], first, second) => {
        const one = await replicate(some, first, { autoCompaction })
        const other = await replicate(others, second, { autoCompaction })
        const state = await stateOf(one)
        assert.deepEqual(state, await stateOf(other))
        for (const { ok } of state.leaves) assert.equal(JSON.parse(ok.body).name, ok.rev.slice(ok.rev.indexOf('-') + 1))
        assert.deepEqual(await one.revsDiff({ a: some.map((edit) => toDoc(edit)._rev) }), {})
        await one.close()
        await other.close()
      }), { numRuns: 150 })
    }).timeout(600_000)
  }
})
