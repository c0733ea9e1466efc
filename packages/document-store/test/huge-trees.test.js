'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')
const { assertIntegrity } = require('./integrity')

const CONFLICTS = 1000
const REVISIONS = 10000

const hashes = (count, letter) => Array.from({ length: count }, (_, i) => `${letter}${count - i}`)

describe('huge revision trees', function () {
  this.timeout(600_000)
  let level, store

  beforeEach(async () => {
    level = new MemoryLevel()
    store = await DocumentStore.open(level, { revsLimit: 2 * REVISIONS })
  })

  afterEach(async () => {
    await store.close()
    await assertIntegrity(level)
  })

  it(`may have ${CONFLICTS} conflicts`, async () => {
    const trunk = hashes(500, 't')
    const docs = Array.from({ length: CONFLICTS }, (_, i) => {
      const ids = [`c${i}`, ...trunk.slice(i % 400)]
      return { _id: 'a', _rev: `${ids.length}-c${i}`, _revisions: { start: ids.length, ids }, i }
    })
    for (let at = 0; at < docs.length; at += 100) await store.write(docs.slice(at, at + 100), { newEdits: false })
    const { rev, conflicts } = await store.get('a', { conflicts: true })
    assert.equal(rev, '501-c800')
    assert.equal(conflicts.length, CONFLICTS - 1)
    const { revisions } = await store.get('a', { rev: '500-c1', revs: true })
    assert.deepEqual(revisions, { start: 500, ids: ['c1', ...trunk.slice(1)] })
    const deletions = [rev, ...conflicts.slice(1)].map((leaf) => ({ _id: 'a', _rev: leaf, _deleted: true }))
    assert.ok((await store.write(deletions)).every(({ ok }) => ok))
    assert.equal((await store.get('a')).rev, conflicts[0])
  })

  it(`may have ${REVISIONS} revisions`, async () => {
    const ids = hashes(REVISIONS, 'r')
    await store.write([{ _id: 'a', _rev: `${REVISIONS}-${ids[0]}`, _revisions: { start: REVISIONS, ids } }], { newEdits: false })
    let { rev, revisions } = await store.get('a', { revs: true })
    assert.deepEqual(revisions, { start: REVISIONS, ids })
    for (let i = 0; i < 100; i++) rev = (await store.put({ _id: 'a', _rev: rev, i })).rev
    revisions = (await store.get('a', { revs: true })).revisions
    assert.deepEqual(revisions.ids.slice(100), ids)
    await store.setRevsLimit(5)
    rev = (await store.put({ _id: 'a', _rev: rev })).rev
    assert.equal((await store.get('a', { revs: true })).revisions.ids.length, 5)
    assert.equal(rev.split('-')[0], String(REVISIONS + 101))
  })
})
