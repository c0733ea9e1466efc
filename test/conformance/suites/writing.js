'use strict'

const assert = require('node:assert/strict')
const { createError } = require('@potoroo/errors')
const { codeOf, collect, numbered } = require('../pages')

module.exports = (context) => describe('writing', () => {
  it('keeps as many revisions, and makes such revisions, as a write asks for', async () => {
    const { store } = context
    const edit = async (id, options) => {
      let rev
      for (let n = 0; n < 4; n++) rev = (await store.put({ _id: id, _rev: rev, n }, options)).rev
      return (await store.get(id, { revs: true })).revisions.ids
    }
    assert.equal((await edit('a', { revsLimit: 2 })).length, 2)
    const ids = await edit('b')
    assert.equal(ids.length, 4)
    assert.deepEqual(await edit('c'), ids)
    assert.notDeepEqual(await edit('d', { deterministicRevs: false }), ids)
    assert.equal(await codeOf(store.put({ _id: 'e' }, { revsLimit: 0 })), 'BAD_REQUEST')
  })

  it('gives a new document a first revision, and reads it back', async () => {
    const { store } = context
    const result = await store.put({ _id: 'a', title: 'é\u{1F98A}', deep: { list: [1, null, false] } })
    assert.equal(result.ok, true)
    assert.equal(result.id, 'a')
    assert.match(result.rev, /^1-[0-9a-f]{32}$/)
    const document = await store.get('a')
    assert.equal(document.rev, result.rev)
    assert.equal(document.deleted, false)
    assert.equal(document.attachments, null)
    assert.deepEqual(JSON.parse(document.body), { title: 'é\u{1F98A}', deep: { list: [1, null, false] } })
  })

  it('makes an id where there is none', async () => {
    const { id } = await context.store.put({ a: 1 })
    assert.match(id, /^[0-9a-f]{32}$/)
    assert.equal((await context.store.get(id)).body, '{"a":1}')
  })

  it('makes ids that ascend', async () => {
    const { store } = context
    const first = await store.write(Array.from({ length: 100 }, () => ({})))
    const second = await store.put({})
    const ids = [...first, second].map(({ id }) => id)
    assert.deepEqual(ids, [...new Set(ids)].sort())
  })

  it('keeps the members of a document without an underscore, wherever they stand', async () => {
    const { store } = context
    class Point {
      x = 1
      toJSON () { return { _id: 'p', other: 'than its members' } }
    }
    const bodies = [
      [{ _id: 'a"\\é' }, '{}'],
      [{ _id: 'b', _rev: undefined, _deleted: false, n: 1 }, '{"n":1}'],
      [{ n: 1, _id: 'c', m: '_id":' }, '{"n":1,"m":"_id\\":"}'],
      [{ _id: 'd', 1: 'x', n: undefined, f () {} }, '{"1":"x"}'],
      [{ _id: 'e', n: undefined }, '{}'],
      [{ _id: 'f', __proto__: { inherited: 1 }, n: 1 }, '{"n":1}'],
      [Object.assign(new Point(), { _id: 'g' }), '{"x":1}'],
      // eslint-disable-next-line no-new-wrappers
      [Object.assign(new String('h'), { _id: 'h' }), '{"0":"h"}']
    ]
    const results = await store.write(bodies.map(([doc]) => doc))
    for (const [i, [, body]] of bodies.entries()) assert.equal((await store.get(results[i].id)).body, body)
  })

  it('updates the revision that is named, and no other', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a' })
    const second = await store.put({ _id: 'a', _rev: first.rev, n: 2 })
    assert.match(second.rev, /^2-/)
    assert.equal(await codeOf(store.put({ _id: 'a', _rev: first.rev, n: 3 })), 'CONFLICT')
    assert.equal(await codeOf(store.put({ _id: 'a', n: 3 })), 'CONFLICT')
    assert.equal(await codeOf(store.put({ _id: 'a', _rev: '2-unknown' })), 'CONFLICT')
    assert.equal(await codeOf(store.put({ _id: 'new', _rev: first.rev })), 'CONFLICT')
    assert.equal((await store.get('a')).rev, second.rev)
  })

  it('gives equal edits of equal parents equal revisions', async () => {
    const other = await context.store.put({ _id: 'b', x: 1 })
    assert.equal((await context.store.put({ _id: 'c', x: 1 })).rev, other.rev)
    assert.notEqual((await context.store.put({ _id: 'd', x: 2 })).rev, other.rev)
  })

  it('gives equal edits different revisions where that was asked for', async () => {
    await context.store.close()
    const store = await context.openStore({ deterministicRevs: false })
    const [a, b] = await store.write([{ _id: 'b', x: 1 }, { _id: 'c', x: 1 }])
    assert.notEqual(a.rev, b.rev)
  })

  it('deletes, and creates again on top of the deleted revision', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a', n: 1 })
    const gone = await store.put({ _id: 'a', _rev: first.rev, _deleted: true, why: 'tombstones have bodies' })
    assert.equal(await codeOf(store.get('a')), 'DELETED')
    const tombstone = await store.get('a', { rev: gone.rev })
    assert.deepEqual([tombstone.deleted, tombstone.body], [true, '{"why":"tombstones have bodies"}'])
    assert.equal(await codeOf(store.put({ _id: 'a', _deleted: true })), 'CONFLICT')
    const again = await store.put({ _id: 'a', n: 3 })
    assert.match(again.rev, /^3-/)
    const { revisions } = await store.get('a', { revs: true })
    assert.deepEqual(revisions.ids, [again, gone, first].map(({ rev }) => rev.slice(2)))
    const { docCount, docDelCount, updateSeq } = await store.info()
    assert.deepEqual([docCount, docDelCount, updateSeq], [1, 0, 3])
  })

  it('edits a deleted revision that is named', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a', _deleted: true })
    assert.match((await store.put({ _id: 'a', _rev: rev, back: true })).rev, /^2-/)
    assert.equal((await store.get('a')).body, '{"back":true}')
  })

  it('answers each document of a batch in its place', async () => {
    const { store } = context
    await store.put({ _id: 'taken' })
    const results = await store.write([{ _id: 'a' }, { _id: 'taken' }, { _id: '_bad' }, 7, { _id: 'b', _x: 1 }, { _id: 'c' }])
    assert.deepEqual(results.map((result) => result.code ?? result.id), ['a', 'CONFLICT', 'ILLEGAL_DOCID', 'NOT_AN_OBJECT', 'DOC_VALIDATION', 'c'])
    assert.equal(results[1].id, 'taken')
    assert.equal((await store.info()).docCount, 3)
  })

  it('lets the second of two edits in a batch conflict, unless it names the first', async () => {
    const { store } = context
    const [first, second] = await store.write([{ _id: 'a', n: 1 }, { _id: 'a', n: 2 }])
    assert.equal(first.ok, true)
    assert.equal(second.code, 'CONFLICT')
    const hash = first.rev
    const edits = await store.write([{ _id: 'b', n: 1 }, { _id: 'b', _rev: hash, n: 2 }])
    assert.match(edits[1].rev, /^2-/)
    assert.equal((await store.get('b', { rev: hash })).body, '{"n":1}')
    assert.equal((await store.get('b')).body, '{"n":2}')
  })

  it('serves many writers at once, each its own result', async () => {
    const { store } = context
    const results = await Promise.all(numbered(200).map((doc) => store.put(doc)))
    assert.deepEqual(results.map(({ id }) => id), numbered(200).map(({ _id }) => _id))
    const race = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => store.put({ _id: 'race', i })))
    assert.equal(race.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.ok(race.filter(({ status }) => status === 'rejected').every(({ reason }) => reason.code === 'CONFLICT'))
    assert.equal((await store.info()).docCount, 201)
    assert.equal((await collect(store.changes())).length, 201)
  })

  it('cuts histories at revs_limit', async () => {
    const { store } = context
    await store.setRevsLimit(3)
    let rev
    for (let i = 0; i < 6; i++) rev = (await store.put({ _id: 'a', _rev: rev, i })).rev
    const { revisions } = await store.get('a', { revs: true })
    assert.deepEqual([revisions.start, revisions.ids.length], [6, 3])
    assert.equal((await store.get('a')).body, '{"i":5}')
    await store.setRevsLimit(2)
    assert.deepEqual((await store.get('a', { revs: true })).revisions, { start: 6, ids: revisions.ids.slice(0, 2) })
  })

  it('refuses a revs_limit that is none', async () => {
    for (const limit of [0, -1, 1.5, 'x', null]) {
      assert.equal(await codeOf(context.store.setRevsLimit(limit)), 'BAD_REQUEST')
    }
  })

  it('counts documents, deletions and bytes', async () => {
    const { store } = context
    await store.write(numbered(10))
    const { rev } = await store.put({ _id: 'gone' })
    await store.put({ _id: 'gone', _rev: rev, _deleted: true })
    const info = await store.info()
    assert.deepEqual([info.docCount, info.docDelCount, info.updateSeq], [10, 1, 12])
    assert.match(info.instanceId, /^[0-9a-f]{32}$/)
    assert.ok(info.sizes.external >= 100 && info.sizes.active > info.sizes.external && info.sizes.file >= info.sizes.active)
    assert.equal(info.compactRunning, false)
  })

  it('keeps values of the database itself', async () => {
    const { store } = context
    assert.equal(await store.getMeta('security'), undefined)
    await store.setMeta('security', { admins: { names: ['bob'] } })
    assert.deepEqual(await store.getMeta('security'), { admins: { names: ['bob'] } })
    await store.setMeta('security', undefined)
    assert.equal(await store.getMeta('security'), undefined)
    assert.equal(store.updateSeq, 0)
  })

  it('takes a refusal in the place of a document', async () => {
    const { store } = context
    const refusal = createError('FORBIDDEN', { reason: 'no' })
    const results = await store.write([{ _id: 'a' }, refusal, { _id: 'b' }], { strict: true })
    assert.deepEqual(results.map((result) => result.ok ?? result.code), [true, 'FORBIDDEN', true])
    assert.equal(results[1], refusal)
    assert.deepEqual((await store.write([{ _id: 'c' }, refusal], { allOrNothing: true })).map(({ code }) => code), ['NOT_ALL', 'FORBIDDEN'])
    await assert.rejects(store.write([{ _id: 'd' }, new TypeError('a fault')]), TypeError)
    assert.equal((await store.info()).docCount, 2)
  })
})
