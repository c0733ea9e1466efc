'use strict'

const assert = require('node:assert/strict')
const { AccessDatabase } = require('./support/access-database')
const { assertRefused } = require('./support/refusal')

describe('history of a database with access by document', () => {
  const db = new AccessDatabase()
  let alice, bob

  beforeEach(async () => {
    alice = await db.user()
    bob = await db.user()
    assert.equal((await db.admin.put('_history', { retain: '30d' })).status, 200)
  })

  /** A time after all changes so far, and before those that follow. */
  async function moment () {
    const now = Date.now()
    while (Date.now() <= now) await new Promise(resolve => setImmediate(resolve))
    return now
  }

  async function edit (who, id, ...bodies) {
    const moments = []
    for (const body of bodies) {
      const { status, body: { _rev: rev } } = await who.get(id)
      await who.write(id, status === 200 ? { ...body, _rev: rev } : body)
      moments.push(await moment())
    }
    return moments
  }

  it('shows users their own', async () => {
    const _access = [alice.name]
    const [one, two] = await edit(alice, 'a', { n: 1, _access }, { n: 2, _access })
    assert.deepEqual((await alice.get(`a?at=${one}`)).body.n, 1)
    assert.deepEqual((await alice.get(`a?at=${two}&meta=true`)).body._meta.user, alice.name)
    assert.deepEqual((await alice.get('a/_history')).body.history.map(({ user, patch }) => [user, patch]), [[alice.name, [{ op: 'replace', path: '/n', value: 2 }]], [alice.name, undefined]])
    const [result] = (await alice.post('_restore', { at: one, docs: ['a'] })).body
    assert.equal(result.ok, true)
    const { n, _access: kept } = (await alice.get('a')).body
    assert.deepEqual([n, kept], [1, [alice.name]])
    assert.deepEqual((await alice.get('_history')).body.retain, '30d')
    assertRefused(await alice.put('_history', {}), 403, 'forbidden')
  })

  it('answers of a foreign document as of one that is not there', async () => {
    const [one] = await edit(alice, 'mine', { n: 1, _access: [alice.name] }, { n: 2, _access: [alice.name] })
    await db.admin.write('secret', {})
    let foreign
    for (const id of ['mine', 'secret', 'nothing']) {
      const told = []
      for (const rest of [`${id}?at=${one}`, `${id}?at=${Date.now()}`, `${id}?at=1000000000000`, `${id}?at=1`, `${id}/_history`, `${id}/f?at=${one}`]) {
        const { status, text } = await bob.get(rest)
        told.push([status, text.replaceAll(id, 'ID')])
      }
      for (const [rest, body] of [['_all_docs', { keys: [id], at: one }], ['_restore', { at: one, docs: [id] }]]) {
        const { status, text } = await bob.post(rest, body)
        told.push([status, text.replaceAll(id, 'ID')])
      }
      foreign ??= told
      assert.deepEqual(told, foreign)
    }
    assert.deepEqual(await bob.ids(`?at=${one}`), [])
    assert.deepEqual(await alice.ids(`?at=${one}`), ['mine'])
    for (const [rest, body] of [['_find', { selector: {}, at: one }], ['_design/d/_view/v', { at: one }]]) assert.equal((await bob.post(rest, body)).status, 403, rest)
  })

  it('obeys the rights of today, and shows nobody a version that was not for them', async () => {
    const [secret, shared, alone] = await edit(alice, 'a', { n: 1, _access: [alice.name] }, { n: 2, _access: [alice.name] })
    assert.equal(alone, undefined)
    const [given] = await edit(db.admin, 'a', { n: 3, _access: [alice.name, bob.name] })
    const [more] = await edit(alice, 'a', { n: 4, _access: [alice.name, bob.name] })
    for (const at of [secret, shared]) assertRefused(await bob.get(`a?at=${at}`), 404, 'not_found', 'missing')
    assert.deepEqual([(await bob.get(`a?at=${given}`)).body.n, (await bob.get(`a?at=${more}`)).body.n], [3, 4])
    const { body: { history } } = await bob.get('a/_history')
    assert.equal(history.length, 2)
    assert.equal(history[1].patch, undefined)
    assert.equal((await alice.get('a/_history')).body.history.length, 4)
    assert.deepEqual(await bob.ids(`?at=${shared}`), [])
    assert.deepEqual(await bob.ids(`?at=${given}`), ['a'])
    await edit(db.admin, 'a', { n: 5, _access: [alice.name] })
    for (const rest of [`a?at=${given}`, `a?at=${more}`, 'a/_history']) assertRefused(await bob.get(rest), 404, 'not_found', 'missing')
    assert.deepEqual(await bob.ids(`?at=${given}`), [])
    assert.equal((await alice.get(`a?at=${given}`)).body.n, 3)
  })

  it('tells nobody how many documents others have', async () => {
    const [one] = await edit(alice, 'a', { n: 1, _access: [alice.name] })
    assert.deepEqual(Object.keys((await alice.get('a?meta=true')).body._meta), ['time', 'user'])
    assert.deepEqual(Object.keys((await alice.get('_all_docs?meta=true')).body.rows[0].value._meta), ['time', 'user'])
    assert.deepEqual(Object.keys((await alice.get(`_all_docs?meta=true&at=${one}`)).body.rows[0].value._meta), ['time', 'user'])
    assert.deepEqual(Object.keys((await alice.get('a/_history')).body.history[0]).sort(), ['deleted', 'rev', 'time', 'user'])
    for (const at of [1, 1000]) assertRefused(await alice.get(`a?at=${at}`), 400, 'bad_request', '`at` must be a time')
    const { body: { total_rows: total, update_seq: seq } } = await alice.get(`_all_docs?at=${one}&update_seq=true`)
    assert.equal(total, null)
    await db.admin.write('b', {})
    assert.equal((await alice.get(`_all_docs?at=${one}&update_seq=true`)).body.update_seq, seq)
  })

  it('keeps who may see a document when it is restored', async () => {
    const [one] = await edit(db.admin, 'a', { n: 1, _access: [alice.name] })
    await edit(db.admin, 'a', { n: 2, _access: [bob.name] })
    assert.equal((await db.admin.post('_restore', { at: one, docs: ['a'] })).body[0].ok, true)
    assert.deepEqual((await alice.get('a')).body._access, [alice.name])
    assertRefused(await bob.get('a'), 404, 'not_found')
    assert.deepEqual((await db.admin.get('a/_history')).body.history[0].patch.map(({ path }) => path).sort(), ['/_access/0', '/n'])
  })
})
