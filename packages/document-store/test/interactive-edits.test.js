'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const PouchDB = require('pouchdb-core')
const { DocumentStore } = require('..')

PouchDB.plugin(require('pouchdb-adapter-memory'))

let count = 0

/** Edits of one document, each naming the result of an earlier one, or nothing. */
const edits = fc.array(fc.record({
  parent: fc.option(fc.nat(8)),
  deleted: fc.boolean(),
  replicated: fc.boolean()
}), { minLength: 1, maxLength: 12 })

/** Plays edits on something that writes; hashes differ between implementations, so revisions are told by edit. */
async function play (plan, write, read) {
  const revs = []
  const outcomes = []
  for (const [i, { parent, deleted, replicated }] of plan.entries()) {
    const named = parent === null ? undefined : revs[parent]
    const doc = { _id: 'a', i }
    if (deleted) doc._deleted = true
    const rev = replicated ? await branchOff(write, doc, named) : await edit(write, doc, named)
    revs.push(rev)
    outcomes.push(rev === undefined ? 'conflict' : rev.split('-')[0])
    outcomes.push(await read())
  }
  return outcomes
}

async function edit (write, doc, rev) {
  if (rev !== undefined) doc._rev = rev
  const [result] = await write([doc], true)
  if (result instanceof Error || result.error) return undefined
  return result.rev
}

/** A replicated revision on top of any earlier one. */
async function branchOff (write, doc, rev) {
  const generation = rev === undefined ? 1 : Number(rev.split('-')[0]) + 1
  const hash = String(doc.i).padStart(32, 'f')
  doc._rev = `${generation}-${hash}`
  doc._revisions = { start: generation, ids: rev === undefined ? [hash] : [hash, rev.split('-')[1]] }
  await write([doc], false)
  return doc._rev
}

describe('interactive edits', () => {
  it('are accepted and refused as PouchDB does, with the same winner', async () => {
    await fc.assert(fc.asyncProperty(edits, async (plan) => {
      const store = await DocumentStore.open(new MemoryLevel())
      const pouch = new PouchDB(`edits-${count++}`, { adapter: 'memory' })
      const ours = await play(plan, (docs, newEdits) => store.write(docs, { newEdits }), async () => {
        const document = await store.get('a').catch(({ code }) => code)
        return document.body ? document.rev.split('-')[0] : 'none'
      })
      const theirs = await play(plan, (docs, newEdits) => pouch.bulkDocs(docs, { new_edits: newEdits }), async () => {
        const document = await pouch.get('a').catch(() => null)
        return document === null ? 'none' : document._rev.split('-')[0]
      })
      await pouch.destroy()
      await store.close()
      assert.deepEqual(ours, theirs)
    }), { numRuns: 60 })
  }).timeout(600_000)
})
