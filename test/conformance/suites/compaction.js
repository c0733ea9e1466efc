'use strict'

const assert = require('node:assert/strict')
const { branches, codeOf, countRounds, numbered } = require('../pages')

module.exports = (context) => describe('compaction', () => {
  const bodies = async () => (await context.level.keys({ gte: 'r', lt: 's' }).all()).length

  it('drops superseded bodies, and keeps all leaves and the history', async () => {
    const { store } = context
    await store.write(branches('a', '1-a', '1-a 2-b', '1-a 2-c', '1-a 2-b 3-d'), { newEdits: false })
    assert.equal(await bodies(), 3)
    await store.compact()
    assert.equal(await bodies(), 1)
    assert.equal((await store.get('a', { rev: '2-c' })).body, '{"from":"2-c"}')
    assert.equal(await codeOf(store.get('a', { rev: '2-b' })), 'MISSING')
    assert.deepEqual((await store.get('a', { revs: true })).revisions.ids, ['d', 'b', 'a'])
    assert.equal(store.updateSeq, 1)
  })

  it('goes through many documents while others write', async () => {
    const { store } = context
    let batch = await store.write(numbered(300))
    for (let i = 0; i < 4; i++) batch = await store.write(batch.map(({ id, rev }) => ({ _id: id, _rev: rev, i })))
    assert.equal(await bodies(), 1200)
    await Promise.all([store.compact(), store.compact(), store.write(batch.map(({ id, rev }) => ({ _id: id, _rev: rev, last: true })))])
    await store.compact()
    assert.equal(await bodies(), 0)
    assert.equal((await store.info()).docCount, 300)
    assert.equal((await store.get('doc0007')).body, '{"last":true}')
    const { sizes } = await store.info()
    assert.ok(sizes.file >= sizes.active)
  })

  it('says how far it is, in steps between which others write', async () => {
    const { store } = context
    let batch = await store.write(numbered(600))
    for (let i = 0; i < 2; i++) batch = await store.write(batch.map(({ id, rev }) => ({ _id: id, _rev: rev, i })))
    assert.equal(store.compaction, null)
    const steps = []
    store.on('compaction', () => steps.push([store.compaction.done, store.compaction.total]))
    const finished = store.compact()
    assert.deepEqual([store.compaction.done, store.compaction.total], [0, 1200])
    assert.equal((await store.info()).compactRunning, true)
    await store.put({ _id: 'meanwhile' })
    assert.ok(store.compaction.done < 1200)
    await finished
    assert.deepEqual(steps, [[500, 1200], [1000, 1200], [1200, 1200]])
    assert.equal(store.compaction, null)
  })

  it('lets timers run between its steps', async () => {
    const { store } = context
    let batch = await store.write(numbered(600))
    for (let i = 0; i < 2; i++) batch = await store.write(batch.map(({ id, rev }) => ({ _id: id, _rev: rev, i })))
    const seen = []
    await countRounds(rounds => {
      store.on('compaction', () => seen.push(rounds()))
      return store.compact()
    })
    assert.equal(seen.length, 3)
    assert.ok(seen[0] < seen[1] && seen[1] < seen[2], seen.join())
  })

  it('ends with the store, and goes on with the next one', async () => {
    const { store } = context
    let batch = await store.write(numbered(600))
    for (let i = 0; i < 2; i++) batch = await store.write(batch.map(({ id, rev }) => ({ _id: id, _rev: rev, i })))
    const outcome = codeOf(store.compact())
    await new Promise((resolve) => store.once('compaction', resolve))
    await store.close()
    assert.equal(await outcome, 'CLOSED')
    const left = await bodies()
    assert.ok(left > 0 && left < 1200, String(left))
    await context.openStore()
    await context.store.compact()
    assert.equal(await bodies(), 0)
  })

  it('drops the revisions that are named', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a', n: 1 })
    const second = await store.put({ _id: 'a', _rev: first.rev, n: 2 })
    const third = await store.put({ _id: 'a', _rev: second.rev, n: 3 })
    await store.compactDocument('a', [first.rev, first.rev, third.rev, '7-unknown'])
    assert.equal(await codeOf(store.get('a', { rev: first.rev })), 'MISSING')
    assert.equal((await store.get('a', { rev: second.rev })).body, '{"n":2}')
    assert.equal((await store.get('a')).body, '{"n":3}')
    await store.compactDocument('unknown', ['1-a'])
  })

  it('happens to the documents of a write that asks for it, to all their bodies', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a', n: 1, _attachments: { f: { data: 'b25l' } } })
    const second = await store.put({ _id: 'a', _rev: first.rev, n: 2 })
    const other = await store.put({ _id: 'a\0b', n: 1 })
    await store.put({ _id: 'a\0b', _rev: other.rev, n: 2 })
    await store.write([{ _id: 'a', _rev: '2-loser', _revisions: { start: 2, ids: ['loser', first.rev.slice(2)] }, n: 3 }], { newEdits: false })
    const winner = (await store.get('a')).rev
    const { rev } = await store.put({ _id: 'a', _rev: winner, n: 4 }, { autoCompaction: true })
    for (const gone of [first.rev, winner]) assert.equal(await codeOf(store.get('a', { rev: gone })), 'MISSING')
    const loser = winner === second.rev ? '2-loser' : second.rev
    assert.equal((await store.get('a', { rev: loser })).rev, loser)
    assert.equal(await codeOf(store.getAttachment('a', 'f', { rev: first.rev })), 'MISSING')
    assert.equal((await store.get('a\0b', { rev: other.rev })).body, '{"n":1}')
    await store.put({ _id: 'a', _rev: rev, n: 5 })
    assert.equal((await store.get('a', { rev })).body, '{"n":4}')
    assert.equal(store.autoCompaction, false)
  })

  it('happens by itself where that was asked for', async () => {
    await context.store.close()
    const store = await context.openStore({ autoCompaction: true })
    const first = await store.put({ _id: 'a', n: 1, _attachments: { f: { data: 'b25l' } } })
    await store.put({ _id: 'a', _rev: first.rev, n: 2 })
    assert.equal(await bodies(), 0)
    assert.equal((await context.level.keys({ gte: 'a', lt: 'd' }).all()).length, 0)
    await store.write(branches('b', '1-a', '1-a 2-b', '1-a 2-c'), { newEdits: false })
    assert.equal(await bodies(), 1)
    await store.put({ _id: 'b', _rev: '2-b', next: true })
    assert.equal(await bodies(), 1)
    assert.equal((await store.get('b', { rev: '2-c' })).body, '{"from":"2-c"}')
  })

  it('of what stemming cut off happens at once', async () => {
    const { store } = context
    await store.setRevsLimit(2)
    let rev
    for (let i = 0; i < 5; i++) rev = (await store.put({ _id: 'a', _rev: rev, i, _attachments: { f: { data: Buffer.from([i]) } } })).rev
    assert.equal(await bodies(), 1)
    assert.equal((await context.level.keys({ gte: 'a', lt: 'b' }).all()).length, 2)
  })
})
