'use strict'

const assert = require('node:assert/strict')
const { CONNECTIONS, ThreadedServer } = require('./threaded-server')

const JAN = 'Basic ' + Buffer.from('jan:apple').toString('base64')

describe('users of several threads', function () {
  this.timeout(600_000)
  const threads = ThreadedServer.forTests()
  const { everywhere, send, withoutOwner } = threads
  let db
  beforeEach(() => { db = threads.db })

  const user = '/_users/org.couchdb.user:jan'
  const read = connection => send('GET', `${db}/d`, { connection, authorization: JAN })
  const statuses = async () => [...new Set((await everywhere(read)).map(({ status }) => status))]

  beforeEach(async () => {
    await send('PUT', user, { body: { name: 'jan', password: 'apple', roles: ['reader'], type: 'user' } })
    await send('PUT', `${db}/d`, { body: {} })
    await send('PUT', `${db}/_security`, { body: { members: { roles: ['reader'] } } })
    // Twice: from the second time on threads know them.
    await statuses()
    assert.deepEqual(await statuses(), [200])
  })
  afterEach(async () => {
    const { status, body } = await send('GET', user)
    if (status === 200) await send('DELETE', `${user}?rev=${body._rev}`)
  })

  it('a change of the security object holds everywhere once it was acknowledged', async () => {
    for (let n = 0; n < 20; n++) {
      await send('PUT', `${db}/_security`, { body: { members: { roles: ['others'] } }, connection: n % CONNECTIONS })
      assert.deepEqual(await statuses(), [403])
      await send('PUT', `${db}/_security`, { body: { members: { roles: ['reader'] } }, connection: n % CONNECTIONS })
      assert.deepEqual(await statuses(), [200])
    }
  })

  it('wrong passwords lock everywhere', async () => {
    const wrong = 'Basic ' + Buffer.from('jan:pear').toString('base64')
    await send('PUT', '/_node/_local/_config/chttpd/trusted_proxies', { body: 'loopback' })
    await send('PUT', '/_node/_local/_config/chttpd_auth_lockout/mode', { body: 'enforce' })
    for (let n = 0; n < 5; n++) assert.equal((await send('GET', `${db}/d`, { authorization: wrong })).status, 401)
    const locked = await statuses()
    await send('PUT', '/_node/_local/_config/chttpd_auth_lockout/mode', { body: 'off' })
    assert.deepEqual(locked, [403])
  })

  it('so does a change of the roles', async () => {
    const { body } = await send('GET', user)
    await send('PUT', user, { body: { ...body, roles: [] } })
    assert.deepEqual(await statuses(), [403])
  })

  it('so does another password, and so does the end of the user', async () => {
    const { body } = await send('GET', user)
    const { body: { rev } } = await send('PUT', user, { body: { ...body, password: 'pear' } })
    assert.deepEqual(await statuses(), [401])
    await send('PUT', user, { body: { ...body, _rev: rev, password: 'apple' } })
    await statuses()
    assert.deepEqual(await statuses(), [200])
    const { body: { _rev } } = await send('GET', user)
    await send('DELETE', `${user}?rev=${_rev}`)
    assert.deepEqual(await statuses(), [401])
  })

  it('a session is known by its cookie, and not when its user is gone', async () => {
    const { headers } = await send('POST', '/_session', { body: { name: 'jan', password: 'apple' }, authorization: null })
    const cookie = headers['set-cookie'][0].split(';')[0]
    const withCookie = connection => send('GET', `${db}/d`, { connection, authorization: null, headers: { cookie } })
    await everywhere(withCookie)
    await withoutOwner(async () => {
      for (const { status } of await everywhere(withCookie)) assert.equal(status, 200)
    })
    const { body: { _rev } } = await send('GET', user)
    await send('DELETE', `${user}?rev=${_rev}`)
    for (const { status } of await everywhere(withCookie)) assert.equal(status, 401)
  })

  it('wrong passwords lock one client behind a proxy, and whoever knows the right one from another is no key', async () => {
    const from = (address, authorization, connection = 0) => send('GET', `${db}/d`, { authorization, connection, headers: { 'x-forwarded-for': address } })
    const wrong = 'Basic ' + Buffer.from('jan:pear').toString('base64')
    await send('PUT', '/_node/_local/_config/chttpd_auth_lockout/mode', { body: 'enforce' })
    for (let n = 0; n < 5; n++) await from('192.0.2.1', wrong)
    // Twice, so that all threads know them.
    for (let n = 0; n < 2; n++) for (const { status } of await everywhere(connection => from('192.0.2.2', JAN, connection))) assert.equal(status, 200)
    const locked = await everywhere(connection => from('192.0.2.1', JAN, connection))
    await send('PUT', '/_node/_local/_config/chttpd_auth_lockout/mode', { body: 'off' })
    assert.deepEqual([...new Set(locked.map(({ status }) => status))], [403])
  })

  it('connections know them again after others have changed', async () => {
    await send('PUT', '/_users/org.couchdb.user:eva', { body: { name: 'eva', password: 'plum', roles: [], type: 'user' } })
    await statuses()
    await withoutOwner(statuses)
    const { body: { _rev } } = await send('GET', '/_users/org.couchdb.user:eva')
    await send('DELETE', `/_users/org.couchdb.user:eva?rev=${_rev}`)
  })
})
