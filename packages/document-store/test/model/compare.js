'use strict'

const assert = require('node:assert/strict')
const { assertIntegrity } = require('../integrity')

/** Demands that all that can be read of a store is as the model has it. */
async function compare (model, { store, level }, ids) {
  for (const id of ids) await compareDocument(model, store, id)
  await compareAllDocs(model, store, ids)
  await compareChanges(model, store)
  await compareLocals(model, store)
  const { docCount, docDelCount, updateSeq, purgeSeq } = await store.info()
  const winners = [...model.documents.keys()].map((id) => model.leaves(id)[0])
  assert.deepEqual([docCount, docDelCount, updateSeq, purgeSeq], [
    winners.filter(({ deleted }) => !deleted).length, winners.filter(({ deleted }) => deleted).length, model.seq, model.purgeSeq
  ])
  await assertIntegrity(level)
}

async function compareDocument (model, store, id) {
  const leaves = model.leaves(id)
  const found = await store.openRevs(id, 'all', { revs: true, revsInfo: true, attachments: true })
  assert.deepEqual(found.map(({ ok }) => seen(ok)), leaves.map((leaf) => expected(model, id, leaf)))
  await compareWinner(model, store, id, leaves)
  for (const { rev, stored } of model.nodes(id)) {
    const [{ ok }] = await store.openRevs(id, [rev])
    assert.equal(ok === undefined ? null : JSON.parse(ok.body).number, stored?.number ?? null, rev)
  }
  const unknown = ['1-unknown', '9-unknown']
  const { missing, possible_ancestors: ancestors = [] } = (await store.revsDiff({ [id]: [...model.nodes(id).map(({ rev }) => rev), ...unknown] }))[id]
  assert.deepEqual(missing, unknown)
  assert.deepEqual(ancestors, leaves.filter(({ generation }) => generation < 9).map(({ rev }) => rev))
}

async function compareWinner (model, store, id, [winner, ...losers]) {
  const document = await store.get(id, { conflicts: true, deletedConflicts: true, localSeq: true }).catch(({ code }) => code)
  if (winner === undefined || winner.deleted) return assert.equal(document, winner === undefined ? 'MISSING' : 'DELETED')
  assert.equal(document.rev, winner.rev)
  assert.equal(document.localSeq, model.documents.get(id).seq)
  assert.deepEqual(document.conflicts ?? [], losers.filter(({ deleted }) => !deleted).map(({ rev }) => rev))
  assert.deepEqual(document.deletedConflicts ?? [], losers.filter(({ deleted }) => deleted).map(({ rev }) => rev))
}

function seen ({ rev, deleted, body, attachments, revisions, revsInfo }) {
  const file = attachments?.f?.data.toString() ?? null
  return { rev, deleted, number: JSON.parse(body).number, file, revisions, revsInfo }
}

function expected (model, id, { rev, generation, deleted, stored }) {
  const history = model.history(id, rev)
  const revsInfo = history.map((revision) => {
    const node = model.find(id, revision)
    return { rev: revision, status: node.stored === null ? 'missing' : node.deleted ? 'deleted' : 'available' }
  })
  const ids = history.slice(0, model.limit).map((revision) => revision.slice(revision.indexOf('-') + 1))
  const revisions = { start: generation, ids }
  return { rev, deleted, number: stored.number, file: stored.file, revisions, revsInfo }
}

async function compareAllDocs (model, store, ids) {
  const rows = ids.filter((id) => model.leaves(id)[0]?.deleted === false).sort()
    .map((id) => ({ id, rev: model.leaves(id)[0].rev, number: model.leaves(id)[0].stored.number }))
  const read = async (options) => {
    const result = await store.allDocs({ includeDocs: true, ...options })
    assert.equal(result.totalRows, rows.length)
    return (await collect(result.rows)).map(({ id, value, document }) => ({ id, rev: value.rev, number: JSON.parse(document.body).number }))
  }
  assert.deepEqual(await read({}), rows)
  assert.deepEqual(await read({ descending: true, skip: 1, limit: 2 }), [...rows].reverse().slice(1, 3))
  assert.deepEqual(await read({ startkey: ids[1], endkey: ids[2] }), rows.filter(({ id }) => id >= ids[1] && id <= ids[2]))
}

async function compareChanges (model, store) {
  const changes = [...model.documents].map(([id, { seq }]) => {
    const leaves = model.leaves(id)
    return { seq, id, changes: leaves.map(({ rev }) => ({ rev })), deleted: leaves[0].deleted }
  }).sort((a, b) => a.seq - b.seq)
  const read = (options) => collect(store.changes({ style: 'all_docs', ...options }))
  assert.deepEqual(await read({}), changes)
  assert.deepEqual(await read({ since: model.seq - 2 }), changes.filter(({ seq }) => seq > model.seq - 2))
  assert.deepEqual(await read({ descending: true, limit: 2 }), [...changes].reverse().slice(0, 2))
  const winners = await collect(store.changes())
  assert.deepEqual(winners, changes.map((change) => ({ ...change, changes: change.changes.slice(0, 1) })))
}

async function compareLocals (model, store) {
  const found = (await store.allLocal()).map(({ id, rev, body }) => [id, rev, JSON.parse(body).number])
  assert.deepEqual(found, [...model.locals].sort().map(([id, [rev, number]]) => [id, rev, number]))
}

async function collect (pages) {
  const rows = []
  for await (const page of pages) rows.push(...page)
  return rows
}

module.exports = { compare }
