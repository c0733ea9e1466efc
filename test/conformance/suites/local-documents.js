'use strict'

const assert = require('node:assert/strict')
const { codeOf, collect } = require('../pages')

module.exports = (context) => describe('local documents', () => {
  it('counts revisions and refuses stale ones', async () => {
    const { store } = context
    assert.deepEqual(await store.putLocal({ _id: '_local/a', n: 1 }), { ok: true, id: '_local/a', rev: '0-1' })
    assert.equal(await codeOf(store.putLocal({ _id: '_local/a', n: 2 })), 'CONFLICT')
    assert.equal(await codeOf(store.putLocal({ _id: '_local/b', _rev: '0-1' })), 'CONFLICT')
    assert.equal((await store.putLocal({ _id: '_local/a', _rev: '0-1', n: 2 })).rev, '0-2')
    assert.deepEqual(await store.getLocal('_local/a'), { id: '_local/a', rev: '0-2', body: '{"n":2}' })
  })

  it('removes them without a trace', async () => {
    const { store } = context
    await store.putLocal({ _id: '_local/a' })
    assert.equal(await codeOf(store.removeLocal({ _id: '_local/a', _rev: '0-7' })), 'MISSING')
    assert.equal((await store.removeLocal({ _id: '_local/a', _rev: '0-1' })).ok, true)
    assert.equal(await codeOf(store.getLocal('_local/a')), 'MISSING')
    assert.equal(await codeOf(store.removeLocal({ _id: '_local/a' })), 'MISSING')
    assert.equal((await store.putLocal({ _id: '_local/a' })).rev, '0-1')
  })

  it('are written among documents, and seen nowhere else', async () => {
    const { store } = context
    const results = await store.write([{ _id: '_local/a', x: 1 }, { _id: 'b' }, { _id: '_local/a', _rev: '0-1', x: 2 }, { _id: '_local/a' }])
    assert.deepEqual(results.map(({ id, rev, code }) => code ?? (id === 'b' ? id : rev)), ['0-1', 'b', '0-2', 'CONFLICT'])
    assert.equal((await store.getLocal('_local/a')).body, '{"x":2}')
    assert.equal(store.updateSeq, 1)
    assert.equal((await collect(store.changes())).length, 1)
    assert.equal((await collect((await store.allDocs()).rows)).length, 1)
    assert.equal((await store.info()).docCount, 1)
    assert.equal(await codeOf(store.get('_local/a')), 'MISSING')
    await store.write([{ _id: '_local/a', _rev: '0-2', _deleted: true }])
    assert.equal(await codeOf(store.getLocal('_local/a')), 'MISSING')
  })

  it('are listed by id', async () => {
    const { store } = context
    for (const id of ['c', 'a', 'b', 'd']) await store.putLocal({ _id: `_local/${id}` })
    const ids = async (options) => (await store.allLocal(options)).map(({ id }) => id.slice(7)).join('')
    assert.equal(await ids(), 'abcd')
    assert.equal(await ids({ descending: true, limit: 2 }), 'dc')
    assert.equal(await ids({ startkey: '_local/b', endkey: '_local/d', inclusiveEnd: false }), 'bc')
    assert.equal(await ids({ skip: 1, limit: 2 }), 'bc')
    assert.equal(await ids({ keys: ['_local/d', '_local/x', '_local/a'] }), 'da')
  })

  it('have no attachments: they are dropped', async () => {
    const { store } = context
    const _attachments = { f: { data: 'eA==' } }
    await store.putLocal({ _id: '_local/a', n: 1, _attachments })
    await store.write([{ _id: '_local/b', n: 1, _attachments }])
    for (const id of ['_local/a', '_local/b']) assert.equal((await store.getLocal(id)).body, '{"n":1}')
  })

  it('keep all members where that is asked for, and refuse them otherwise', async () => {
    const { store } = context
    const members = '{"_attachments":{"f":{"data":"eA=="}},"_foo":1,"__proto__":2}'
    const options = { keepLocal: true }
    await store.putLocal({ _id: '_local/a', _revisions: { start: 1, ids: ['x'] }, ...JSON.parse(members) }, options)
    assert.deepEqual(await store.getLocal('_local/a'), { id: '_local/a', rev: '0-1', body: members })
    await store.write([{ _id: '_local/a', _rev: '0-1', _foo: 3 }, { _id: 'b' }], options)
    assert.equal((await store.getLocal('_local/a')).body, '{"_foo":3}')
    assert.equal((await store.write([{ _id: 'c', _foo: 1 }], options))[0].code, 'DOC_VALIDATION')
  })

  it('refuses members and revisions that are none', async () => {
    const { store } = context
    assert.equal(await codeOf(store.putLocal({ _id: '_local/a', _foo: 1 })), 'DOC_VALIDATION')
    assert.equal(await codeOf(store.putLocal({ _id: '_local/a', _rev: '1-x' })), 'INVALID_REV')
    assert.equal(await codeOf(store.putLocal({ _id: 'a' })), 'BAD_REQUEST')
  })
})
