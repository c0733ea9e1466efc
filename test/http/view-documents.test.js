'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')

describe('documents of a view\'s rows', () => {
  const db = new TestDatabase()
  const docs = async query => {
    const { status, body, text } = await db.get(`_design/d/_view/v?include_docs=true&${query ?? ''}`)
    assert.equal(status, 200, text)
    return body.rows.map(({ doc }) => doc)
  }
  const define = map => db.put('_design/d', { views: { v: { map } } })
  const emitKey = 'function (doc) { emit(doc.key === undefined ? doc._id : doc.key, doc.value) }'

  beforeEach(() => define(emitKey))

  it('come as they are now, with their revision', async () => {
    const rev = await db.write('a', { key: 1, text: 'x', deep: { list: [1, null] } })
    assert.deepEqual(await docs(), [{ _id: 'a', _rev: rev, key: 1, text: 'x', deep: { list: [1, null] } }])
    const { body } = await db.get('_design/d/_view/v')
    assert.equal('doc' in body.rows[0], false)
  })

  it('of stale rows may be gone, or newer', async () => {
    const [a, b] = [await db.write('a', {}), await db.write('b', { n: 1 })]
    await docs()
    await db.remove(`a?rev=${a}`)
    await db.put('b', { n: 2, _rev: b })
    const found = await docs('update=false')
    if (found.length === 2) assert.equal(found[0], null)
    assert.equal(found.at(-1).n, 2)
  })

  it('have their conflicts where they are asked for', async () => {
    await db.replicate({ _id: 'a', _rev: `1-${'a'.repeat(32)}` }, { _id: 'a', _rev: `1-${'b'.repeat(32)}` })
    assert.deepEqual(await docs('conflicts=true'), [{ _id: 'a', _rev: `1-${'b'.repeat(32)}`, _conflicts: [`1-${'a'.repeat(32)}`] }])
    assert.equal((await docs('conflicts=false'))[0]._conflicts, undefined)
  })

  it('have their attachments as stubs, or with their content', async () => {
    await db.write('a', { _attachments: { 'x.bin': { content_type: 'application/octet-stream', data: 'YWJj' } } })
    const stub = (await docs())[0]._attachments['x.bin']
    assert.deepEqual([stub.stub, stub.length, stub.data], [true, 3, undefined])
    const whole = (await docs('attachments=true&att_encoding_info=true'))[0]._attachments['x.bin']
    assert.deepEqual([whole.stub, whole.data, whole.digest], [undefined, 'YWJj', stub.digest])
  })

  it('are what values name', async () => {
    const old = await db.write('target', { n: 1 })
    const rev = (await db.put('target', { n: 2, _rev: old })).body.rev
    await db.post('_bulk_docs', {
      docs: [
        { _id: '1', value: { _id: 'target' } }, { _id: '2', value: { _id: 'target', _rev: old } }, { _id: '3', value: { _id: 'nobody' } },
        { _id: '4', value: { _id: null } }, { _id: '5', value: { other: '_id' } }, { _id: '6', value: { _id: 'target', more: 1 } },
        { _id: '7', value: ['_id', 'target'] }, { _id: '8', value: { _id: 'target', _rev: `9-${'f'.repeat(32)}` } }
      ]
    })
    const found = await docs('endkey="8"')
    assert.deepEqual(found.map(doc => doc && doc._id), ['target', 'target', null, null, '5', 'target', '7', null])
    assert.deepEqual(found.slice(0, 2).map(({ _rev, n }) => [_rev, n]), [[rev, 2], [old, 1]])
  })

  it('that values name may be deleted: null, but for the revision that deletes', async () => {
    const rev = await db.write('target')
    const { body: { rev: gone } } = await db.remove(`target?rev=${rev}`)
    await db.post('_bulk_docs', { docs: [{ _id: '1', value: { _id: 'target' } }, { _id: '2', value: { _id: 'target', _rev: gone } }, { _id: '3', value: { _id: 'target', _rev: rev } }] })
    assert.deepEqual(await docs(), [null, { _id: 'target', _rev: gone, _deleted: true }, { _id: 'target', _rev: rev }])
  })

  it('that values name come as they stand, whatever is asked of the others', async () => {
    await db.replicate({ _id: 'target', _rev: `1-${'a'.repeat(32)}` }, { _id: 'target', _rev: `1-${'b'.repeat(32)}`, _attachments: { a: { content_type: 'text/x', data: 'YQ==' } } })
    await db.write('1', { value: { _id: 'target' } })
    const [doc] = await docs('endkey="1"&conflicts=true&attachments=true')
    assert.deepEqual([doc._conflicts, doc._attachments.a.stub], [undefined, true])
  })

  it('of another revision of their own', async () => {
    const old = await db.write('a', { n: 1 })
    await db.put('a', { _rev: old, n: 2, value: { _rev: old } })
    assert.deepEqual((await docs()).map(({ _rev, n }) => [_rev, n]), [[old, 1]])
  })

  it('come with keys, too', async () => {
    for (const key of [1, 2, 3]) await db.write(`k${key}`, { key })
    const { body } = await db.post('_design/d/_view/v', { keys: [3, 9, 1], include_docs: true })
    assert.deepEqual(body.rows.map(({ key, doc }) => [key, doc._id]), [[3, 'k3'], [1, 'k1']])
  })

  it('may be design documents, where the view has them', async () => {
    await db.put('_design/e', { options: { include_design: true }, views: { v: { map: 'function (doc) { emit(doc._id, null) }' } } })
    const { body } = await db.get('_design/e/_view/v?include_docs=true')
    assert.deepEqual(body.rows.map(({ id, doc }) => [id, doc._id]), [['_design/d', '_design/d'], ['_design/e', '_design/e']])
  })

  it('tell map functions their sequence, where the view asks for it', async () => {
    await db.put('_design/e', { options: { local_seq: true }, views: { v: { map: 'function (doc) { emit(doc._local_seq, null) }' } } })
    await db.write('a')
    const { body } = await db.get('_design/e/_view/v')
    assert.deepEqual(body.rows, [{ id: 'a', key: 3, value: null }])
  })
})
