'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { codeOf, collect, numbered } = require('../pages')

module.exports = (context) => describe('closing', () => {
  it('finishes the writes that were let in', async () => {
    const { store } = context
    const writes = numbered(50).map((doc) => store.put(doc))
    await store.close()
    assert.ok((await Promise.all(writes)).every(({ ok }) => ok))
    assert.equal((await (await context.openStore()).info()).docCount, 50)
  })

  it('refuses everything afterwards', async () => {
    const { store } = context
    await store.close()
    await store.close()
    assert.equal(store.closed, true)
    const operations = [
      store.put({ _id: 'a' }), store.get('a'), store.openRevs('a', 'all'), store.bulkGet([{ id: 'a' }]), store.allDocs(), store.info(),
      collect(store.changes()), collect(store.follow()), store.revsDiff({ a: ['1-a'] }), store.getRevisionTree('a'),
      store.getLocal('_local/a'), store.putLocal({ _id: '_local/a' }), store.removeLocal({ _id: '_local/a' }), store.allLocal(),
      store.getAttachment('a', 'f'), store.putAttachment('a', 'f', { contentType: 'x/y', data: Buffer.alloc(1) }),
      store.removeAttachment('a', 'f', { rev: '1-a' }), store.compact(), store.compactDocument('a', ['1-a']),
      store.getMeta('x'), store.setMeta('x', 1), store.setRevsLimit(5), store.destroy(), store.write([])
    ]
    assert.deepEqual(await Promise.all(operations.map(codeOf)), operations.map(() => 'CLOSED'))
  })

  it('ends readers in the middle', async () => {
    const { store } = context
    await store.write(numbered(600, { _attachments: { f: { data: '' } } }))
    await store.put({ _id: 'big', _attachments: { f: { data: Buffer.alloc(600000) } } })
    const readers = [(await store.allDocs()).rows, (await store.allDocs({ keys: numbered(600).map(({ _id }) => _id) })).rows, store.changes(), (await store.getAttachment('big', 'f')).stream()]
      .map((reader) => reader[Symbol.asyncIterator]())
    for (const reader of readers) assert.equal((await reader.next()).done, false)
    await store.close()
    for (const reader of readers) assert.equal(await codeOf(reader.next()), 'CLOSED')
  })

  it('says so', async () => {
    const closed = once(context.store, 'close')
    await context.store.close()
    await closed
  })

  it('by destroying deletes everything', async () => {
    const { store } = context
    await store.write(numbered(5))
    const events = []
    store.on('close', () => events.push('close'))
    store.on('destroy', () => events.push('destroy'))
    await store.destroy()
    assert.deepEqual(events, ['close', 'destroy'])
    assert.deepEqual(await context.level.keys().all(), [])
    assert.equal(await codeOf(store.get('a')), 'CLOSED')
    const next = await context.openStore()
    assert.notEqual(next.instanceId, store.instanceId)
    assert.equal(next.updateSeq, 0)
  })

  it('survives a listener that throws', async () => {
    const { store } = context
    const uncaught = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    const thrown = once(process, 'uncaughtException')
    store.once('commit', () => { throw new Error('listener') })
    await store.put({ _id: 'a' })
    assert.equal((await thrown)[0].message, 'listener')
    for (const listener of uncaught) process.on('uncaughtException', listener)
    await store.put({ _id: 'b' })
  })
})
