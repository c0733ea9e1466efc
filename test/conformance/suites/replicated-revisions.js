'use strict'

const assert = require('node:assert/strict')
const { branches, codeOf, collect } = require('../pages')

const replicated = { newEdits: false }

module.exports = (context) => describe('replicated revisions', () => {
  it('keeps a revision as it comes, with its history', async () => {
    const { store } = context
    const [result] = await store.write(branches('a', '3-c 4-d 5-e'), replicated)
    assert.deepEqual(result, { ok: true, id: 'a', rev: '5-e' })
    assert.deepEqual((await store.get('a', { revs: true })).revisions, { start: 5, ids: ['e', 'd', 'c'] })
    assert.equal(await codeOf(store.get('a', { rev: '4-d' })), 'MISSING')
  })

  it('takes a revision without history', async () => {
    await context.store.write([{ _id: 'a', _rev: '7-x', v: 1 }], replicated)
    assert.equal((await context.store.get('a')).rev, '7-x')
  })

  it('takes revisions without a hash, alone, in histories and in conflict', async () => {
    const { store } = context
    await store.write([{ _id: 'a', _rev: '1-', v: 1 }], replicated)
    const { rev } = await store.put({ _id: 'a', _rev: '1-', v: 2 })
    await store.write(branches('a', '1- 2-'), replicated)
    const [winner, loser] = await store.openRevs('a', 'all', { revs: true })
    assert.deepEqual([winner.ok.rev, winner.ok.revisions], [rev, { start: 2, ids: [rev.slice(2), ''] }])
    assert.deepEqual([loser.ok.rev, loser.ok.revisions], ['2-', { start: 2, ids: ['', ''] }])
    assert.equal((await store.get('a', { rev: '1-' })).body, '{"v":1}')
    assert.deepEqual((await collect(store.changes({ style: 'all_docs' })))[0].changes, [{ rev }, { rev: '2-' }])
    assert.deepEqual(await store.revsDiff({ a: ['1-', '2-', '3-'] }), { a: { missing: ['3-'], possible_ancestors: [rev, '2-'] } })
  })

  it('does nothing where it has the revision', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b'), replicated)
    const results = await store.write([...branches('a', '1-a 2-b'), { _id: 'a', _rev: '1-a', changed: true }], replicated)
    assert.ok(results.every(({ ok }) => ok))
    assert.equal(store.updateSeq, 1)
    assert.equal((await store.get('a')).body, '{"from":"2-b"}')
  })

  it('makes conflicts, and lets any leaf be edited', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c'), replicated)
    const { rev } = await store.put({ _id: 'a', _rev: '2-b', merged: 1 })
    assert.equal((await store.get('a')).rev, rev)
    assert.deepEqual((await store.get('a', { conflicts: true })).conflicts, ['2-c'])
    assert.equal(await codeOf(store.put({ _id: 'a', _rev: '2-b' })), 'CONFLICT')
    await store.put({ _id: 'a', _rev: '2-c', _deleted: true })
    assert.equal((await store.get('a', { conflicts: true })).conflicts, undefined)
  })

  it('lets a losing leaf win when the winner is deleted', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c'), replicated)
    await store.put({ _id: 'a', _rev: '2-c', _deleted: true })
    const document = await store.get('a')
    assert.deepEqual([document.rev, document.body], ['2-b', '{"from":"2-b"}'])
    assert.equal((await store.info()).docCount, 1)
    await store.put({ _id: 'a', _rev: '2-b', _deleted: true })
    assert.equal(await codeOf(store.get('a')), 'DELETED')
    assert.deepEqual([(await store.info()).docCount, (await store.info()).docDelCount], [0, 1])
    const leaves = await store.openRevs('a', 'all')
    assert.equal(leaves.length, 2)
    assert.ok(leaves.every(({ ok }) => ok.deleted))
  })

  it('takes a live branch over a longer deleted one', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b 3-c 4-d!', '1-a 2-x'), replicated)
    assert.equal((await store.get('a')).rev, '2-x')
    await store.write(branches('a', '1-a 2-y'), replicated)
    assert.equal((await store.get('a')).rev, '2-y')
  })

  it('joins histories that arrive in any order, with gaps', async () => {
    const { store } = context
    await store.write(branches('a', '5-e'), replicated)
    await store.write(branches('a', '1-a 2-b 3-c'), replicated)
    await store.write(branches('a', '3-c 4-d 5-e 6-f'), replicated)
    assert.deepEqual((await store.get('a', { revs: true })).revisions.ids, ['f', 'e', 'd', 'c', 'b', 'a'])
    assert.deepEqual((await store.openRevs('a', 'all')).map(({ ok }) => ok.rev), ['6-f'])
  })

  it('gives ancestors to a history that lacked them', async () => {
    const { store } = context
    await store.write(branches('a', '3-c'), replicated)
    await store.write(branches('a', '1-a 2-b 3-c 4-d'), replicated)
    assert.deepEqual((await store.get('a', { revs: true })).revisions.ids, ['d', 'c', 'b', 'a'])
  })

  it('keeps hashes of any characters apart', async () => {
    const { store } = context
    const hashes = ['a,b', 'a!b', 'a|b', 'a^0', 'a b', 'a%2Cb', 'é', 'a-b', '(x)']
    await store.write(hashes.map((hash) => ({ _id: 'a', _revisions: { start: 2, ids: [hash, 'root 1'] }, hash })), replicated)
    const leaves = await store.openRevs('a', 'all')
    assert.deepEqual(leaves.map(({ ok }) => JSON.parse(ok.body).hash).sort(), [...hashes].sort())
    for (const hash of hashes) assert.equal(JSON.parse((await store.get('a', { rev: `2-${hash}` })).body).hash, hash)
    const [change] = await collect(store.changes({ style: 'all_docs' }))
    assert.deepEqual(change.changes.map(({ rev }) => rev.slice(2)).sort(), [...hashes].sort())
    assert.deepEqual(await store.revsDiff({ a: ['1-root 1', '2-a,b'] }), {})
  })

  it('stems branches, and keeps what they share', async () => {
    const { store } = context
    await store.setRevsLimit(3)
    await store.write(branches('a', '1-a 2-b 3-c 4-d 5-e', '1-a 2-b 3-c 4-x'), replicated)
    assert.deepEqual((await store.get('a', { revs: true })).revisions.ids, ['e', 'd', 'c'])
    await store.setRevsLimit(1000)
    assert.deepEqual((await store.get('a', { revs: true })).revisions.ids, ['e', 'd', 'c', 'b'])
    const { revisions } = await store.get('a', { rev: '4-x', revs: true })
    assert.deepEqual(revisions.ids, ['x', 'c', 'b'])
    assert.deepEqual(await store.revsDiff({ a: ['1-a'] }), { a: { missing: ['1-a'] } })
  })

  it('takes several revisions of a document in one batch', async () => {
    const { store } = context
    await store.write([...branches('a', '1-a', '1-a 2-b', '1-a 2-c', '1-a 2-b 3-d'), ...branches('b', '1-z')], replicated)
    assert.equal((await store.get('a')).rev, '3-d')
    assert.equal((await store.get('a', { rev: '1-a' })).body, '{"from":"1-a"}')
    assert.equal((await store.get('a', { rev: '2-b' })).body, '{"from":"2-b"}')
    assert.equal((await collect(store.changes())).length, 2)
    assert.equal((await store.info()).docCount, 2)
  })

  it('keeps the sequences that documents bring, and goes on after them', async () => {
    const { store } = context
    const brought = ['1-a', '1-b', '1-c'].map((rev, i) => ({ _id: rev, _rev: rev, _local_seq: [7, 20, 9][i] }))
    await store.write([...brought, { _id: '_local/x' }], { newEdits: false, keepSequences: true })
    const sequences = async () => (await collect(store.changes())).map(({ seq, id }) => [seq, id])
    assert.deepEqual(await sequences(), [[7, '1-a'], [20, '1-b'], [21, '1-c']])
    await store.write([{ _id: '1-a', _rev: '2-a', _local_seq: 3 }], { newEdits: false, keepSequences: true })
    await store.write([{ _id: 'd', _rev: '1-d', _local_seq: 100 }], replicated)
    assert.deepEqual(await sequences(), [[20, '1-b'], [21, '1-c'], [22, '1-a'], [23, 'd']])
    assert.equal(store.updateSeq, 23)
  })

  it('keeps the body of a revision that stemming cuts off and that comes again in the same write', async () => {
    const { store } = context
    await store.write(branches('a', '1-x'), replicated)
    await store.setRevsLimit(1)
    await store.write(branches('a', '1-x 2-y', '1-x'), replicated)
    const leaves = await store.openRevs('a', 'all')
    assert.deepEqual(leaves.map(({ ok }) => JSON.parse(ok.body).from), ['2-y', '1-x'])
  })

  it('learns the ancestors that a known revision brings, and nothing else of it', async () => {
    const { store } = context
    await store.write([...branches('a', '2-x'), ...branches('a', '4-z')], replicated)
    await store.write([{ ...branches('a', '2-x 3-y 4-z')[0], from: 'elsewhere' }], replicated)
    const document = await store.get('a', { revs: true, conflicts: true })
    assert.deepEqual([document.rev, document.conflicts, JSON.parse(document.body).from], ['4-z', undefined, '4-z'])
    assert.deepEqual(document.revisions, { start: 4, ids: ['z', 'y', 'x'] })
    const { updateSeq } = await store.info()
    await store.write(branches('a', '3-y 4-z', '2-x'), replicated)
    assert.equal((await store.info()).updateSeq, updateSeq)
  })
})
