'use strict'

const assert = require('node:assert/strict')
const { toJson, toObject } = require('@potoroo/document-store')
const { branches, codeOf, collect, countRounds, numbered } = require('../pages')

module.exports = (context) => describe('reading', () => {
  it('says what is missing and what is deleted', async () => {
    const { store } = context
    assert.equal(await codeOf(store.get('nothing')), 'MISSING')
    assert.equal(await codeOf(store.get('_nothing')), 'MISSING')
    assert.equal(await codeOf(store.get(7)), 'INVALID_ID')
    const { rev } = await store.put({ _id: 'a', _deleted: true })
    const error = await store.get('a').catch((error) => error)
    assert.deepEqual([error.code, error.status, error.reason, error.rev], ['DELETED', 404, 'deleted', rev])
    assert.equal(await codeOf(store.get('a', { rev: '1-other' })), 'MISSING')
    assert.equal(await codeOf(store.get('a', { rev: 'nonsense' })), 'INVALID_REV')
  })

  it('lets timers run in between, where there is much to read', async () => {
    const { store } = context
    await store.write(numbered(3000))
    const { rows } = await store.allDocs({ includeDocs: true })
    assert.ok(await countRounds(() => collect(rows)) > 1)
    assert.ok(await countRounds(() => collect(store.changes())) > 1)
  })

  it('reads superseded revisions until they are compacted', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a', n: 1 })
    const second = await store.put({ _id: 'a', _rev: first.rev, n: 2 })
    assert.equal((await store.get('a', { rev: first.rev })).body, '{"n":1}')
    assert.equal((await store.get('a', { rev: first.rev, latest: true })).rev, second.rev)
    const { revsInfo } = await store.get('a', { revsInfo: true })
    assert.deepEqual(revsInfo, [{ rev: second.rev, status: 'available' }, { rev: first.rev, status: 'available' }])
    await store.compact()
    assert.equal(await codeOf(store.get('a', { rev: first.rev })), 'MISSING')
    assert.equal((await store.get('a', { revsInfo: true })).revsInfo[1].status, 'missing')
  })

  it('says all that the tree knows', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b 3-c', '1-a 2-x', '1-a 2-y 3-z!', '1-a 2-w'), { newEdits: false })
    const document = await store.get('a', { revs: true, conflicts: true, deletedConflicts: true, localSeq: true })
    assert.equal(document.rev, '3-c')
    assert.deepEqual(document.revisions, { start: 3, ids: ['c', 'b', 'a'] })
    assert.deepEqual(document.conflicts, ['2-x', '2-w'])
    assert.deepEqual(document.deletedConflicts, ['3-z'])
    assert.equal(document.localSeq, store.updateSeq)
    const loser = await store.get('a', { rev: '2-x', revs: true })
    assert.deepEqual([loser.body, loser.revisions.ids], ['{"from":"2-x"}', ['x', 'a']])
    assert.equal('conflicts' in loser && loser.conflicts !== undefined, false)
  })

  it('opens all leaves, the winner first', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c', '1-a 2-d!'), { newEdits: false })
    const leaves = await store.openRevs('a', 'all')
    assert.deepEqual(leaves.map(({ ok }) => [ok.rev, ok.deleted, ok.body]), [
      ['2-c', false, '{"from":"2-c"}'], ['2-b', false, '{"from":"2-b"}'], ['2-d', true, '{"from":"2-d"}']
    ])
    assert.deepEqual(await store.openRevs('nothing', 'all'), [])
  })

  it('opens revisions in the order they were asked for', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c'), { newEdits: false })
    const answers = await store.openRevs('a', ['2-b', '9-x', '1-a', '2-c'])
    assert.deepEqual(answers.map(({ ok, missing }) => ok?.rev ?? `no ${missing}`), ['2-b', 'no 9-x', 'no 1-a', '2-c'])
    const latest = await store.openRevs('a', ['1-a', '9-x', '2-b'], { latest: true })
    assert.deepEqual(latest.map(({ ok, missing }) => ok?.rev ?? `no ${missing}`), ['2-c', '2-b', 'no 9-x'])
    assert.deepEqual(await store.openRevs('nothing', ['1-a']), [{ missing: '1-a' }])
  })

  it('answers many requests, each in its place', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c'), { newEdits: false })
    await store.write([{ _id: 'b' }, { _id: 'gone', _deleted: true }])
    const answers = await store.bulkGet([{ id: 'a' }, { id: 'a', rev: '2-b' }, { id: 'a', rev: '9-x' }, { id: 'gone' }, { id: 'no' }, { id: 'b' }], { revs: true })
    assert.deepEqual(answers.map(({ ok, error }) => ok?.rev.slice(0, 3) ?? error.code), ['2-c', '2-b', 'MISSING', 'DELETED', 'MISSING', answers[5].ok.rev.slice(0, 3)])
    assert.equal(answers[2].rev, '9-x')
    assert.deepEqual(answers[1].ok.revisions, { start: 2, ids: ['b', 'a'] })
  })

  it('shows the tree as pouchdb-merge does', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-c', '1-a 2-b!', '4-q'), { newEdits: false })
    const available = { status: 'available' }
    assert.deepEqual(await store.getRevisionTree('a'), [
      { pos: 1, ids: ['a', { status: 'missing' }, [['b', { ...available, deleted: true }, []], ['c', available, []]]] },
      { pos: 4, ids: ['q', available, []] }
    ])
    assert.equal(await codeOf(store.getRevisionTree('nothing')), 'MISSING')
  })

  it('makes CouchDB\'s JSON form, as an object and as the same text', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c', '1-a 2-d!'), { newEdits: false })
    await store.put({ _id: 'é"\n', _attachments: { f: { content_type: 'text/plain', data: 'aGk=' } }, x: [1] })
    await store.put({ _id: 'empty' })
    const all = { revs: true, revsInfo: true, conflicts: true, deletedConflicts: true, localSeq: true, attachments: true }
    for (const [id, options] of [['a', {}], ['a', all], ['a', { rev: '2-d' }], ['é"\n', {}], ['é"\n', all], ['empty', {}]]) {
      const document = await store.get(id, options)
      assert.deepEqual(JSON.parse(toJson(document)), toObject(document))
    }
    assert.deepEqual(toObject(await store.get('a', { rev: '2-d' })), { _id: 'a', _rev: '2-d', _deleted: true, from: '2-d' })
    assert.deepEqual(toObject(await store.get('é"\n', { attachments: true }))._attachments, {
      f: { content_type: 'text/plain', revpos: 1, digest: 'md5-SfaKXIST7CwL9ImCHCH8Ow==', data: 'aGk=' }
    })
    assert.deepEqual(toObject(await store.get('é"\n'))._attachments, {
      f: { content_type: 'text/plain', revpos: 1, digest: 'md5-SfaKXIST7CwL9ImCHCH8Ow==', length: 2, stub: true }
    })
  })

  it('says which revisions are not here', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c 3-d'), { newEdits: false })
    assert.deepEqual(await store.revsDiff({ a: ['1-a', '2-b', '3-d'], b: [] }), {})
    assert.deepEqual(await store.revsDiff({ a: ['2-x', '3-d', '4-y', '2-x'], new: ['1-q'], _x: ['1-a'] }), {
      a: { missing: ['2-x', '4-y'], possible_ancestors: ['3-d', '2-b'] },
      new: { missing: ['1-q'] },
      _x: { missing: ['1-a'] }
    })
    const odd = JSON.parse('{"__proto__":["1-a"],"constructor":["1-a"]}')
    assert.equal(JSON.stringify(await store.revsDiff(odd)), '{"__proto__":{"missing":["1-a"]},"constructor":{"missing":["1-a"]}}')
    assert.deepEqual(await store.revsDiff({ a: ['2-x'] }), { a: { missing: ['2-x'] } })
  })
})
