'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { request, get, put, remove } = require('./support/request')
const { server } = require('./support/server')

const basic = (name, password) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

describe('users and security', () => {
  const db = new TestDatabase()
  const name = `jan-${crypto.randomUUID()}`
  const path = `/_users/org.couchdb.user:${name}`
  const jan = { headers: { Authorization: basic(name, 'apple') } }
  const nobody = { headers: { Authorization: '' } }
  const as = (method, where, body, options = jan) => request(method, db.path(where), { ...options, body })
  const userDocument = { _id: `org.couchdb.user:${name}`, name, type: 'user', roles: ['editors'], password: 'apple' }

  beforeEach(async () => { assert.equal((await put(path, userDocument)).status, 201) })
  afterEach(async () => {
    const { _rev: rev } = (await get(path)).body
    await remove(`${path}?rev=${rev}`)
  })

  it('keeps no password', async () => {
    const { body } = await get(path)
    assert.equal(body.password, undefined)
    assert.equal(body.password_scheme, 'pbkdf2')
    assert.match(body.derived_key, /^[0-9a-f]{40,}$/)
    assert.equal(typeof body.salt, 'string')
  })

  it('knows users by name and password', async () => {
    const { body } = await get('/_session', jan)
    assert.deepEqual(body.userCtx, { name, roles: ['editors'] })
    assert.equal(body.info.authenticated, 'default')
    assertRefused(await get('/_session', { headers: { Authorization: basic(name, 'pear') } }), 401, 'unauthorized', 'Name or password is incorrect.')
    assertRefused(await get('/_session', { headers: { Authorization: basic('nobody', 'x') } }), 401, 'unauthorized')
    assert.deepEqual((await get('/_session', nobody)).body.userCtx, { name: null, roles: [] })
  })

  it('takes a new password at once, and the old one no more', async () => {
    await get('/_session', jan)
    const { body } = await get(path)
    assert.equal((await put(path, { ...body, password: 'plum' })).status, 201)
    assertRefused(await get('/_session', jan), 401, 'unauthorized')
    assert.equal((await get('/_session', { headers: { Authorization: basic(name, 'plum') } })).status, 200)
  })

  it('gives new databases to administrators alone', async () => {
    assert.deepEqual((await db.get('_security')).body, { members: { roles: ['_admin'] }, admins: { roles: ['_admin'] } })
    assertRefused(await as('GET', '', undefined, nobody), 401, 'unauthorized', 'You are not authorized to access this db.')
    assertRefused(await as('GET', ''), 403, 'forbidden', 'You are not allowed to access this db.')
    assertRefused(await as('PUT', 'a', {}), 403, 'forbidden')
    for (const route of ['_all_docs', '_changes', '_security', 'a', 'a/b', '_design/x/_view/y', '_local/x']) {
      assertRefused(await as('GET', route, undefined, nobody), 401, 'unauthorized')
    }
  })

  for (const [what, members] of [['name', { names: [name] }], ['role', { roles: ['editors'] }]]) {
    it(`lets members in by ${what}, but not to design documents`, async () => {
      assert.deepEqual((await db.put('_security', { members, admins: { roles: ['_admin'] } })).body, { ok: true })
      assert.equal((await as('PUT', 'a', {})).status, 201)
      assert.equal((await as('GET', '_all_docs')).status, 200)
      assertRefused(await as('PUT', '_design/x', {}), 403, 'forbidden', 'You are not a db or server admin.')
      const { body } = await as('POST', '_bulk_docs', { docs: [{ _id: '_design/x' }, { _id: 'b' }] })
      assert.equal(body[0].error, 'forbidden')
      assert.equal(body[1].ok, true)
      assertRefused(await as('PUT', '_security', {}), 403, 'forbidden')
      assertRefused(await as('GET', '', undefined, nobody), 401, 'unauthorized')
    })
  }

  it('lets everybody in where there are no members', async () => {
    await db.put('_security', {})
    assert.equal((await as('GET', '', undefined, nobody)).status, 200)
    assert.equal((await as('PUT', 'a', {}, nobody)).status, 201)
    assertRefused(await as('PUT', '_design/a', {}, nobody), 401, 'unauthorized', 'You are not a db or server admin.')
  })

  it('lets a database\'s administrators do what members cannot', async () => {
    await db.put('_security', { admins: { names: [name] }, members: { names: ['somebody'] } })
    assert.equal((await as('PUT', '_design/x', {})).status, 201)
    assert.equal((await as('PUT', '_security', { admins: { names: [name] } })).status, 200)
    assertRefused(await as('DELETE', ''), 401, 'unauthorized', 'You are not a server admin.')
  })

  it('refuses what is no security object', async () => {
    for (const bad of [[], 'x', { admins: [] }, { members: { names: 'jan' } }, { members: { roles: [1] } }]) {
      assert.equal((await db.put('_security', JSON.stringify(bad))).status, 400, JSON.stringify(bad))
    }
    assert.deepEqual((await db.get('_security')).body.members, { roles: ['_admin'] })
  })

  for (const [what, change] of [
    ['no type', { type: undefined }], ['no name', { name: undefined }], ['roles that are no list', { roles: 'a' }],
    ['roles that are no strings', { roles: [1] }], ['another name', { name: 'other' }], ['a system role', { roles: ['_admin'] }]
  ]) {
    it(`refuses a user with ${what}`, async () => {
      const { body } = await get(path)
      assertRefused(await put(path, { ...body, ...change }), 403, 'forbidden')
    })
  }

  describe('cookies', () => {
    const login = body => request('POST', '/_session', { ...nobody, body })

    it('log in and out', async () => {
      const answer = await login({ name, password: 'apple' })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { ok: true, name, roles: ['editors'] })
      const header = answer.headers.get('set-cookie')
      assert.match(header, /^AuthSession=[^;]+;.*HttpOnly/)
      const cookie = { headers: { Authorization: '', Cookie: header.split(';')[0] } }
      const session = await get('/_session', cookie)
      assert.equal(session.body.userCtx.name, name)
      assert.equal(session.body.info.authenticated, 'cookie')
      const out = await request('DELETE', '/_session', cookie)
      assert.deepEqual(out.body, { ok: true })
      assert.match(out.headers.get('set-cookie'), /^AuthSession=;/)
    })

    it('come by a form too', async () => {
      const body = new URLSearchParams({ name: server.credentials.username, password: server.credentials.password }).toString()
      const answer = await request('POST', '/_session', { headers: { Authorization: '', 'Content-Type': 'application/x-www-form-urlencoded' }, body })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body.roles, ['_admin'])
    })

    it('are not given for a wrong password', async () => {
      const answer = await login({ name, password: 'pear' })
      assertRefused(answer, 401, 'unauthorized', 'Name or password is incorrect.')
      assert.doesNotMatch(answer.headers.get('set-cookie') ?? '', /AuthSession=[^;]/)
      assert.equal((await login({ name })).status >= 400, true)
    })

    it('are worth nothing when they are forged', async () => {
      const value = (await login({ name, password: 'apple' })).headers.get('set-cookie').split(';')[0].slice('AuthSession='.length)
      const bytes = Buffer.from(value, 'base64url')
      const admin = Buffer.concat([Buffer.from(server.credentials.username), bytes.subarray(bytes.indexOf(':'))])
      const forged = await get('/_session', { headers: { Authorization: '', Cookie: `AuthSession=${admin.toString('base64url')}` } })
      assert.equal(forged.body.userCtx.name, null)
      assertRefused(await get('/_session', { headers: { Authorization: '', Cookie: 'AuthSession=garbage' } }), 400, 'bad_request')
    })

    it('end with the password', async () => {
      const cookie = { headers: { Authorization: '', Cookie: (await login({ name, password: 'apple' })).headers.get('set-cookie').split(';')[0] } }
      assert.equal((await get('/_session', cookie)).body.userCtx.name, name)
      const { body } = await get(path)
      await put(path, { ...body, password: 'plum' })
      assert.equal((await get('/_session', cookie)).body.userCtx.name, null)
    })
  })
})
