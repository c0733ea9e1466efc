'use strict'

const assert = require('node:assert/strict')
const { DocumentStore } = require('@potoroo/document-store')
const { branches, codeOf, collect, numbered } = require('../pages')

/** Index of the time of the last write in the record of the state. */
const TIME = 9

module.exports = (context) => describe('opening again', () => {
  async function again (options) {
    await context.store.close()
    if (context.reopen) await context.reopen()
    return context.openStore(options)
  }

  it('finds everything as it was', async () => {
    let { store } = context
    await store.write([...numbered(20), { _id: 'gone', _deleted: true }, { _id: 'att', _attachments: { f: { data: Buffer.alloc(300000, 1) } } }])
    await store.write(branches('conflict', '1-a 2-b', '1-a 2-c'), { newEdits: false })
    await store.putLocal({ _id: '_local/x', n: 1 })
    await store.setMeta('security', { a: 1 })
    await store.setRevsLimit(17)
    const before = await store.info()
    const changes = await collect(store.changes({ style: 'all_docs' }))
    store = await again()
    const after = await store.info()
    assert.deepEqual({ ...after, sizes: null }, { ...before, sizes: null })
    assert.deepEqual(after.sizes.active, before.sizes.active)
    assert.deepEqual(await collect(store.changes({ style: 'all_docs' })), changes)
    assert.deepEqual((await store.get('conflict', { conflicts: true })).conflicts, ['2-b'])
    assert.equal((await (await store.getAttachment('att', 'f')).read()).length, 300000)
    assert.equal((await store.getLocal('_local/x')).body, '{"n":1}')
    assert.deepEqual(await store.getMeta('security'), { a: 1 })
    assert.equal(store.revsLimit, 17)
    await store.put({ _id: 'next' })
    assert.equal(store.updateSeq, before.updateSeq + 1)
  })

  it('removes uploads that were interrupted', async () => {
    await context.store.close()
    await context.level.batch([
      { type: 'put', key: 'uabc', value: '' },
      { type: 'put', key: 'cabc!a0', value: Buffer.alloc(10), valueEncoding: 'buffer' },
      { type: 'put', key: 'cabc!a1', value: Buffer.alloc(10), valueEncoding: 'buffer' },
      { type: 'put', key: 'cabcd!a0', value: Buffer.alloc(10), valueEncoding: 'buffer' }
    ])
    await again()
    assert.deepEqual(await context.level.keys({ gte: 'c', lt: 'd' }).all(), ['cabcd!a0'])
    assert.deepEqual(await context.level.keys({ gte: 'u', lt: 'v' }).all(), [])
  })

  it('finishes a destruction that was interrupted', async () => {
    const { instanceId } = context.store
    await context.store.write(numbered(3))
    await context.store.close()
    await context.level.put('mdestroying', 'true')
    const store = await again()
    assert.equal((await store.info()).docCount, 0)
    assert.notEqual(store.instanceId, instanceId)
    assert.deepEqual(await context.level.keys({ gte: 'd', lt: 'e' }).all(), [])
  })

  it('brings the first layout up to date', async () => {
    const { store } = context
    for (let i = 0, rev; i < 3; i++) rev = (await store.put({ _id: 'a', _rev: rev, i })).rev
    await store.write(branches('b', '1-a 2-b', '1-a 2-c'), { newEdits: false })
    const before = await store.info()
    await store.close()
    const database = JSON.parse(await context.level.get('mdatabase'))
    await context.level.put('mdatabase', JSON.stringify({ ...database, version: 1, purgeSeq: 0 }))
    const state = await context.level.get('mstate')
    await context.level.put('mstate', state.split(' ').slice(0, 7).join(' '))
    const upgraded = await again()
    assert.deepEqual({ ...await upgraded.info(), sizes: null }, { ...before, sizes: null })
    assert.deepEqual(JSON.parse(await context.level.get('mdatabase')), database)
    // The first layout did not know when anything was written.
    assert.equal(await context.level.get('mstate'), state.split(' ').with(TIME, '0').join(' '))
    await upgraded.purge({ b: ['2-b'] })
    assert.equal(upgraded.purgeSeq, 1)
  })

  it('refuses a layout that it does not know, and says why', async () => {
    await context.store.close()
    const text = await context.level.get('mdatabase')
    const told = { 99: /newer version of Potoroo/, 0: /damaged/, '"two"': /damaged/ }
    for (const [version, reason] of Object.entries(told)) {
      await context.level.put('mdatabase', JSON.stringify({ ...JSON.parse(text), version: JSON.parse(version) }))
      await assert.rejects(DocumentStore.open(context.level), { code: 'INTERNAL', reason })
    }
    await context.level.put('mdatabase', '{')
    await assert.rejects(DocumentStore.open(context.level), { code: 'INTERNAL', reason: /damaged/ })
    await context.level.put('mdatabase', text)
    await context.openStore()
  })

  it('keeps databases with different prefixes apart', async () => {
    const one = await DocumentStore.open(context.level, { prefix: 'one/' })
    const two = await DocumentStore.open(context.level, { prefix: 'two/' })
    await one.write(numbered(5))
    await two.put({ _id: 'doc0001', two: true })
    assert.equal((await one.get('doc0001')).body, '{"number":1}')
    await one.destroy()
    assert.equal((await two.get('doc0001')).body, '{"two":true}')
    assert.deepEqual(await context.level.keys({ gte: 'one/', lt: 'one0' }).all(), [])
    await two.close()
  })

  it('opens one database once at a time', async () => {
    assert.equal(await codeOf(DocumentStore.open(context.level)), 'INTERNAL')
  })
})
