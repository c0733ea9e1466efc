'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { head, request } = require('./support/request')

describe('Documents', () => {
  const db = new TestDatabase()

  describe('PUT', () => {
    it('creates a document and says where it is', async () => {
      const { status, headers, body } = await db.put('a%2Fb', { name: 'Gilbert', tags: ['x', 1, null, { y: true }] })
      assert.equal(status, 201)
      assert.equal(body.ok, true)
      assert.equal(body.id, 'a/b')
      assert.match(body.rev, /^1-[0-9a-f]{32}$/)
      assert.equal(headers.get('etag'), `"${body.rev}"`)
      assert.match(headers.get('location'), new RegExp(`^http://.*/${db.name}/a%2Fb$`))
      const read = await db.get('a%2Fb')
      assert.deepEqual(read.body, { _id: 'a/b', _rev: body.rev, name: 'Gilbert', tags: ['x', 1, null, { y: true }] })
    })

    it('keeps text of all scripts and the order of members', async () => {
      const doc = { z: 'Καγκουρό 🦘 \u2028', a: 'quote " and \\', m: { b: 1, a: 2 } }
      await db.write('d', doc)
      const { body } = await db.get('d')
      assert.deepEqual(Object.keys(body), ['_id', '_rev', 'z', 'a', 'm'])
      assert.deepEqual({ ...body, _id: undefined, _rev: undefined }, { ...doc, _id: undefined, _rev: undefined })
    })

    it('updates with the revision in the body, in the query or in If-Match', async () => {
      let rev = await db.write('d')
      rev = (await db.put('d', { _rev: rev, n: 2 })).body.rev
      rev = (await db.put(`d?rev=${rev}`, { n: 3 })).body.rev
      const last = await db.put('d', { n: 4 }, { headers: { 'If-Match': `"${rev}"` } })
      assert.equal(last.status, 201)
      assert.match(last.body.rev, /^4-/)
      assert.equal((await db.get('d')).body.n, 4)
    })

    it('answers 202 where w wants more copies than there are', async () => {
      const { status, body: { rev } } = await db.put('d?w=2', {})
      assert.equal(status, 202)
      assert.equal((await db.put('d?w=1', { _rev: rev })).status, 201)
      assert.equal((await db.post('?w=2', {})).status, 202)
      const added = await db.put('e/a.txt?w=2', 'x', { headers: { 'Content-Type': 'text/plain' } })
      assert.equal(added.status, 202)
      assert.equal((await db.remove(`e?w=2&rev=${added.body.rev}`)).status, 202)
    })

    it('refuses revisions that disagree', async () => {
      const rev = await db.write('d')
      const other = '1-00000000000000000000000000000000'
      assertRefused(await db.put(`d?rev=${other}`, { _rev: rev }), 400, 'bad_request', 'Document rev from request body and query string have different values')
      assertRefused(await db.put('d', { _rev: rev }, { headers: { 'If-Match': other } }), 400, 'bad_request', 'Document rev and etag have different values')
    })

    it('refuses an update without a revision or with an old one', async () => {
      const rev = await db.write('d')
      assertRefused(await db.put('d', {}), 409, 'conflict', 'Document update conflict.')
      await db.put('d', { _rev: rev })
      assertRefused(await db.put('d', { _rev: rev }), 409, 'conflict', 'Document update conflict.')
      assertRefused(await db.put('new', { _rev: rev }), 409, 'conflict', 'Document update conflict.')
    })

    it('refuses an id in the body that cannot be one, and queries that are malformed', async () => {
      for (const id of [1, null, '', '_x', '_design/', '_local/']) assertRefused(await db.put('d', { _id: id }), 400, 'illegal_docid')
      for (const query of ['rev=x', 'open_revs=x', 'open_revs=[1]', 'atts_since=x']) assertRefused(await db.put(`d?${query}`, {}), 400, 'bad_request')
      for (const name of ['_attachments', '_revisions']) {
        assertRefused(await db.put('d', { [name]: 1 }), 400, 'doc_validation', `Bad special document member: ${name}`)
      }
      assert.equal((await db.get('d')).status, 404)
    })

    it('takes the path as the id, whatever the body says', async () => {
      const { body } = await db.put('d', { _id: 'other' })
      assert.equal(body.id, 'd')
      assert.equal((await db.get('other')).status, 404)
    })

    it('deletes with _deleted, and brings back what was deleted', async () => {
      const rev = await db.write('d', { n: 1 })
      const deleted = await db.put('d', { _rev: rev, _deleted: true, why: 'old' })
      assert.equal(deleted.status, 200)
      assertRefused(await db.get('d'), 404, 'not_found', 'deleted')
      const tombstone = await db.get(`d?rev=${deleted.body.rev}`)
      assert.deepEqual(tombstone.body, { _id: 'd', _rev: deleted.body.rev, _deleted: true, why: 'old' })
      const again = await db.put('d', { n: 2 })
      assert.equal(again.status, 201)
      assert.match(again.body.rev, /^3-/)
    })

    it('keeps the revision that comes with new_edits=false', async () => {
      const doc = { _rev: '2-bb000000000000000000000000000000', _revisions: { start: 2, ids: ['bb000000000000000000000000000000', 'aa000000000000000000000000000000'] }, n: 1 }
      const { status, body } = await db.put('d?new_edits=false', doc)
      assert.equal(status, 201)
      assert.equal(body.rev, doc._rev)
      const read = await db.get('d?revs=true')
      assert.deepEqual(read.body._revisions, doc._revisions)
      assertRefused(await db.put('e?new_edits=false', {}), 400, 'bad_request', 'When `new_edits: false`, the document needs `_rev` or `_revisions` specified')
    })

    it('answers batch=ok without a revision, and writes', async () => {
      const { status, body } = await db.put('d?batch=ok', { n: 1 })
      assert.equal(status, 202)
      assert.deepEqual(body, { ok: true, id: 'd' })
      const changes = await db.get('_changes?feed=longpoll&since=0')
      assert.equal(changes.body.results[0].id, 'd')
    })
  })

  describe('GET and HEAD', () => {
    it('answer 304 to who has the revision already', async () => {
      const rev = await db.write('d')
      const { status, text, headers } = await db.get('d', { headers: { 'If-None-Match': `"${rev}"` } })
      assert.equal(status, 304)
      assert.equal(text, '')
      assert.equal(headers.get('etag'), `"${rev}"`)
      assert.equal(headers.get('content-length'), '0')
      assert.equal(headers.get('x-couchdb-body-time'), '0')
      for (const name of ['cache-control', 'content-type']) assert.equal(headers.get(name), null, name)
      const statusOf = async known => (await db.get('d', { headers: { 'If-None-Match': known } })).status
      for (const known of [`W/"${rev}"`, `"1-x", "${rev}"`, `"1-x" W/"${rev}"`, `, "${rev}" ,`]) assert.equal(await statusOf(known), 304, known)
      for (const known of ['"1-x"', '*', rev, '']) assert.equal(await statusOf(known), 200, known)
    })

    it('HEAD has the headers of GET and no body', async () => {
      const rev = await db.write('d', { text: 'ä' })
      const answer = await head(db.path('d'))
      const full = await db.get('d')
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('etag'), `"${rev}"`)
      assert.equal(answer.headers.get('content-length'), String(full.bytes.length))
      assert.equal(answer.bytes.length, 0)
      assert.equal((await head(db.path('missing'))).status, 404)
    })

    it('tell missing from deleted', async () => {
      assertRefused(await db.get('d'), 404, 'not_found', 'missing')
      const rev = await db.write('d')
      await db.remove(`d?rev=${rev}`)
      assertRefused(await db.get('d'), 404, 'not_found', 'deleted')
      assertRefused(await db.get('d?rev=1-00000000000000000000000000000000'), 404, 'not_found', 'missing')
    })

    it('read old revisions while they are there', async () => {
      const rev = await db.write('d', { n: 1 })
      await db.put('d', { _rev: rev, n: 2 })
      const { body } = await db.get(`d?rev=${rev}`)
      assert.deepEqual(body, { _id: 'd', _rev: rev, n: 1 })
    })

    it('show history and conflicts on request', async () => {
      await db.replicate(
        { _id: 'd', _rev: '1-aa000000000000000000000000000000' },
        { _id: 'd', _revisions: { start: 2, ids: ['bb000000000000000000000000000000', 'aa000000000000000000000000000000'] }, who: 'b' },
        { _id: 'd', _revisions: { start: 2, ids: ['cc000000000000000000000000000000', 'aa000000000000000000000000000000'] }, who: 'c' },
        { _id: 'd', _revisions: { start: 2, ids: ['dd000000000000000000000000000000', 'aa000000000000000000000000000000'] }, _deleted: true })
      const { body } = await db.get('d?revs=true&revs_info=true&conflicts=true&deleted_conflicts=true&local_seq=true')
      assert.equal(body.who, 'c')
      assert.deepEqual(body._revisions, { start: 2, ids: ['cc000000000000000000000000000000', 'aa000000000000000000000000000000'] })
      assert.deepEqual(body._revs_info, [
        { rev: '2-cc000000000000000000000000000000', status: 'available' },
        { rev: '1-aa000000000000000000000000000000', status: 'available' }])
      assert.deepEqual(body._conflicts, ['2-bb000000000000000000000000000000'])
      assert.deepEqual(body._deleted_conflicts, ['2-dd000000000000000000000000000000'])
      assert.notEqual(body._local_seq, undefined)
      const meta = await db.get('d?meta=true')
      assert.deepEqual(meta.body._conflicts, body._conflicts)
      assert.equal(meta.body._revs_info.length, 2)
      assert.equal(meta.headers.get('etag'), null)
    })

    it('show history and conflicts of a document, not of a revision', async () => {
      const first = await db.write('d', { n: 1 })
      const { body: { rev } } = await db.put('d', { _rev: first, n: 2 })
      await db.replicate({ _id: 'd', _rev: '1-cc000000000000000000000000000000' })
      const asked = 'revs_info=true&conflicts=true&deleted_conflicts=true&local_seq=true&meta=true'
      for (const each of [first, rev]) {
        const { body, headers } = await db.get(`d?rev=${each}&revs=true&${asked}`)
        assert.deepEqual(Object.keys(body), ['_id', '_rev', 'n', '_revisions'])
        assert.equal(headers.get('etag'), `"${each}"`)
      }
      assert.equal((await db.get(`d?rev=${first}&latest=true&${asked}`)).body._revs_info.length, 2)
      const open = await db.get(`d?open_revs=all&${asked}`)
      assert.ok(open.body.every(({ ok }) => ok._revs_info === undefined && ok._conflicts === undefined && ok._local_seq === undefined))
      const bulk = await db.post(`_bulk_get?${asked}`, { docs: [{ id: 'd', rev }] })
      assert.deepEqual(bulk.body.results[0].docs, [{ ok: { _id: 'd', _rev: rev, n: 2 } }])
    })

    it('open several revisions as JSON', async () => {
      await db.replicate(
        { _id: 'd', _rev: '1-aa000000000000000000000000000000', who: 'a' },
        { _id: 'd', _rev: '1-bb000000000000000000000000000000', who: 'b' })
      const all = await db.get('d?open_revs=all')
      assert.deepEqual(all.body.map(({ ok }) => ok.who).sort(), ['a', 'b'])
      const some = await db.get(`d?open_revs=${encodeURIComponent('["1-aa000000000000000000000000000000","9-ff000000000000000000000000000000"]')}&revs=true`)
      const ok = some.body.find(entry => entry.ok !== undefined).ok
      assert.equal(ok.who, 'a')
      assert.deepEqual(ok._revisions, { start: 1, ids: ['aa000000000000000000000000000000'] })
      assert.deepEqual(some.body.find(entry => entry.ok === undefined), { missing: '9-ff000000000000000000000000000000' })
      assertRefused(await db.get('nothing?open_revs=all'), 404, 'not_found', 'missing')
    })

    it('open the latest of a revision\'s descendants', async () => {
      const first = await db.write('d', { n: 1 })
      const { body: { rev } } = await db.put('d', { _rev: first, n: 2 })
      const { body } = await db.get(`d?latest=true&open_revs=${encodeURIComponent(JSON.stringify([first]))}`)
      assert.equal(body[0].ok._rev, rev)
    })
  })

  describe('GET with revisions', () => {
    it('latest gives the winner, no matter what rev says', async () => {
      const first = await db.write('d', { n: 1 })
      await db.put('d', { _rev: first, n: 2 })
      for (const rev of [first, '7-00000000000000000000000000000000']) {
        assert.equal((await db.get(`d?rev=${rev}&latest=true`)).body.n, 2)
      }
    })

    it('open_revs with none in particular gives the document', async () => {
      const rev = await db.write('d', { n: 1 })
      const { body, headers } = await db.get('d?open_revs=[]')
      assert.deepEqual([body, headers.get('etag')], [{ _id: 'd', _rev: rev, n: 1 }, `"${rev}"`])
      assertRefused(await db.get('e?open_revs=[]'), 404, 'not_found', 'missing')
    })

    it('gives what is known of a revision after its members', async () => {
      await db.write('d', { z: 1, a: 2, _attachments: { f: { data: '' } } })
      const { body } = await db.get('d?revs=true&revs_info=true')
      assert.deepEqual(Object.keys(body).slice(0, 4), ['_id', '_rev', 'z', 'a'])
      assert.deepEqual(Object.keys(body).slice(4).sort(), ['_attachments', '_revisions', '_revs_info'])
    })
  })

  describe('DELETE', () => {
    it('looks for the document before it reads the revision', async () => {
      assertRefused(await db.remove('none?rev=x'), 404, 'not_found', 'missing')
      await db.write('d')
      assertRefused(await db.remove('d?rev=x'), 400, 'bad_request', 'Invalid rev format')
    })

    it('leaves a tombstone', async () => {
      const rev = await db.write('d')
      const { status, body, headers } = await db.remove(`d?rev=${rev}`)
      assert.equal(status, 200)
      assert.equal(body.ok, true)
      assert.equal(body.id, 'd')
      assert.match(body.rev, /^2-/)
      assert.equal(headers.get('etag'), `"${body.rev}"`)
      assertRefused(await db.remove(`d?rev=${body.rev}`), 404, 'not_found', 'deleted')
    })

    it('takes the revision from If-Match', async () => {
      const rev = await db.write('d')
      assert.equal((await db.remove('d', { headers: { 'If-Match': `"${rev}"` } })).status, 200)
    })

    it('refuses without a revision, with a wrong one, and where there is no document', async () => {
      assertRefused(await db.remove('d?rev=1-00000000000000000000000000000000'), 404, 'not_found', 'missing')
      await db.write('d')
      assertRefused(await db.remove('d'), 409, 'conflict', 'Document update conflict.')
      assertRefused(await db.remove('d?rev=1-00000000000000000000000000000000'), 409, 'conflict', 'Document update conflict.')
      assert.equal((await db.get('d')).status, 200)
    })
  })

  describe('COPY', () => {
    const copy = (rest, headers) => request('COPY', db.path(rest), { headers })

    it('copies to a new id, attachments and all', async () => {
      await db.write('d', { n: 1, _attachments: { 'a.txt': { content_type: 'text/plain', data: 'aGVsbG8=' } } })
      const { status, body, headers } = await copy('d', { Destination: 'e%2Ff' })
      assert.equal(status, 201)
      assert.equal(body.ok, true)
      assert.equal(body.id, 'e/f')
      assert.match(body.rev, /^1-/)
      assert.equal(headers.get('etag'), `"${body.rev}"`)
      assert.equal((await db.get('e%2Ff')).body.n, 1)
      assert.equal((await db.get('e%2Ff/a.txt')).text, 'hello')
    })

    it('copies an old revision over a document', async () => {
      const old = await db.write('d', { n: 1 })
      await db.put('d', { _rev: old, n: 2 })
      const target = await db.write('e', { n: 9 })
      assertRefused(await copy('d', { Destination: 'e' }), 409, 'conflict')
      const { status, body } = await copy(`d?rev=${old}`, { Destination: `e?rev=${target}` })
      assert.equal(status, 201)
      assert.match(body.rev, /^2-/)
      assert.equal((await db.get('e')).body.n, 1)
    })

    it('refuses a bad destination', async () => {
      await db.write('d')
      assertRefused(await copy('d', {}), 400, 'bad_request', 'Destination header is mandatory for COPY.')
      assertRefused(await copy('d', { Destination: 'http://example.com/x' }), 400, 'bad_request', 'Destination URL must be relative.')
      assertRefused(await copy('d', { Destination: '_secret' }), 400, 'illegal_docid', 'Only reserved document ids may start with underscore.')
      assertRefused(await copy('missing', { Destination: 'e' }), 404, 'not_found', 'missing')
    })
  })

  describe('POST', () => {
    it('makes an id, or takes the document\'s', async () => {
      const made = await db.post('', { n: 1 })
      assert.equal(made.status, 201)
      assert.match(made.body.id, /^[0-9a-f]{32}$/)
      assert.ok(made.headers.get('location').endsWith(`/${db.name}/${made.body.id}`))
      assert.equal((await db.get(made.body.id)).body.n, 1)
      assert.equal((await db.post('', { _id: 'mine' })).body.id, 'mine')
      assertRefused(await db.post('', { _id: 'mine' }), 409, 'conflict')
      assert.equal(made.headers.get('etag'), null)
    })

    it('wants JSON by name', async () => {
      assertRefused(await db.post('', '{}', { headers: { 'Content-Type': 'text/plain' } }), 415, 'bad_content_type', 'Content-Type must be application/json')
    })
  })

  describe('design documents', () => {
    it('are read and written with a slash or without', async () => {
      const { status, body } = await db.put('_design/d', { views: {} })
      assert.equal(status, 201)
      assert.equal(body.id, '_design/d')
      assert.equal((await db.get('_design/d')).body._rev, body.rev)
      const updated = await db.put('_design%2Fd', { _rev: body.rev, views: {}, n: 2 })
      assert.equal(updated.body.id, '_design/d')
      assert.equal((await db.remove(`_design/d?rev=${updated.body.rev}`)).status, 200)
      assertRefused(await db.get('_design/d'), 404, 'not_found', 'deleted')
    })
  })

  describe('batch=ok', () => {
    it('has written what it took when the commit is ensured', async () => {
      const ids = Array.from({ length: 50 }, (_, i) => `d${i}`)
      const answers = await Promise.all(ids.map(id => db.put(`${id}?batch=ok`, { n: 1 })))
      for (const { status, body } of answers) assert.deepEqual([status, body.ok, body.rev], [202, true, undefined])
      const posted = await db.post('?batch=ok', { n: 2 })
      assert.equal(posted.status, 202)
      assert.equal((await db.put('_local/l?batch=ok', { n: 3 })).status, 202)
      assert.equal((await db.post('_ensure_full_commit')).status, 415)
      const ensured = await db.post('_ensure_full_commit', '', { headers: { 'Content-Type': 'application/json' } })
      assert.deepEqual([ensured.status, ensured.body.ok], [201, true])
      const { body } = await db.post('_all_docs', { keys: [...ids, posted.body.id] })
      assert.deepEqual(body.rows.filter(({ error }) => error), [])
      assert.equal((await db.get('_local/l')).body.n, 3)
    })

    it('refuses what is malformed, and says nothing of conflicts', async () => {
      const rev = await db.write('d', { n: 1 })
      assertRefused(await db.put('e?batch=ok', { _foo: 1 }), 400, 'doc_validation')
      assert.equal((await db.put('d?batch=ok', { n: 2 })).status, 202)
      await db.post('_ensure_full_commit', '', { headers: { 'Content-Type': 'application/json' } })
      assert.equal((await db.get('d')).body._rev, rev)
    })
  })

  it('are reached by POST with X-HTTP-Method-Override', async () => {
    const send = (method, path, body) => db.post(path, body, { headers: { 'X-HTTP-Method-Override': method, Destination: 'e' } })
    const { status, body: { rev } } = await send('PUT', 'd', { n: 1 })
    assert.equal(status, 201)
    assert.equal((await send('GET', 'd', '')).body.n, 1)
    assert.equal((await send('COPY', 'd', '')).status, 201)
    assert.equal((await send('DELETE', `d?rev=${rev}`, '')).status, 200)
    assertRefused(await db.get('d'), 404, 'not_found', 'deleted')
    assert.equal((await db.get('e', { headers: { 'X-HTTP-Method-Override': 'DELETE' } })).body.n, 1)
  })

  it('say which methods there are', async () => {
    const answer = await request('PATCH', db.path('d'), { body: {} })
    assert.equal(answer.status, 405)
    assert.equal(answer.body.error, 'method_not_allowed')
  })
})
