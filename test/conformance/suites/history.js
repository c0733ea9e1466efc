'use strict'

const assert = require('node:assert/strict')
const { check, restore } = require('@potoroo/document-store')
const { codeOf } = require('../pages')

module.exports = (context) => describe('history', () => {
  const bodyAt = async (id, at) => JSON.parse((await context.store.get(id, { at })).body)

  async function edit (id, ...bodies) {
    let rev
    for (const body of bodies) rev = (await context.store.put({ _id: id, _rev: rev, ...body })).rev
    return rev
  }

  async function rowsAt (at, options) {
    const rows = []
    for await (const page of (await context.store.allDocs({ at, includeDocs: true, ...options })).rows) rows.push(...page)
    return rows
  }

  async function assertSound () {
    for await (const problem of check(context.level)) assert.fail(problem)
  }

  it('answers every moment, of each document and of all', async () => {
    const { store } = context
    await store.setRetention({ retain: '1d' })
    const rev = await edit('a', { n: 1 }, { n: 2 })
    await edit('b', { n: 3 })
    await store.put({ _id: 'a', _rev: rev, _deleted: true })
    await edit('c', { n: 5 })
    const expected = [[], [['a', 1]], [['a', 2]], [['a', 2], ['b', 3]], [['b', 3]], [['b', 3], ['c', 5]]]
    for (const [seq, documents] of expected.entries()) {
      assert.deepEqual((await rowsAt(seq)).map(({ id, document }) => [id, JSON.parse(document.body).n]), documents)
      assert.deepEqual((await rowsAt(seq, { descending: true, limit: 1 })).map(({ id }) => id), documents.slice(-1).map(([id]) => id))
      for (const id of ['a', 'b', 'c']) {
        const document = documents.find(([each]) => each === id)
        if (document === undefined) assert.match(await codeOf(store.get(id, { at: seq })), /MISSING|DELETED/)
        else assert.equal((await bodyAt(id, seq)).n, document[1])
      }
    }
    assert.equal(await codeOf(store.get('a', { at: 6 })), 'BAD_REQUEST')
    await assertSound()
  })

  it('tells which of several conflicting revisions won at each moment', async () => {
    const { store } = context
    await store.setRetention({ retain: '1d' })
    const write = (doc) => store.write([{ _id: 'a', ...doc }], { newEdits: false })
    await write({ _rev: '1-b', n: 1 })
    await write({ _rev: '1-c', n: 2 })
    await write({ _rev: '1-a', n: 3 })
    await write({ _rev: '2-x', _revisions: { start: 2, ids: ['x', 'c'] }, _deleted: true })
    await write({ _rev: '2-y', _revisions: { start: 2, ids: ['y', 'a'] }, n: 5 })
    for (const [seq, n] of [[1, 1], [2, 2], [3, 2], [4, 1], [5, 5]]) assert.equal((await bodyAt('a', seq)).n, n, `at ${seq}`)
    await store.compact()
    for (const [seq, n] of [[1, 1], [2, 2], [3, 2], [4, 1], [5, 5]]) assert.equal((await bodyAt('a', seq)).n, n, `at ${seq}`)
    await assertSound()
  })

  it('keeps attachments of earlier versions as long as those', async () => {
    const { store } = context
    await store.setRetention({ versions: 1 })
    const long = Buffer.alloc(300_000, 'long')
    const rev = await edit('a', { n: 1, _attachments: { f: { data: long } } }, { n: 2 })
    await store.compact()
    const document = await store.get('a', { at: 1, attachments: true })
    assert.ok(document.attachments.f.data.equals(long))
    for await (const [{ ok }] of restore(store, 1, ['a'])) assert.equal(ok, true)
    assert.ok((await (await store.getAttachment('a', 'f')).read()).equals(long))
    const { rev: now } = await store.get('a')
    assert.notEqual(now, rev)
    await store.put({ _id: 'a', _rev: now, n: 4 })
    await store.put({ _id: 'b' })
    await store.compact()
    assert.ok((await store.get('a', { at: 3, attachments: true })).attachments.f.data.equals(long))
    await store.setRetention({})
    await store.compact()
    assert.equal((await store.info()).sizes.active < long.length, true)
    await assertSound()
  })

  it('says what is not kept, and forgets no setting', async () => {
    const { store } = context
    assert.equal(store.retention, null)
    await edit('a', { n: 1 }, { n: 2 })
    assert.equal(await codeOf(store.get('a', { at: 2 })), 'NOT_RETAINED')
    await store.setRetention({ versions: 1 })
    const { since, sinceTime } = store.retention
    assert.equal(since, 2)
    assert.equal((await bodyAt('a', 2)).n, 2)
    assert.equal(await codeOf(store.get('a', { at: 1 })), 'NOT_RETAINED')
    assert.equal(await codeOf(rowsAt(1)), 'NOT_RETAINED')
    await store.close()
    await context.openStore()
    assert.deepEqual(context.store.retention, { retain: null, versions: 1, since, sinceTime })
    await context.store.put({ _id: 'a', _rev: (await context.store.get('a')).rev, n: 3 })
    assert.equal((await bodyAt('a', 2)).n, 2)
    await context.store.close()
    if (context.reopen === undefined) return context.openStore()
    await context.reopen()
    await context.openStore()
    assert.equal((await bodyAt('a', 2)).n, 2)
    assert.equal((await bodyAt('a', 3)).n, 3)
  })

  it('reads a moment to its end while others write and compact', async () => {
    const { store } = context
    await store.setRetention({ versions: 1 })
    await store.write(Array.from({ length: 300 }, (_, i) => ({ _id: `d${String(i).padStart(3, '0')}`, n: 1 })))
    const at = store.updateSeq
    const change = async (n) => {
      const docs = []
      for await (const page of (await store.allDocs()).rows) for (const { id, value } of page) docs.push({ _id: id, _rev: value.rev, n })
      await store.write(docs)
    }
    await change(2)
    const seen = []
    for await (const page of (await store.allDocs({ at, includeDocs: true })).rows) {
      if (seen.length === 0) {
        await change(3)
        await store.compact()
      }
      seen.push(...page.map(({ document }) => JSON.parse(document.body).n))
    }
    assert.deepEqual(seen, Array.from({ length: 300 }, () => 1))
    assert.equal(await codeOf(rowsAt(at)), 'NOT_RETAINED')
    await assertSound()
  })

  it('is refused of what is closed', async () => {
    const { store } = context
    await store.setRetention({ versions: 1 })
    await edit('a', { n: 1 }, { n: 2 })
    await store.close()
    for (const call of [store.get('a', { at: 1 }), rowsAt(1), store.setRetention({}), store.history('a').next()]) assert.equal(await codeOf(call), 'CLOSED')
  })
})
