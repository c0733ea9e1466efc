'use strict'

const assert = require('node:assert/strict')
const { codeOf } = require('../pages')

module.exports = (context) => describe('a write of all or nothing', () => {
  const write = (docs, options) => context.store.write(docs, { ...options, allOrNothing: true })

  it('writes all where none is refused', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a' })
    const results = await write([{ _id: 'a', _rev: rev, n: 2 }, { _id: 'b' }, { _id: '_local/c' }])
    assert.deepEqual(results.map(({ ok, id }) => [ok, id]), [[true, 'a'], [true, 'b'], [true, '_local/c']])
    assert.equal((await store.get('a')).body, '{"n":2}')
  })

  it('writes none where one is refused, and says which', async () => {
    const { store } = context
    await store.put({ _id: 'b' })
    const seq = store.updateSeq
    const results = await write([{ _id: 'a' }, { _id: 'b', again: true }, { _id: '_local/c' }])
    assert.deepEqual(results.map(({ code, id }) => [code, id]), [['NOT_ALL', 'a'], ['CONFLICT', 'b'], ['NOT_ALL', '_local/c']])
    assert.equal(await codeOf(store.get('a')), 'MISSING')
    assert.equal(await codeOf(store.getLocal('_local/c')), 'MISSING')
    assert.equal((await store.get('b')).body, '{}')
    assert.equal(store.updateSeq, seq)
  })

  it('counts a malformed document, and two edits of one revision', async () => {
    const { store } = context
    assert.deepEqual((await write([{ _id: 'a' }, { _id: '_b' }])).map(({ code }) => code), ['NOT_ALL', 'ILLEGAL_DOCID'])
    const { rev } = await store.put({ _id: 'a' })
    assert.deepEqual((await write([{ _id: 'a', _rev: rev, n: 1 }, { _id: 'a', _rev: rev, n: 2 }])).map(({ code }) => code), ['NOT_ALL', 'CONFLICT'])
    assert.equal((await store.get('a')).body, '{}')
  })

  it('keeps no content of a refused one, streamed or not', async () => {
    const { store } = context
    await store.put({ _id: 'b' })
    const streamed = { async * [Symbol.asyncIterator] () { yield Buffer.alloc(300000, 7) } }
    const results = await write([
      { _id: 'a', _attachments: { f: { data: 'b25l' } } },
      { _id: 'c', _attachments: { f: { data: streamed } } },
      { _id: 'b' }
    ])
    assert.deepEqual(results.map(({ code }) => code), ['NOT_ALL', 'NOT_ALL', 'CONFLICT'])
    for (const [gte, lt] of [['a', 'd'], ['u', 'v']]) assert.deepEqual(await context.level.keys({ gte, lt }).all(), [])
  })

  it('does not take the writers beside it along', async () => {
    const { store } = context
    await store.put({ _id: 'x' })
    const [before, refused, after] = await Promise.all([
      store.put({ _id: 'before' }),
      write([{ _id: 'a' }, { _id: 'x' }]),
      store.put({ _id: 'after' })
    ])
    assert.equal(before.ok && after.ok, true)
    assert.deepEqual(refused.map(({ code }) => code), ['NOT_ALL', 'CONFLICT'])
    assert.equal(store.updateSeq, 3)
    assert.equal((await store.info()).docCount, 3)
  })
})
