'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { AccessDatabase } = require('./support/access-database')
const { assertRefused } = require('./support/refusal')
const { get, put, remove } = require('./support/request')

describe('access by document', () => {
  const db = new AccessDatabase()
  let alice, bob

  beforeEach(async () => {
    alice = await db.user('staff')
    bob = await db.user()
  })

  it('is an option of a new database, for ever', async () => {
    assert.deepEqual((await db.admin.get()).body.props, { access: true })
    const name = `access-${crypto.randomUUID()}`
    assertRefused(await put(`/${name}?access=maybe`), 400, 'bad_request')
    assertRefused(await put(`/${name}?access=true&q=2`), 501, 'not_implemented')
    assertRefused(await put('/_users?access=true'), 400, 'bad_request')
    assert.equal((await put(`/${name}?access=false&q=1`)).status, 201)
    assert.deepEqual((await get(`/${name}`)).body.props, {})
    await remove(`/${name}`)
  })

  it('shows a user what names them or a role of theirs', async () => {
    await alice.write('mine', { _access: [alice.name] })
    await db.admin.write('team', { _access: ['role:staff'] })
    await db.admin.write('both', { _access: [alice.name, bob.name, 'role:staff'] })
    await db.admin.write('read', { _access: { read: [bob.name], write: [alice.name] } })
    await db.admin.write('secret', {})
    await db.admin.write('_design/app', { views: {} })
    assert.deepEqual(await alice.ids(), ['_design/app', 'both', 'mine', 'read', 'team'])
    assert.deepEqual(await bob.ids(), ['_design/app', 'both', 'read'])
    assert.deepEqual(await db.admin.ids(), ['_design/app', 'both', 'mine', 'read', 'secret', 'team'])
    assert.deepEqual(await db.nobody.ids(), ['_design/app'])
    assert.deepEqual((await bob.changes()).rows, ['both', 'read', '_design/app'])
    assert.deepEqual((await alice.get('read')).body._access, { read: [bob.name], write: [alice.name] })
  })

  it('does not take a user for a role of the same name', async () => {
    await db.admin.write('team', { _access: ['role:staff'] })
    await db.admin.write('user', { _access: ['staff'] })
    assert.deepEqual(await alice.ids(), ['team'])
  })

  it('answers of a foreign document as of one that is not there', async () => {
    let foreign
    const rev = await alice.write('mine', { _access: [alice.name], n: 1 })
    for (const id of ['mine', 'nothing']) {
      const told = []
      for (const rest of [id, `${id}?rev=${rev}`, `${id}?open_revs=all`, `${id}?open_revs=["${rev}"]`, `${id}?revs_info=true&conflicts=true`, `${id}/file`]) {
        const { status, text } = await bob.get(rest, { headers: { Authorization: bob.as.headers.Authorization } })
        told.push([status, text.replaceAll(id, 'ID')])
      }
      for (const [rest, body] of [
        ['_all_docs', { keys: [id] }], ['_bulk_get', { docs: [{ id }, { id, rev }] }], ['_revs_diff', { [id]: [rev] }], ['_missing_revs', { [id]: [rev] }]
      ]) {
        const { status, text } = await bob.post(rest, body)
        told.push([status, text.replaceAll(id, 'ID')])
      }
      told.push((await bob.put(id, { _rev: rev, _access: [bob.name] })).text)
      told.push((await bob.remove(`${id}?rev=${rev}`)).text)
      told.push((await bob.request('COPY', id, undefined, { Destination: 'copy' })).text)
      if (id === 'mine') foreign = told
      else assert.deepEqual(told, foreign)
    }
    assertRefused(await bob.get('mine'), 404, 'not_found', 'missing')
    assertRefused(await bob.put('mine', { _access: [bob.name] }), 403, 'forbidden')
    assert.deepEqual((await bob.post('_bulk_docs', { docs: [{ _id: 'mine', _rev: '9-a', _access: [bob.name] }], new_edits: false })).body.map(({ error }) => error), ['forbidden'])
    assert.equal((await alice.get('mine')).body._rev, rev)
  })

  it('lets nobody give a document away, or take themselves off it', async () => {
    assertRefused(await alice.put('a', {}), 403, 'forbidden')
    assertRefused(await alice.put('a', { _access: [bob.name] }), 403, 'forbidden')
    assertRefused(await alice.put('a', { _access: [alice.name, bob.name] }), 403, 'forbidden')
    assertRefused(await alice.put('a', { _access: { read: [alice.name], write: [] } }), 403, 'forbidden')
    assertRefused(await alice.put('a', { _access: ['role:bosses'] }), 403, 'forbidden')
    assertRefused(await db.nobody.put('a', { _access: [] }), 401, 'unauthorized')
    const rev = await alice.write('a', { _access: ['role:staff', alice.name] })
    for (const access of [undefined, [], [bob.name], [alice.name], [alice.name, 'role:staff', bob.name]]) {
      assertRefused(await alice.put('a', { _rev: rev, _access: access }), 403, 'forbidden')
      const { body } = await alice.post('_bulk_docs', { docs: [{ _id: 'a', _rev: '2-a', _revisions: { start: 2, ids: ['a', rev.slice(2)] }, _access: access }], new_edits: false })
      assert.deepEqual(body.map(({ error }) => error), ['forbidden'])
    }
    assert.equal((await alice.put('a', { _rev: rev, _access: [alice.name, 'role:staff'] })).status, 201)
    const { body: { _rev: last } } = await alice.get('a')
    assert.equal((await db.admin.put('a', { _rev: last, _access: [bob.name] })).status, 201)
    assertRefused(await alice.get('a'), 404, 'not_found')
    assert.equal((await bob.get('a')).status, 200)
  })

  it('lets who may only read not write', async () => {
    const rev = await db.admin.write('a', { _access: { read: [bob.name], write: [alice.name] } })
    assertRefused(await bob.put('a', { _rev: rev, _access: { read: [bob.name], write: [alice.name] } }), 403, 'forbidden')
    assertRefused(await bob.remove(`a?rev=${rev}`), 403, 'forbidden')
    assertRefused(await bob.put(`a/file?rev=${rev}`, 'text'), 403, 'forbidden')
    assert.equal((await alice.put('a', { _rev: rev, _access: { write: [alice.name], read: [bob.name] }, n: 2 })).status, 201)
    assert.equal((await bob.get('a')).body.n, 2)
  })

  it('refuses what `_access` cannot be', async () => {
    for (const access of [1, 'alice', [1], [''], ['role:'], { reed: [] }, { read: 'alice' }, { write: [null] }, null]) {
      for (const user of [alice, db.admin]) assertRefused(await user.put('a', { _access: access }), 400, 'doc_validation')
    }
    assertRefused(await db.admin.put('a', { _access: Array.from({ length: 1001 }, (_, i) => `u${i}`) }), 400, 'doc_validation')
  })

  it('keeps a deletion for those who saw what is deleted', async () => {
    const rev = await alice.write('a', { _access: [alice.name] })
    const { body } = await alice.remove(`a?rev=${rev}`)
    assert.deepEqual((await alice.changes()).rows, ['xa'])
    assert.deepEqual((await bob.changes()).rows, [])
    assert.deepEqual((await alice.get(`a?rev=${body.rev}`)).body, { _id: 'a', _rev: body.rev, _deleted: true, _access: [alice.name] })
    assertRefused(await bob.put('a', { _access: [bob.name] }), 403, 'forbidden')
    assert.equal((await alice.put('a', { _access: [alice.name] })).status, 201)
    const { body: gone } = await bob.put('never', { _deleted: true })
    assert.ok(gone.ok)
    assert.deepEqual((await bob.changes()).rows, ['xnever'])
  })

  it('keeps attachments with their document', async () => {
    const rev = await alice.write('a', { _access: [alice.name], _attachments: { file: { content_type: 'text/plain', data: 'aGk=' } } })
    assert.equal((await alice.get('a/file')).text, 'hi')
    assertRefused(await bob.get('a/file'), 404, 'not_found')
    assertRefused(await bob.get(`a/file?rev=${rev}`), 404, 'not_found')
    assertRefused(await bob.put('a/other', 'text'), 403, 'forbidden')
    assertRefused(await bob.put(`a/other?rev=${rev}`, 'text'), 409, 'not_found', 'missing_rev')
    const stub = { stub: true, content_type: 'text/plain', digest: (await alice.get('a')).body._attachments.file.digest, length: 2 }
    assertRefused(await bob.put('stolen', { _access: [bob.name], _attachments: { file: stub } }), 412, 'missing_stub')
    assert.equal((await alice.request('COPY', 'a', undefined, { Destination: 'copy' })).status, 201)
    assert.equal((await alice.get('copy/file')).text, 'hi')
    assert.equal((await alice.put(`a/other?rev=${rev}`, 'text')).status, 201)
    assert.deepEqual((await alice.get('a')).body._access, [alice.name])
  })

  it('lets nobody write a conflict that is for others to write', async () => {
    const leaf = (rev, access) => ({ _id: 'a', _rev: rev, _revisions: { start: 1, ids: [rev.slice(2)] }, _access: access })
    await db.admin.post('_bulk_docs', { docs: [leaf('1-b', [alice.name]), leaf('1-a', { read: [alice.name], write: [bob.name] })], new_edits: false })
    const reason = 'You may read this document, and not write it'
    assertRefused(await alice.put('a', { _rev: '1-a', _access: [alice.name] }), 403, 'forbidden', reason)
    assertRefused(await alice.remove('a?rev=1-a'), 403, 'forbidden', reason)
    const edit = { _id: 'a', _rev: '2-c', _revisions: { start: 2, ids: ['c', 'a'] }, _access: [alice.name] }
    assert.deepEqual((await alice.post('_bulk_docs', { docs: [edit], new_edits: false })).body.map(({ error }) => error), ['forbidden'])
    assert.deepEqual((await db.admin.get('a?conflicts=true')).body, { _id: 'a', _rev: '1-b', _access: [alice.name], _conflicts: ['1-a'] })
    assert.equal((await alice.put('a', { _rev: '1-b', _access: [alice.name] })).status, 201)
  })

  it('brings back what was the user\'s, and deletes nothing for it', async () => {
    await db.admin.put('_history', { versions: 10 })
    await db.admin.write('theirs', { _access: [bob.name], n: 1 })
    const rev = await alice.write('mine', { _access: [alice.name], n: 1 })
    const { body: { _meta: { time } } } = await alice.get('mine?meta=true')
    await alice.write('mine', { _access: [alice.name], _rev: rev, n: 2 })
    const { _rev } = (await db.admin.get('theirs')).body
    await db.admin.write('theirs', { _rev, _access: [alice.name], n: 2 })
    const { body } = await alice.post('_restore', { at: time, docs: ['mine', 'theirs', 'none'] })
    assert.deepEqual(body.map(({ ok, error }) => ok ?? error), [true, 'not_found', 'not_found'])
    assert.deepEqual([(await alice.get('mine')).body.n, (await alice.get('theirs')).body.n], [1, 2])
  })

  it('shows of conflicts what names the user', async () => {
    await db.admin.post('_bulk_docs', {
      docs: [
        { _id: 'a', _rev: '2-b', _revisions: { start: 2, ids: ['b', 'r'] }, _access: [alice.name] },
        { _id: 'a', _rev: '2-a', _revisions: { start: 2, ids: ['a', 'r'] }, _access: [bob.name], n: 'bob' },
        { _id: 'a', _rev: '2-0', _revisions: { start: 2, ids: ['0', 'r'] }, _access: [alice.name, bob.name] }
      ],
      new_edits: false
    })
    const { body } = await alice.get('a?conflicts=true&revs_info=true')
    assert.deepEqual([body._rev, body._conflicts], ['2-b', ['2-0']])
    const open = await alice.get('a?open_revs=all')
    assert.deepEqual(open.body.map(({ ok }) => ok._rev), ['2-b', '2-0'])
    assertRefused(await alice.get('a?rev=2-a'), 404, 'not_found')
    assert.deepEqual((await alice.get('a?open_revs=["2-a","2-b"]')).body.map(({ ok, missing }) => ok?._rev ?? missing), ['2-a', '2-b'])
    assert.deepEqual((await alice.get('a?open_revs=["1-r"]&latest=true')).body.map(({ ok, missing }) => ok?._rev ?? missing), ['2-b', '2-0'])
    assert.deepEqual((await alice.get('_changes?style=all_docs&include_docs=true&conflicts=true')).body.results.map(({ changes, doc }) => [changes.map(({ rev }) => rev), doc._conflicts]), [[['2-b', '2-0'], ['2-0']]])
    assert.deepEqual((await alice.post('_revs_diff', { a: ['2-a', '2-b', '2-0', '1-r'] })).body, { a: { missing: ['2-a'] } })
    assertRefused(await bob.get('a'), 404, 'not_found')
    assertRefused(await bob.get('a?rev=2-a'), 404, 'not_found')
    assert.deepEqual(await bob.ids(), [])
    assertRefused(await alice.put('a', { _rev: '2-a', _access: [alice.name] }), 409, 'conflict')
    // The winner goes: bob's is next.
    assert.equal((await alice.remove('a?rev=2-b')).status, 200)
    assert.equal((await bob.get('a')).body.n, 'bob')
    assertRefused(await alice.get('a'), 404, 'not_found')
  })

  it('counts what is the user\'s, and nothing else', async () => {
    const before = await bob.get()
    const { last_seq: last } = await bob.changes()
    for (let i = 0; i < 5; i++) await alice.write(`a${i}`, { _access: [alice.name] })
    const after = await bob.get()
    assert.deepEqual(after.body, before.body)
    assert.equal((await bob.changes()).last_seq, last)
    assert.deepEqual((await bob.get('_all_docs?update_seq=true')).body, { total_rows: 0, offset: 0, update_seq: before.body.update_seq, rows: [] })
    assert.equal((await alice.get()).body.doc_count, 5)
    assert.deepEqual((await alice.get('_all_docs?startkey="a3"')).body.offset, 3)
    const { body } = await alice.get('_changes?limit=2')
    assert.equal(body.pending, 3)
    for (const { seq } of body.results) assert.match(seq, /^a-[\w-]{22}(~[\w-]+)?$/)
    assert.deepEqual((await alice.changes(body.last_seq)).rows, ['a2', 'a3', 'a4'])
    assert.equal((await alice.get('_changes')).headers.get('etag'), null)
  })

  it('takes no sequence of another user', async () => {
    await alice.write('a', { _access: [alice.name] })
    await db.admin.write('b', { _access: [alice.name, bob.name] })
    const { last_seq: last } = await alice.changes()
    assert.deepEqual((await bob.changes(last)).rows, ['b'])
    assert.deepEqual((await alice.changes(last)).rows, [])
    assert.deepEqual((await db.admin.changes(last)).rows, ['a', 'b'])
    assert.deepEqual((await alice.changes((await db.admin.changes()).last_seq)).rows, ['a', 'b'])
    assert.equal((await alice.get('_changes?since=rubbish')).status, 400)
  })

  it('keeps local documents apart', async () => {
    for (const [i, user] of [alice, bob, db.admin].entries()) assert.equal((await user.put('_local/checkpoint', { i })).status, 201)
    for (const [i, user] of [alice, bob, db.admin].entries()) {
      assert.equal((await user.get('_local/checkpoint')).body.i, i)
      assert.equal((await user.get('_local_docs?include_docs=true')).body.rows.map(({ doc }) => doc.i).join(), String(i))
      assert.equal((await user.post('_local_docs', { keys: ['_local/checkpoint', '_local/no'] })).body.rows.length, 2)
    }
    assert.equal((await alice.post('_bulk_docs', { docs: [{ _id: '_local/two' }] })).status, 201)
    assertRefused(await bob.get('_local/two'), 404, 'not_found')
    assert.equal((await alice.remove('_local/checkpoint')).status, 200)
    assert.equal((await bob.get('_local/checkpoint')).status, 200)
  })

  it('ignores design documents that say who may see them', async () => {
    const ddoc = { _access: [alice.name], validate_doc_update: 'function () { throw { forbidden: "no" } }', views: { all: { map: 'function (doc) { emit(doc._id) }' } }, filters: { all: 'function () { return true }' } }
    await alice.write('_design/mine', ddoc)
    assertRefused(await alice.put('_design/plain', { views: {} }), 403, 'forbidden')
    assert.deepEqual(await alice.ids(), ['_design/mine'])
    assert.deepEqual(await bob.ids(), [])
    await bob.write('b', { _access: [bob.name] })
    assertRefused(await db.admin.get('_design/mine/_view/all'), 404, 'not_found')
    assertRefused(await alice.get('_changes?filter=mine/all'), 404, 'not_found')
  })

  it('has validation see what the user sees', async () => {
    await db.admin.write('_design/check', { validate_doc_update: 'function (doc, old, user) { if (old && old.n === 1) throw { forbidden: "old " + old.n }; if (doc.bad) throw { forbidden: "bad" } }' })
    const rev = await alice.write('a', { _access: [alice.name], n: 1 })
    assertRefused(await alice.put('a', { _access: [alice.name], _rev: rev }), 403, 'forbidden', 'old 1')
    assertRefused(await bob.put('a', { _access: [bob.name] }), 403, 'forbidden', 'You are not allowed to write this document')
    assertRefused(await bob.put('a', { _access: [bob.name], _rev: rev }), 409, 'conflict')
    assertRefused(await bob.put('b', { _access: [bob.name], bad: true }), 403, 'forbidden', 'bad')
  })
})
