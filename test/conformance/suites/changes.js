'use strict'

const assert = require('node:assert/strict')
const { branches, collect, numbered } = require('../pages')

module.exports = (context) => describe('changes', () => {
  it('lists each document once, at its last change', async () => {
    const { store } = context
    const [a] = await store.write([{ _id: 'a' }, { _id: 'b' }, { _id: '_local/x' }])
    const { rev } = await store.put({ _id: 'a', _rev: a.rev, n: 2 })
    const b = (await store.get('b')).rev
    assert.deepEqual(await collect(store.changes()), [
      { seq: 2, id: 'b', changes: [{ rev: b }], deleted: false },
      { seq: 3, id: 'a', changes: [{ rev }], deleted: false }
    ])
  })

  it('tells deletions and, in style all_docs, all leaves', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c', '1-a 2-d!'), { newEdits: false })
    await store.put({ _id: 'gone', _deleted: true })
    const [a, gone] = await collect(store.changes({ style: 'all_docs' }))
    assert.deepEqual(a.changes.map(({ rev }) => rev), ['2-c', '2-b', '2-d'])
    assert.deepEqual([a.deleted, gone.deleted], [false, true])
    assert.deepEqual((await collect(store.changes()))[0].changes, [{ rev: '2-c' }])
  })

  it('goes on from a sequence, and says where it is and what is left', async () => {
    const { store } = context
    await store.write(numbered(700))
    const first = store.changes({ limit: 300 })
    assert.equal((await collect(first)).length, 300)
    assert.deepEqual([first.lastSeq, first.pending], [300, 400])
    const second = store.changes({ since: first.lastSeq, limit: 300 })
    assert.equal((await collect(second))[0].seq, 301)
    assert.deepEqual([second.lastSeq, second.pending], [600, 100])
    const rest = store.changes({ since: second.lastSeq })
    assert.equal((await collect(rest)).length, 100)
    assert.deepEqual([rest.lastSeq, rest.pending], [700, 0])
    const none = store.changes({ since: 700 })
    assert.deepEqual(await collect(none), [])
    assert.deepEqual([none.lastSeq, none.pending], [700, 0])
  })

  it('keeps its count of what is left while documents change', async () => {
    const { store } = context
    const results = await store.write(numbered(20))
    const reader = store.changes({ limit: 10 })
    await collect(reader)
    await store.put({ _id: results[2].id, _rev: results[2].rev })
    await store.put({ _id: 'new' })
    const next = store.changes({ since: reader.lastSeq, limit: 5 })
    await collect(next)
    assert.equal(next.pending, 7)
    const cold = store.changes({ since: 7, limit: 1 })
    await collect(cold)
    assert.equal(cold.pending, 14)
  })

  it('does not count what is left where nobody wants to know', async () => {
    const { store } = context
    await store.write(numbered(20))
    const reader = store.changes({ since: 5, limit: 10, pending: false })
    assert.equal((await collect(reader)).length, 10)
    assert.deepEqual([reader.lastSeq, reader.pending], [15, 0])
  })

  it('reads backwards', async () => {
    const { store } = context
    await store.write(numbered(5))
    const reader = store.changes({ descending: true, limit: 2 })
    assert.deepEqual((await collect(reader)).map(({ seq }) => seq), [5, 4])
    assert.equal((await collect(store.changes({ descending: true }))).length, 5)
  })

  it('brings documents along, deleted ones too', async () => {
    const { store } = context
    await store.write([{ _id: 'a', x: 1 }, { _id: 'b', _deleted: true, why: 1 }])
    const [a, b] = await collect(store.changes({ includeDocs: true, revs: true }))
    assert.deepEqual([a.document.body, a.document.revisions.start], ['{"x":1}', 1])
    assert.deepEqual([b.document.body, b.document.deleted], ['{"why":1}', true])
  })

  it('picks documents by id, few or many', async () => {
    const { store } = context
    await store.write(numbered(1500))
    const few = store.changes({ docIds: ['doc0700', 'doc0003', 'nothing', 'doc0003'] })
    assert.deepEqual((await collect(few)).map(({ id }) => id), ['doc0003', 'doc0700'])
    assert.deepEqual([few.lastSeq, few.pending], [1500, 0])
    assert.deepEqual((await collect(store.changes({ docIds: ['doc0700', 'doc0003'], since: 100 }))).map(({ id }) => id), ['doc0700'])
    assert.deepEqual((await collect(store.changes({ docIds: ['doc0700', 'doc0003'], descending: true, limit: 1 }))).map(({ id }) => id), ['doc0700'])
    const many = numbered(1200).map(({ _id }) => _id)
    assert.equal((await collect(store.changes({ docIds: many }))).length, 1200)
    const part = store.changes({ docIds: many, limit: 1199 })
    assert.equal((await collect(part)).length, 1199)
    assert.equal(part.lastSeq, 1199)
  })

  it('filters a page at a time, with documents', async () => {
    const { store } = context
    await store.write(numbered(600))
    const even = (changes) => changes.map(({ document }) => JSON.parse(document.body).number % 2 === 0)
    const reader = store.changes({ filter: even })
    const rows = await collect(reader)
    assert.equal(rows.length, 300)
    assert.equal('document' in rows[0], false)
    assert.equal(reader.lastSeq, 600)
    const limited = store.changes({ filter: async (changes) => even(changes), limit: 10, includeDocs: true })
    const ten = await collect(limited)
    assert.deepEqual([ten.length, ten[9].id, ten[9].document.id, limited.lastSeq], [10, 'doc0018', 'doc0018', 19])
    const nothing = store.changes({ filter: (changes) => changes.map(() => false) })
    assert.deepEqual(await collect(nothing), [])
    assert.equal(nothing.lastSeq, 600)
  })

  it('reads one snapshot, whatever is written meanwhile', async () => {
    const { store } = context
    const results = await store.write(numbered(600))
    const seen = []
    for await (const page of store.changes({ includeDocs: true })) {
      if (seen.length === 0) await store.write(results.map(({ id, rev }) => ({ _id: id, _rev: rev, rewritten: true })))
      seen.push(...page)
    }
    assert.equal(seen.length, 600)
    assert.ok(seen.every(({ document }) => document.rev.startsWith('1-')))
  })

  it('brings large documents a few at a time', async () => {
    const { store } = context
    for (let i = 0; i < 50; i++) await store.put({ _id: `d${i}`, text: 'x'.repeat(500000) })
    const filter = (changes) => changes.map(({ id }) => id !== 'd3')
    for (const options of [{}, { filter }, { descending: true }, { docIds: Array.from({ length: 50 }, (_, i) => `d${i}`) }]) {
      const rows = []
      for await (const page of store.changes({ includeDocs: true, ...options })) {
        assert.ok(page.length <= (rows.length === 0 ? 16 : 5), `${page.length} at once`)
        rows.push(...page)
      }
      assert.equal(rows.length, options.filter ? 49 : 50)
      assert.ok(rows.every(({ document }) => document.body.length > 500000))
    }
    const changes = store.changes({ includeDocs: true, limit: 20, since: 5 })
    assert.deepEqual((await collect(changes)).map(({ seq }) => seq), Array.from({ length: 20 }, (_, i) => i + 6))
    assert.deepEqual([changes.lastSeq, changes.pending], [25, 25])
  })
})
