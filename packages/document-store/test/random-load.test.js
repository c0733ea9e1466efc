'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')
const { assertIntegrity } = require('./integrity')

const attachments = fc.option(fc.dictionary(fc.constantFrom('f', 'g'), fc.constantFrom('b25l', 'dHdv', 'stub'), { maxKeys: 2 }), { freq: 2 })

const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('edit'), id: fc.nat(3), parent: fc.nat(5), deleted: fc.boolean(), attachments }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('replicate'), id: fc.nat(3), parent: fc.nat(5), deleted: fc.boolean(), attachments }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limit'), limit: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen') }) }
)

/** A document on top of one of the revisions that were made so far. */
function toDoc ({ id, parent, deleted, attachments }, revs, i) {
  const doc = { _id: String(id), i }
  const known = revs.get(id) ?? []
  const above = known.length === 0 ? undefined : known[parent % known.length]
  if (deleted) doc._deleted = true
  if (attachments !== null) {
    doc._attachments = {}
    for (const [name, data] of Object.entries(attachments)) doc._attachments[name] = data === 'stub' ? { stub: true } : { data }
  }
  return { doc, above, known }
}

async function run (operations, options) {
  const level = new MemoryLevel()
  let store = await DocumentStore.open(level, options)
  const revs = new Map()
  for (const [i, each] of operations.entries()) {
    if (each.kind === 'compact') await store.compact()
    else if (each.kind === 'limit') await store.setRevsLimit(each.limit)
    else if (each.kind === 'reopen') {
      await store.close()
      store = await DocumentStore.open(level, options)
    } else await write(store, each, revs, i)
  }
  await store.close()
  await assertIntegrity(level)
  return DocumentStore.open(level, options)
}

async function write (store, each, revs, i) {
  const { doc, above, known } = toDoc(each, revs, i)
  const newEdits = each.kind === 'edit'
  if (newEdits && above !== undefined) doc._rev = above
  if (!newEdits) {
    const generation = above === undefined ? 1 : Number(above.split('-')[0]) + 1
    doc._revisions = { start: generation, ids: above === undefined ? [`x${i}`] : [`x${i}`, above.slice(above.indexOf('-') + 1)] }
  }
  const [result] = await store.write([doc], { newEdits })
  if (result.ok) revs.set(each.id, [...known, result.rev])
  else assert.ok(['CONFLICT', 'MISSING_STUB'].includes(result.code), result.stack)
}

describe('random load', () => {
  for (const options of [{}, { autoCompaction: true }]) {
    it(`leaves records, counts and references that agree, with ${JSON.stringify(options)}`, async () => {
      await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const store = await run(operations, options)
        await store.close()
      }), { numRuns: 200 })
    }).timeout(600_000)
  }
})
