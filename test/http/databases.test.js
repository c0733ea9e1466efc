'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { request, get, put, post, remove } = require('./support/request')

describe('databases', () => {
  const db = new TestDatabase()

  it('are made once', async () => {
    const name = `made-${crypto.randomUUID()}`
    const made = await put(`/${name}`)
    assert.equal(made.status, 201)
    assert.deepEqual(made.body, { ok: true })
    assert.match(made.headers.get('location'), new RegExp(`/${name}$`))
    assertRefused(await put(`/${name}`), 412, 'file_exists', 'The database could not be created, the file already exists.')
    assert.deepEqual((await remove(`/${name}`)).body, { ok: true })
    assertRefused(await remove(`/${name}`), 404, 'not_found')
    assertRefused(await get(`/${name}`), 404, 'not_found', 'Database does not exist.')
  })

  it('are new when they are made again', async () => {
    await db.write('a')
    const before = (await db.get()).body
    await remove(db.path())
    await put(db.path())
    const after = (await db.get()).body
    assert.equal(after.doc_count, 0)
    assert.notEqual(after.update_seq, before.update_seq)
    assert.equal((await db.get('a')).status, 404)
  })

  it('may have slashes and signs in their names', async () => {
    const name = encodeURIComponent(`a/b_$()+-${crypto.randomBytes(4).toString('hex')}`)
    assert.equal((await put(`/${name}`)).status, 201)
    assert.equal((await get(`/${name}`)).body.db_name, decodeURIComponent(name))
    assert.equal((await put(`/${name}/doc`, {})).status, 201)
    assert.equal((await remove(`/${name}`)).status, 200)
  })

  for (const name of ['Upper', '1digit', '_foo', 'a%20b', '..%2Fx', '%F0%9F%90%AD', 'a.b', 'a%00b']) {
    it(`cannot be called ${decodeURIComponent(name).replace('\0', '\\0')}`, async () => {
      assertRefused(await put(`/${name}`), 400, 'illegal_database_name', /^Name: '.*'\. Only lowercase characters/s)
    })
  }

  it('tell of themselves', async () => {
    await db.write('a')
    const rev = await db.write('b')
    await db.remove(`b?rev=${rev}`)
    const { body } = await db.get()
    assert.equal(body.db_name, db.name)
    assert.equal(body.doc_count, 1)
    assert.equal(body.doc_del_count, 1)
    assert.match(body.update_seq, /^3-/)
    assert.match(body.purge_seq, /^0/)
    assert.equal(body.compact_running, false)
    assert.equal(typeof body.instance_start_time, 'string')
    for (const size of ['file', 'external', 'active']) assert.equal(typeof body.sizes[size], 'number')
    assert.ok(body.sizes.active < body.sizes.file, JSON.stringify(body.sizes))
    assert.equal((await request('HEAD', db.path())).status, 200)
  })

  it('have a limit to remembered revisions', async () => {
    assert.equal((await db.get('_revs_limit')).body, 1000)
    assert.deepEqual((await db.put('_revs_limit', '7')).body, { ok: true })
    assert.equal((await db.get('_revs_limit')).body, 7)
    for (const bad of ['0', '"x"', '-1']) assert.equal((await db.put('_revs_limit', bad)).status, 400, bad)
  })

  it('are compacted and flushed on demand', async () => {
    assert.deepEqual((await db.post('_compact', {})).body, { ok: true })
    assertRefused(await db.post('_compact', '', { headers: { 'Content-Type': 'text/plain' } }), 415, 'bad_content_type')
    const { status, body } = await db.post('_ensure_full_commit', {})
    assert.equal(status, 201)
    assert.equal(body.ok, true)
    assert.equal((await db.post('_view_cleanup', {})).status, 202)
    for (const name of ['_compact', '_view_cleanup']) {
      assert.equal((await db.post(name, '', { headers: { 'Content-Type': 'application/json' } })).status, 202)
    }
  })

  it('of the system are there', async () => {
    for (const name of ['_users', '_replicator']) assert.equal((await get(`/${name}`)).status, 200)
  })

  it('are made only as the server knows how to', async function () {
    if (process.env.TEST_URL !== undefined) this.skip()
    const name = `/unmade-${crypto.randomUUID()}`
    assertRefused(await put(`${name}?access=true&q=2`), 501, 'not_implemented', 'A database with access by document has one shard: `q` must be 1')
    assertRefused(await put(`${name}?q=1;access=`), 400, 'bad_request')
    assertRefused(await put(`${name}?encrypted=true`), 400, 'bad_request', 'Unknown parameter `encrypted`: this server does not know how to make such a database.')
    assert.equal((await get(name)).status, 404)
    assert.equal((await put(`${name}?access=false&q=2&n=1&w=1&partitioned=false&_nonce=7`)).status, 201)
    await remove(name)
  })

  it('are listed with an ETag of what is in the list', async () => {
    for (const [path, change] of /** @type {Array<[string, () => Promise<any>]>} */ ([
      ['/_all_dbs', () => put(`/${db.name}-more`)],
      // CouchDB's does not change with what is in the databases.
      ...(process.env.TEST_URL === undefined ? [[`/_dbs_info?key="${db.name}"`, () => db.write('a')]] : [])
    ])) {
      const { headers } = await get(path)
      const known = { headers: { 'If-None-Match': headers.get('etag') } }
      assert.equal((await get(path, known)).status, 304, path)
      await change()
      const changed = await get(path, known)
      assert.equal(changed.status, 200, path)
      assert.notEqual(changed.headers.get('etag'), headers.get('etag'))
    }
    await remove(`/${db.name}-more`)
    assert.equal((await get('/_all_dbs?limit=0')).text, '[]\n')
  })

  it('are made and deleted by administrators only', async () => {
    const headers = { Authorization: '' }
    assertRefused(await request('PUT', '/anonymous-database', { headers }), 401, 'unauthorized', 'You are not a server admin.')
    assertRefused(await request('DELETE', db.path(), { headers }), 401, 'unauthorized', 'You are not a server admin.')
    assertRefused(await post('/_all_dbs', {}), 405, 'method_not_allowed')
  })
})
