'use strict'

const assert = require('node:assert/strict')
const { AccessDatabase } = require('./support/access-database')
const { assertRefused } = require('./support/refusal')

const NO_CHANGE = 'Document update conflict.'

describe('transactions of members of a database with access by document', () => {
  const db = new AccessDatabase()
  let alice, bob

  beforeEach(async () => {
    alice = await db.user('staff')
    bob = await db.user('staff')
  })

  const conflict = (...conflicts) => ({ error: 'conflict', reason: NO_CHANGE, conflicts })

  it('tell nothing of a document that they may not see', async () => {
    const rev = await alice.write('mine', { _access: [alice.name] })
    const gone = await alice.write('gone', { _access: [alice.name] })
    const { body: { rev: deleted } } = await alice.remove(`gone?rev=${gone}`)
    assert.equal((await alice.put('_local/l', {})).status, 201)
    const own = { _id: 'own', _access: [bob.name] }
    /** Asks all there is to ask, and gives the answers. */
    const told = async (user, id, known) => {
      const answers = []
      for (const transaction of [
        { reads: [{ id, rev: null }] },
        { reads: [{ id, rev: known }] },
        { reads: [{ id, rev: known }, { id: 'none', rev: '1-a' }], writes: [own] },
        { writes: [own, { _id: id, _rev: known, _access: [bob.name] }] },
        { writes: [own, { _id: id, _rev: known, _access: [alice.name] }] },
        { writes: [own, { _id: id, _rev: known, _deleted: true }] },
        { reads: [{ id, rev: '1-a' }], writes: [own, { _id: id, _access: [bob.name] }] }
      ]) {
        const { status, text } = await user.post('_transact', transaction)
        answers.push(`${status} ${text.replaceAll(id, 'ID')}`)
      }
      return answers
    }
    const nothing = await told(bob, 'nothing', rev)
    assert.deepEqual(nothing.map(text => text.slice(0, 3)), ['201', '409', '409', '409', '409', '409', '409'])
    assert.deepEqual(await told(bob, 'mine', rev), nothing)
    assert.deepEqual(await told(bob, 'gone', deleted), nothing)
    assert.notDeepEqual(await told(alice, 'mine', rev), nothing)
    assert.deepEqual((await bob.post('_transact', { reads: [{ id: '_local/l', rev: '0-1' }] })).body, conflict({ id: '_local/l', rev: null }))
    assert.deepEqual(await bob.ids(), [])
  })

  it('write by the rules, or nothing', async () => {
    const rev = await db.admin.write('read', { _access: { read: [bob.name], write: [alice.name] } })
    await alice.write('mine', { _access: [alice.name] })
    const own = { _id: 'own', _access: [bob.name] }
    for (const doc of [{ _id: 'read', _rev: rev, _access: { read: [bob.name], write: [alice.name] } }, { _id: 'given', _access: [alice.name] }, { _id: 'none' }, { _id: 'mine', _access: [bob.name] }]) {
      const answer = await bob.post('_transact', { writes: [own, doc] })
      assertRefused(answer, 403, 'forbidden')
      assert.equal(answer.body.id, doc._id)
    }
    assertRefused(await db.nobody.post('_transact', { writes: [own] }), 401, 'unauthorized')
    assert.deepEqual(await bob.ids(), ['read'])
    const { status, body } = await bob.post('_transact', { reads: [{ id: 'read', rev }], writes: [own, { _id: 'team', _access: ['role:staff'] }] })
    assert.equal(status, 201)
    assert.deepEqual(await alice.ids(), ['mine', 'read', 'team'])
    assert.equal((await alice.post('_transact', { writes: [{ _id: 'team', _rev: body[1].rev, _access: ['role:staff'], n: 2 }] })).status, 201)
  })

  it('see what they read go', async () => {
    const rev = await db.admin.write('shared', { _access: [alice.name, bob.name] })
    await db.admin.write('shared', { _rev: rev, _access: [alice.name] })
    assert.deepEqual((await bob.post('_transact', { reads: [{ id: 'shared', rev }], writes: [{ _id: 'own', _access: [bob.name] }] })).body, conflict({ id: 'shared', rev: null }))
    assert.deepEqual(await bob.ids(), [])
  })

  it('go through functions that validate, which see what the user sees', async () => {
    await db.admin.write('_design/v', { validate_doc_update: 'function (doc, old, user) { if (doc.by !== user.name || old) throw { forbidden: old ? "old" : "by" } }' })
    assertRefused(await bob.post('_transact', { writes: [{ _id: 'a', _access: [bob.name], by: bob.name }, { _id: 'b', _access: [bob.name], by: 'x' }] }), 403, 'forbidden', 'by')
    await alice.write('mine', { _access: [alice.name], by: alice.name })
    assertRefused(await bob.post('_transact', { writes: [{ _id: 'mine', _access: [bob.name], by: bob.name }] }), 403, 'forbidden', 'You are not allowed to write this document')
    assert.equal((await bob.post('_transact', { writes: [{ _id: 'a', _access: [bob.name], by: bob.name }] })).status, 201)
  })

  describe('by calls', () => {
    const FUNCTIONS = {
      get: 'function (params, tx) { return tx.get(params.id) }',
      put: 'function (params, tx) { return tx.put(params.doc) }',
      take: 'function (params, tx) { var doc = tx.get(params.id) || { _id: params.id, _access: [tx.user.name] }; doc.n = 1; return tx.put(doc) }',
      count: 'function (params, tx) { var doc = tx.get("count"); doc.n++; tx.put(doc); tx.put({ _access: [tx.user.name], type: "counted" }); return doc.n }',
      find: 'function (params, tx) { return tx.find({ selector: {} }) }'
    }
    beforeEach(() => db.admin.write('_design/app', { rpc: FUNCTIONS }))
    const call = async (user, method, params) => {
      const { status, body, text } = await user.post('_design/app/_rpc', { jsonrpc: '2.0', id: 1, method, params })
      assert.equal(status, 200, text)
      return body.error ?? { result: body.result }
    }

    it('read and write as the user who calls', async () => {
      const rev = await alice.write('mine', { _access: [alice.name], n: 0 })
      assert.deepEqual(await call(alice, 'get', { id: 'mine' }), { result: { _id: 'mine', _rev: rev, _access: [alice.name], n: 0 } })
      for (const id of ['mine', 'nothing']) {
        assert.deepEqual(await call(bob, 'get', { id }), { result: null })
        const doc = { _id: id, _rev: rev, _access: [bob.name] }
        assert.deepEqual(await call(bob, 'put', { doc }), { code: -32009, message: NO_CHANGE, data: { error: 'conflict', reason: NO_CHANGE } })
      }
      const refusal = 'You are not allowed to write this document'
      assert.deepEqual(await call(bob, 'take', { id: 'mine' }), { code: -32003, message: refusal, data: { error: 'forbidden', reason: refusal, id: 'mine' } })
      assert.deepEqual(await call(bob, 'take', { id: 'new' }), { result: { id: 'new' } })
      assert.equal((await call(bob, 'put', { doc: { _id: 'given', _access: [alice.name] } })).code, -32003)
      assert.deepEqual((await call(bob, 'find')).result.map(({ _id }) => _id), ['new'])
      assert.deepEqual((await call(alice, 'find')).result.map(({ _id }) => _id), ['mine'])
      assert.equal((await call(db.nobody, 'put', { doc: { _access: ['x'] } })).code, -32001)
      assert.deepEqual(await bob.ids(), ['_design/app', 'new'])
      assert.equal((await alice.get('mine')).body._rev, rev)
    })

    it('that lose a race are called again', async () => {
      await db.admin.write('count', { _access: ['role:staff'], n: 0 })
      const calls = Array.from({ length: 20 }, (_, i) => call(i % 2 === 0 ? alice : bob, 'count'))
      const results = (await Promise.all(calls)).map(({ result }) => result)
      assert.deepEqual(results.sort((a, b) => a - b), Array.from({ length: 20 }, (_, i) => i + 1))
      assert.equal((await alice.get('count')).body.n, 20)
      for (const user of [alice, bob]) assert.equal((await user.ids()).length, 12)
    })

    it('find no functions in design documents of members', async () => {
      await alice.write('_design/own', { _access: [alice.name], rpc: FUNCTIONS })
      for (const user of [alice, bob, db.admin]) assertRefused(await user.post('_design/own/_rpc', { jsonrpc: '2.0', id: 1, method: 'get', params: { id: 'x' } }), 404, 'not_found')
    })
  })
})
