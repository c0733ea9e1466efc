'use strict'

const assert = require('node:assert/strict')
const { branches, codeOf, collect } = require('../pages')

const ids = async (store) => (await collect((await store.allDocs()).rows)).map((row) => row.id)

module.exports = (context) => describe('purging', () => {
  const keys = async (letter) => context.level.keys({ gte: letter, lt: String.fromCharCode(letter.charCodeAt(0) + 1) }).all()

  it('removes a document with its history, bodies and attachments', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a', n: 1, _attachments: { f: { data: 'b25l' } } })
    const second = await store.put({ _id: 'a', _rev: first.rev, n: 2, _attachments: { f: { data: 'dHdv' } } })
    await store.put({ _id: 'b' })
    const before = store.updateSeq
    assert.deepEqual(await store.purge({ a: [second.rev] }), {
      purgeSeq: 1, purged: { a: [second.rev] }, gone: { a: [second.rev, first.rev] }, erased: ['a']
    })
    assert.equal(await codeOf(store.get('a')), 'MISSING')
    assert.equal(await codeOf(store.get('a', { rev: first.rev })), 'MISSING')
    assert.deepEqual(await store.openRevs('a', 'all'), [])
    assert.deepEqual(await ids(store), ['b'])
    assert.deepEqual((await collect(store.changes())).map(({ id }) => id), ['b'])
    for (const letter of ['a', 'c', 'r']) assert.deepEqual(await keys(letter), [])
    assert.equal(store.updateSeq, before + 1)
    const { docCount, docDelCount, purgeSeq } = await store.info()
    assert.deepEqual({ docCount, docDelCount, purgeSeq }, { docCount: 1, docDelCount: 0, purgeSeq: 1 })
  })

  it('lets the document come again, by an edit or by replication', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a', n: 1 })
    await store.purge({ a: [rev] })
    assert.equal((await store.put({ _id: 'a', n: 1 })).rev, rev)
    await store.purge({ a: [rev] })
    await store.write(branches('a', '1-x 2-y'), { newEdits: false })
    assert.equal((await store.get('a')).rev, '2-y')
    assert.equal(store.purgeSeq, 2)
  })

  it('of one branch leaves the others, and is a change', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c 3-d'), { newEdits: false })
    const seq = store.updateSeq
    const { purged, gone, erased } = await store.purge({ a: ['3-d'] })
    assert.deepEqual({ purged, gone, erased }, { purged: { a: ['3-d'] }, gone: { a: ['3-d', '2-c'] }, erased: [] })
    const document = await store.get('a', { revs: true, conflicts: true })
    assert.equal(document.rev, '2-b')
    assert.equal(document.body, '{"from":"2-b"}')
    assert.deepEqual(document.revisions.ids, ['b', 'a'])
    assert.equal(document.conflicts, undefined)
    assert.deepEqual(await store.revsDiff({ a: ['2-c', '1-a', '3-d'] }), { a: { missing: ['2-c', '3-d'], possible_ancestors: ['2-b'] } })
    const changes = await collect(store.changes({ since: seq }))
    assert.deepEqual(changes.map(({ id, changes }) => [id, changes]), [['a', [{ rev: '2-b' }]]])
    assert.deepEqual(await keys('r'), [])
  })

  it('of a losing leaf leaves the winner as it is', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c'), { newEdits: false })
    await store.purge({ a: ['2-b'] })
    assert.equal((await store.get('a', { conflicts: true })).rev, '2-c')
    assert.equal((await store.openRevs('a', 'all')).length, 1)
  })

  it('of a live leaf may leave a deleted document', async () => {
    const { store } = context
    await store.write([...branches('a', '1-a 2-b'), { _id: 'a', _rev: '2-c', _revisions: { start: 2, ids: ['c', 'a'] }, _deleted: true }], { newEdits: false })
    await store.purge({ a: ['2-b'] })
    assert.equal(await codeOf(store.get('a')), 'DELETED')
    const { docCount, docDelCount } = await store.info()
    assert.deepEqual([docCount, docDelCount], [0, 1])
  })

  it('leaves alone what is no leaf or is not there', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a', n: 1 })
    const second = await store.put({ _id: 'a', _rev: first.rev, n: 2 })
    const seq = store.updateSeq
    const { purged, gone, erased, purgeSeq } = await store.purge({ a: [first.rev, '9-nine'], b: ['1-x'], '\ud800': ['1-x'] })
    assert.deepEqual(purged, { a: [], b: [], '\ud800': [] })
    assert.deepEqual([gone, erased], [purged, []])
    assert.equal(purgeSeq, 2)
    assert.equal(store.updateSeq, seq)
    assert.equal((await store.get('a')).rev, second.rev)
    assert.equal(await codeOf(store.purge({ a: ['nonsense'] })), 'INVALID_REV')
    assert.equal(await codeOf(store.purge({ a: 'nonsense' })), 'BAD_REQUEST')
  })

  it('of all leaves at once removes the document', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c', '1-z'), { newEdits: false })
    assert.deepEqual((await store.purge({ a: ['1-z', '2-b', '2-c', '2-c'] })).purged, { a: ['1-z', '2-b', '2-c'] })
    assert.deepEqual(await ids(store), [])
  })

  it('is remembered, as many as the limit says', async () => {
    const { store } = context
    await store.setPurgedInfosLimit(2)
    for (const id of ['a', 'b', 'c', 'd']) {
      const { rev } = await store.put({ _id: id })
      await store.purge({ [id]: [rev] })
    }
    const { oldest, last, purges } = await store.purges()
    assert.deepEqual({ oldest, last }, { oldest: 3, last: 4 })
    assert.deepEqual(purges.map(({ seq, id, revs }) => [seq, id, revs.length]), [[3, 'c', 1], [4, 'd', 1]])
    assert.deepEqual((await store.purges({ since: 3 })).purges.map(({ id }) => id), ['d'])
    assert.deepEqual(await store.purges({ since: 4 }), { oldest: 5, last: 4, purges: [] })
    assert.equal(await codeOf(store.setPurgedInfosLimit(0)), 'BAD_REQUEST')
    const { rev } = await store.put({ _id: 'e' })
    await store.purge({ e: [rev] }, { purgedInfosLimit: 1 })
    assert.deepEqual((await store.purges()).purges.map(({ id }) => id), ['e'])
    assert.equal(await codeOf(store.purge({}, { purgedInfosLimit: -1 })), 'BAD_REQUEST')
  })

  it('and its limit outlast the closing of the database', async function () {
    if (context.reopen === undefined) return this.skip()
    const { rev } = await context.store.put({ _id: 'a' })
    await context.store.purge({ a: [rev] })
    await context.store.setPurgedInfosLimit(7)
    await context.store.close()
    await context.reopen()
    const store = await context.openStore()
    assert.equal(store.purgeSeq, 1)
    assert.equal(store.purgedInfosLimit, 7)
    assert.equal((await store.purges()).purges[0].id, 'a')
  })

  it('takes its turn among writers', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a' })
    const [purge, again] = await Promise.all([store.purge({ a: [rev] }), store.put({ _id: 'a', again: true }), store.put({ _id: 'b' })])
    assert.deepEqual(purge.purged, { a: [rev] })
    assert.equal((await store.get('a')).rev, again.rev)
    assert.deepEqual(await ids(store), ['a', 'b'])
  })
})
