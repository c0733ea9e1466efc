'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { numbered } = require('../pages')

/** Reads a feed until it has that many rows. */
async function take (feed, count) {
  const rows = []
  for await (const page of feed) {
    rows.push(...page)
    if (rows.length >= count) return rows
  }
  return rows
}

module.exports = (context) => describe('following changes', () => {
  it('reads what is there, then hears what comes', async () => {
    const { store } = context
    await store.write(numbered(3))
    const feed = store.follow({ since: 1 })
    const pages = feed[Symbol.asyncIterator]()
    assert.deepEqual((await pages.next()).value.map(({ seq }) => seq), [2, 3])
    const next = pages.next()
    const { rev } = await store.put({ _id: 'new', x: 1 })
    assert.deepEqual((await next).value, [{ seq: 4, id: 'new', changes: [{ rev }], deleted: false }])
    assert.deepEqual([feed.lastSeq, feed.pending], [4, 0])
    await pages.return()
  })

  it('misses nothing and repeats nothing under concurrent writes', async () => {
    const { store } = context
    const reading = take(store.follow(), 500)
    const writing = (async () => {
      for (let i = 0; i < 50; i++) await store.write(Array.from({ length: 10 }, (_, j) => ({ _id: `${i}-${j}` })))
    })()
    const rows = await reading
    await writing
    assert.deepEqual(rows.map(({ seq }) => seq), Array.from({ length: 500 }, (_, i) => i + 1))
  })

  it('goes back to the store when a reader is slow', async () => {
    const { store } = context
    const pages = store.follow()[Symbol.asyncIterator]()
    const first = pages.next()
    await store.put({ _id: 'first' })
    const rows = [...(await first).value]
    for (let i = 0; i < 30; i++) await store.write(Array.from({ length: 100 }, (_, j) => ({ _id: `${i}-${j}` })))
    while (rows.length < 3001) rows.push(...(await pages.next()).value)
    assert.deepEqual(rows.map(({ seq }) => seq), Array.from({ length: 3001 }, (_, i) => i + 1))
    await pages.return()
  })

  it('goes back to it also when a few documents are large', async () => {
    const { store } = context
    const pages = store.follow({ includeDocs: true })[Symbol.asyncIterator]()
    const first = pages.next()
    await store.put({ _id: 'first' })
    const rows = [...(await first).value]
    for (let i = 0; i < 12; i++) await store.put({ _id: String(i), text: 'x'.repeat(1e6) })
    while (rows.length < 13) rows.push(...(await pages.next()).value)
    assert.deepEqual(rows.map(({ seq }) => seq), Array.from({ length: 13 }, (_, i) => i + 1))
    assert.ok(rows.slice(1).every(({ document }) => document.body.length > 1e6))
    await pages.return()
  })

  it('says with an empty page that the sequence moved on', async () => {
    const { store } = context
    const feed = store.follow({ docIds: ['wanted'] })
    const pages = feed[Symbol.asyncIterator]()
    const quiet = pages.next()
    await store.put({ _id: 'other' })
    assert.deepEqual((await quiet).value, [])
    assert.equal(feed.lastSeq, 1)
    const next = pages.next()
    await store.put({ _id: 'wanted' })
    assert.equal((await next).value[0].id, 'wanted')
    await pages.return()
  })

  it('filters, brings documents and attachments along, and ends at its limit', async () => {
    const { store } = context
    const rows = take(store.follow({ filter: (changes) => changes.map(({ id }) => id !== 'b'), includeDocs: true, attachments: true, conflicts: true, limit: 2 }), Infinity)
    for (const _id of ['a', 'b', 'c', 'd']) await store.put({ _id, _attachments: { f: { data: 'aGk=' } } })
    const seen = await rows
    assert.deepEqual(seen.map(({ id, document }) => [id, document.attachments.f.data.toString()]), [['a', 'hi'], ['c', 'hi']])
  })

  it('lists all leaves in style all_docs', async () => {
    const { store } = context
    const pages = store.follow({ style: 'all_docs' })[Symbol.asyncIterator]()
    const next = pages.next()
    await store.write([{ _id: 'a', _rev: '1-a' }, { _id: 'a', _rev: '1-b' }], { newEdits: false })
    assert.deepEqual((await next).value[0].changes, [{ rev: '1-b' }, { rev: '1-a' }])
    await pages.return()
  })

  it('serves a thousand followers', async () => {
    const { store } = context
    const all = Array.from({ length: 1000 }, () => take(store.follow(), 20))
    for (let i = 0; i < 20; i++) await store.put({ _id: String(i) })
    for (const rows of await Promise.all(all)) assert.equal(rows.length, 20)
  })

  it('ends with its signal', async () => {
    const { store } = context
    const controller = new AbortController()
    const rows = take(store.follow({ signal: controller.signal }), Infinity)
    await store.put({ _id: 'a' })
    controller.abort()
    assert.ok((await rows).length <= 1)
    assert.deepEqual(await take(store.follow({ signal: controller.signal }), Infinity), [])
  })

  it('ends when the store is closed or destroyed', async () => {
    const ending = take(context.store.follow(), Infinity)
    await context.store.put({ _id: 'a' })
    await context.store.close()
    assert.equal((await ending).length <= 1, true)
    const store = await context.openStore()
    const other = take(store.follow(), Infinity)
    await store.destroy()
    assert.ok((await other).length <= 1)
  })

  it('emits each commit with its documents', async () => {
    const { store } = context
    const event = once(store, 'written')
    const [{ rev: a }, { rev: b }] = await store.write([{ _id: 'a', x: 1 }, { _id: 'b', _deleted: true }])
    const [written] = await event
    assert.deepEqual(written.map(({ seq, id, deleted, rev }) => [seq, id, deleted, rev]), [[1, 'a', false, a], [2, 'b', true, b]])
  })
})
