'use strict'

describe('authentication from a page of another origin', () => {
  const { assert, admin, server, serverDatabase, asAdmin, uniqueName, later, urlOf } = window.page
  const credentials = { username: 'jan', password: 'correct horse' }
  let name

  before(async () => {
    const users = await fetch(`${server}/_users`, { headers: { Authorization: `Basic ${btoa(`${admin.username}:${admin.password}`)}` } })
    if (users.status === 404) await asAdmin('PUT', '/_users')
  })

  beforeEach(async () => {
    credentials.username = uniqueName('jan')
    name = await serverDatabase({ open: false })
    const id = `/_users/${encodeURIComponent(`org.couchdb.user:${credentials.username}`)}`
    const { rev } = await asAdmin('PUT', id, { name: credentials.username, password: credentials.password, roles: [], type: 'user' })
    later(() => asAdmin('DELETE', `${id}?rev=${rev}`))
    await asAdmin('PUT', `/${name}/_security`, { admins: { names: [], roles: [] }, members: { names: [credentials.username], roles: [] } })
  })

  const failure = promise => promise.then(() => assert.fail('should have failed'), error => error)

  it('keeps everybody else out, with an error that the page can read', async () => {
    const stranger = new PouchDB(urlOf(name), { skip_setup: true })
    const error = await failure(stranger.allDocs())
    assert.strictEqual(error.status, 401)
    assert.strictEqual(error.name, 'unauthorized')
    const wrong = new PouchDB(urlOf(name), { skip_setup: true, auth: { ...credentials, password: 'wrong' } })
    assert.strictEqual((await failure(wrong.allDocs())).status, 401)
  })

  it('takes a name and password with each request', async () => {
    const database = new PouchDB(urlOf(name), { skip_setup: true, auth: { ...credentials } })
    const { rev } = await database.put({ _id: 'mine', text: 'secret' })
    assert.strictEqual((await database.get('mine'))._rev, rev)
    const error = await failure(database.put({ _id: '_design/no', views: {} }))
    assert.strictEqual(error.status, 403, 'a member is no administrator of the database')
  })

  it('takes a cookie, until it is given back', async () => {
    const session = (method, body) => fetch(`${server}/_session`, {
      method,
      credentials: 'include',
      headers: { 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body)
    })
    const login = await session('POST', { name: credentials.username, password: credentials.password })
    assert.strictEqual(login.status, 200)
    assert.deepInclude(await login.json(), { ok: true, name: credentials.username })
    assert.strictEqual((await (await session('GET')).json()).userCtx.name, credentials.username)

    const database = new PouchDB(urlOf(name), {
      skip_setup: true,
      fetch: (url, options) => PouchDB.fetch(url, { ...options, credentials: 'include' })
    })
    await database.put({ _id: 'by-cookie' })
    assert.strictEqual((await database.get('by-cookie'))._id, 'by-cookie')

    assert.strictEqual((await session('DELETE')).status, 200)
    assert.isNull((await (await session('GET')).json()).userCtx.name)
    assert.strictEqual((await failure(database.get('by-cookie'))).status, 401)
  })

  it('says wrong name or password to a login', async () => {
    const response = await fetch(`${server}/_session`, {
      method: 'POST',
      credentials: 'include',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ name: credentials.username, password: 'wrong' })
    })
    assert.strictEqual(response.status, 401)
    assert.deepEqual(await response.json(), { error: 'unauthorized', reason: 'Name or password is incorrect.' })
  })
})
