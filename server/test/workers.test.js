'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs/promises')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { MemoryLevel } = require('memory-level')
const { serve } = require('..')
const { Service } = require('../lib/service/service')
const { OwnerOnlyError } = require('../lib/workers/owner-only-error')
const { OWNERS, ThreadService } = require('../lib/workers/thread-service')

const ADMIN = 'Basic ' + Buffer.from('admin:secret').toString('base64')
const JAN = 'Basic ' + Buffer.from('jan:apple').toString('base64')
const WORKERS = 2
const CONNECTIONS = 8

describe('the service of a thread', () => {
  it('has each member of Service, or says that the owner has it', async () => {
    const service = await Service.open({ storage: 'memory', onFirstAdmin () {} })
    const level = new MemoryLevel()
    const thread = new ThreadService({ level, sections: {}, version: 0, shared: new Int32Array(2), counts: service.counts, write () {} })
    const members = new Set([...Object.keys(service), ...Object.getOwnPropertyNames(Service.prototype), ...Object.keys(Object.getOwnPropertyDescriptors(service))])
    assert.deepEqual([...members].filter(name => !OWNERS.includes(name) && !(name in thread)), [])
    for (const name of OWNERS) assert.throws(() => thread[name], OwnerOnlyError, name)
    thread.log.close()
    await service.close()
  })
})

describe('HTTP from several threads', function () {
  this.timeout(600_000)
  let folder, server
  /** Agents of one connection each, which the threads share among them. */
  let agents
  const logged = []

  before(async () => {
    const shared = await fs.access('/dev/shm').then(() => '/dev/shm', () => os.tmpdir())
    folder = await fs.mkdtemp(path.join(shared, 'potoroo-workers-'))
    server = await serve({
      port: 0,
      path: folder,
      storage: 'pmem',
      size: 64 * 1024 * 1024,
      allowVolatile: true,
      workers: WORKERS,
      admins: { admin: 'secret' },
      config: { chttpd_auth: { iterations: 10 } },
      log: text => logged.push(text)
    })
    agents = Array.from({ length: CONNECTIONS }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }))
  })
  after(async () => {
    agents.forEach(agent => agent.destroy())
    await server.close()
    await fs.rm(folder, { recursive: true, force: true })
  })

  let db
  beforeEach(async () => {
    db = `/db-${crypto.randomUUID()}`
    assert.equal((await send('PUT', db)).status, 201)
  })

  /** @returns {Promise<{ status: number, headers: any, body: any, bytes: Buffer }>} */
  async function send (method, url, { body, connection = 0, authorization = ADMIN, headers } = /** @type {any} */ ({})) {
    const response = await open(method, url, { body, connection, authorization, headers })
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const isJson = response.headers['content-type'] === 'application/json' && bytes.length > 0
    return { status: response.statusCode, headers: response.headers, bytes, body: isJson ? JSON.parse(bytes.toString()) : undefined }
  }

  async function open (method, url, { body, connection = 0, authorization = ADMIN, headers } = /** @type {any} */ ({})) {
    const isBytes = body instanceof Uint8Array
    const bytes = body === undefined || isBytes ? body : JSON.stringify(body)
    const request = http.request(server.url + url, {
      method,
      agent: agents[connection],
      headers: {
        ...(authorization && { authorization }),
        ...(body !== undefined && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json', 'content-length': Buffer.byteLength(bytes) }),
        ...headers
      }
    })
    request.end(bytes)
    const [response] = await once(request, 'response')
    return response
  }

  const everywhere = ask => Promise.all(agents.map((_, connection) => ask(connection)))

  /** How often the owner is asked for a database while something is done. */
  async function askedOwner (act) {
    const { databases } = server.service
    const { get } = databases
    let asked = 0
    databases.get = name => {
      if (`/${name}` === db) asked++
      return get.call(databases, name)
    }
    try {
      await act()
    } finally {
      delete databases.get
    }
    return asked
  }

  it('answers what can be read from the pool without asking the owner', async () => {
    const { body: { rev } } = await send('PUT', `${db}/d`, { body: { n: 1 } })
    await send('PUT', `${db}/_local/l`, { body: { n: 1 } })
    await send('PUT', `${db}/d/a?rev=${rev}`, { body: Buffer.from('content') })
    await everywhere(connection => send('GET', `${db}/d`, { connection }))
    const reads = [
      ['GET', 'd'], ['HEAD', 'd'], ['GET', 'd?revs=true'], ['GET', `d?rev=${rev}`], ['GET', 'd?attachments=true'], ['GET', '_local/l'], ['GET', 'd/a'],
      ['GET', '_all_docs?include_docs=true'], ['GET', '_all_docs?keys=["d"]'], ['POST', '_all_docs', { keys: ['d'] }],
      ['POST', '_bulk_get', { docs: [{ id: 'd' }] }], ['POST', '_revs_diff', { d: [rev] }]
    ]
    const asked = await askedOwner(() => everywhere(async connection => {
      for (const [method, url, body] of reads) {
        const { status } = await send(method, `${db}/${url}`, { body, connection })
        assert.equal(status, 200, `${method} ${url}`)
      }
    }))
    assert.equal(asked, 0)
  })

  it('answers what the owner answers', async () => {
    await send('PUT', `${db}/d`, { body: { n: 1 } })
    const missing = { d: ['2-b'], new: ['1-a'] }
    const reads = [
      ['GET', 'd?'], ['GET', 'd?open_revs=["2-b"]&', undefined, { accept: 'application/json' }], ['GET', '_all_docs?'], ['GET', '_changes?'],
      ['POST', '_all_docs?', { keys: ['d', 'new'] }], ['POST', '_bulk_get?', { docs: [{ id: 'd' }, { id: 'new' }] }],
      ['POST', '_revs_diff?', missing], ['POST', '_missing_revs?', missing]
    ]
    for (const [method, url, body, headers] of reads) {
      // Threads pass on a request with a parameter that they do not know.
      const { body: owners } = await send(method, `${db}/${url}owner=please`, { body, headers })
      assert.notEqual(owners, undefined, url)
      await everywhere(async connection => {
        const { body: answer } = await send(method, `${db}/${url.slice(0, -1)}`, { body, headers, connection })
        assert.deepEqual(answer, owners, url)
      })
    }
  })

  it('reads what was written, whoever wrote it', async () => {
    for (let n = 0; n < 100; n++) {
      const before = n === 0 ? undefined : (await send('GET', `${db}/d`, { connection: n % CONNECTIONS })).body._rev
      const { status, body: { rev } } = await send('PUT', `${db}/d`, { body: { n, _rev: before }, connection: (n * 3) % CONNECTIONS })
      assert.equal(status, 201)
      const seen = await everywhere(connection => send('GET', `${db}/d`, { connection }))
      assert.deepEqual(seen.map(({ body }) => [body._rev, body.n]), seen.map(() => [rev, n]))
    }
    const changes = await everywhere(connection => send('GET', `${db}/_changes`, { connection }))
    for (const { body } of changes) assert.deepEqual(body.results.map(({ seq }) => seq.split('-')[0]), ['100'])
  })

  it('counts the rows that it lists while others write', async () => {
    const written = new AbortController()
    const write = (async () => {
      for (let n = 0; n < 100; n++) await send('PUT', `${db}/d${n}`, { body: {} })
      written.abort()
    })()
    await Promise.all([1, 2, 3].map(async connection => {
      while (!written.signal.aborted) {
        const { body } = await send('GET', `${db}/_all_docs`, { connection })
        assert.equal(body.rows.length, body.total_rows)
        const { body: { results, last_seq: last } } = await send('GET', `${db}/_changes`, { connection })
        assert.equal(results.length, parseInt(last))
      }
    }))
    await write
  })

  it('reads partitions, and refuses ids without one, whoever answers', async () => {
    const name = `${db}-partitioned`
    await send('PUT', `${name}?partitioned=true`)
    await send('PUT', `${name}/a:1`, { body: {} })
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      assert.equal((await send('GET', `${name}/none`, { connection })).body.error, 'illegal_docid')
      for (const answer of [await send('GET', `${name}/_partition/a/_all_docs`, { connection }), await send('POST', `${name}/_all_docs`, { connection, body: { partition: 'a' } })]) {
        assert.deepEqual(answer.body.rows.map(({ id }) => id), ['a:1'])
      }
    }
  })

  it('counts the requests of all threads', async () => {
    const read = async () => (await send('GET', '/_node/_local/_stats/couchdb/httpd_request_methods/GET')).body.value
    const before = await read()
    for (let connection = 0; connection < CONNECTIONS; connection++) await send('GET', `${db}/none`, { connection })
    assert.equal(await read() - before, CONNECTIONS + 1)
  })

  it('forgets a database that was deleted', async () => {
    await send('PUT', `${db}/d`, { body: { of: 'the first' } })
    await everywhere(connection => send('GET', `${db}/d`, { connection }))
    await send('DELETE', db)
    for (const { status } of await everywhere(connection => send('GET', `${db}/d`, { connection }))) assert.equal(status, 404)
    await send('PUT', db)
    await send('PUT', `${db}/d`, { body: { of: 'the second' } })
    for (const { body } of await everywhere(connection => send('GET', `${db}/d`, { connection }))) assert.equal(body.of, 'the second')
  })

  describe('for a user', () => {
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
      assert.equal(await askedOwner(async () => {
        for (const { status } of await everywhere(withCookie)) assert.equal(status, 200)
      }), 0)
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
      assert.equal(await askedOwner(statuses), 0)
      const { body: { _rev } } = await send('GET', '/_users/org.couchdb.user:eva')
      await send('DELETE', `/_users/org.couchdb.user:eva?rev=${_rev}`)
    })
  })

  it('takes the configuration as it is', async () => {
    await send('PUT', `${db}/d`, { body: {} })
    await send('PUT', `${db}/_security`, { body: { members: {}, admins: {} } })
    const anonymous = connection => send('GET', `${db}/d`, { connection, authorization: null })
    await everywhere(anonymous)
    for (const { status } of await everywhere(anonymous)) assert.equal(status, 200)
    await send('PUT', '/_node/_local/_config/chttpd/require_valid_user', { body: 'true' })
    for (const { status } of await everywhere(anonymous)) assert.equal(status, 401)
    await send('PUT', '/_node/_local/_config/chttpd/require_valid_user', { body: 'false' })
    for (const { status } of await everywhere(anonymous)) assert.equal(status, 200)
  })

  it('lets nobody without a name read because they may try to log in', async () => {
    await send('PUT', `${db}/_security`, { body: {} })
    assert.equal((await send('PUT', `${db}/open`, { body: {} })).status, 201)
    await send('PUT', '/_node/_local/_config/chttpd/require_valid_user', { body: 'true' })
    const cookie = { Cookie: 'AuthSession=YTpiOmM' }
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      for (const headers of [{}, cookie]) {
        await send('POST', '/_session', { connection, authorization: null, headers, body: { name: 'admin', password: 'secret' } })
        assert.equal((await send('GET', `${db}/open`, { connection, authorization: null, headers })).status, 401)
      }
    }
    await send('PUT', '/_node/_local/_config/chttpd/require_valid_user', { body: 'false' })
  })

  it('answers after the last virtual host has gone as before the first', async () => {
    await send('PUT', `${db}/d`, { body: {} })
    const host = '/_node/_local/_config/vhosts/elsewhere.example'
    await send('PUT', host, { body: '/elsewhere' })
    await send('DELETE', host)
    await everywhere(connection => send('GET', `${db}/d`, { connection }))
    assert.equal(await askedOwner(() => everywhere(connection => send('GET', `${db}/d`, { connection }))), 0)
  })

  it('minds no cookie where cookies mean nothing', async () => {
    const setting = '/_node/_local/_config/chttpd/authentication_handlers'
    await send('PUT', setting, { body: '{chttpd_auth, default_authentication_handler}' })
    try {
      const answers = await everywhere(connection => send('GET', '/', { connection, authorization: null, headers: { cookie: 'AuthSession=malformed' } }))
      assert.deepEqual(answers.map(({ status }) => status), answers.map(() => 200))
    } finally {
      await send('DELETE', setting)
    }
  })

  it('answers what is asked as of a proxy', async () => {
    await send('PUT', `${db}/d`, { body: {} })
    const paths = ['/_session', '/_all_dbs', '/_scheduler/jobs', '/_up', db, `${db}/d`, `${db}/_all_docs`, `${db}/_security`]
    const ask = (path, connection) => new Promise((resolve, reject) => {
      const options = { port: new URL(server.url).port, path, agent: agents[connection], headers: { authorization: ADMIN } }
      http.get(options, response => { response.toArray().then(chunks => resolve([response.statusCode, Buffer.concat(chunks).toString()]), reject) }).on('error', reject)
    })
    for (const path of paths) {
      const expected = await ask(path, 0)
      assert.equal(expected[0], 200, path)
      for (let n = 0; n < 2; n++) assert.deepEqual(await ask(`http://proxied.example${path}`, 1), expected)
    }
  })

  it('tells feeds of what others write', async () => {
    const feed = await open('GET', `${db}/_changes?feed=continuous&heartbeat=1000`, { connection: 1 })
    feed.setEncoding('utf8')
    let text = ''
    const heard = (async () => {
      for await (const chunk of feed) {
        text += chunk
        if (text.includes('"last"')) return
      }
    })()
    const longpoll = send('GET', `${db}/_changes?feed=longpoll`, { connection: 2 })
    for (const id of ['first', 'last']) await send('PUT', `${db}/${id}`, { body: {}, connection: 3 })
    await heard
    feed.destroy()
    assert.deepEqual(text.split('\n').filter(Boolean).map(line => JSON.parse(line).id), ['first', 'last'])
    assert.equal((await longpoll).body.results[0].id, 'first')
  })

  it('streams what is long, both ways', async () => {
    const content = crypto.randomBytes(3_000_000)
    const { status, body: { rev } } = await send('PUT', `${db}/d/a`, { body: content })
    assert.equal(status, 201)
    const direct = await send('GET', `${db}/d/a`, { connection: 1 })
    assert.ok(direct.bytes.equals(content))
    const part = await send('GET', `${db}/d/a?rev=${rev}`, { connection: 1, headers: { range: 'bytes=1000-1999999' } })
    assert.equal(part.status, 206)
    assert.ok(part.bytes.equals(content.subarray(1000, 2000000)))
    const again = await send('GET', `${db}/d/a`, { connection: 1, headers: { 'if-none-match': direct.headers.etag } })
    assert.equal(again.status, 304)
  })

  it('serves files to all', async () => {
    const { folder: release } = require('@potoroo/fauxton')
    const [name] = (await fs.readdir(path.join(release, 'dashboard.assets/js'))).filter(name => name.startsWith('vendor'))
    const content = await fs.readFile(path.join(release, 'dashboard.assets/js', name))
    assert.ok(content.length > 1_000_000)
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      const { status, bytes } = await send('GET', `/_utils/dashboard.assets/js/${name}`, { connection })
      assert.equal(status, 200)
      assert.ok(bytes.equals(content))
    }
  })

  it('ends what goes on for a client that has gone', async () => {
    const store = await server.service.databases.get(db.slice(1))
    const { follow } = store
    const ended = new Promise(resolve => {
      store.follow = options => {
        options.signal.addEventListener('abort', resolve)
        return follow.call(store, options)
      }
    })
    const feed = await open('GET', `${db}/_changes?feed=continuous`, { connection: 1 })
    feed.destroy()
    await ended
  })

  it('breaks off no more than the answer that cannot be sent', async () => {
    const show = "function () { return { headers: { 'X-Bad': 'two\\r\\nlines' }, body: 'x' } }"
    await send('PUT', `${db}/_design/d`, { body: { shows: { bad: show } } })
    const before = server.server.workers
    const outcome = await send('GET', `${db}/_design/d/_show/bad`, { connection: 1 }).then(({ status }) => status, error => error.code)
    assert.ok(outcome >= 400 || outcome === 'ECONNRESET', String(outcome))
    assert.equal((await send('GET', db, { connection: 2 })).status, 200)
    assert.deepEqual(server.server.workers, before)
  })

  it('logs a request once that a thread has begun and passes on', async () => {
    const lines = text => logged.join('').split('\n').filter(line => line.includes(text))
    const later = `${db}/later`
    const passedOn = `${db}%2F_replicator/begun`
    await send('PUT', '/_node/_local/_config/log/level', { body: 'notice' })
    try {
      for (const url of [later, passedOn, later]) assert.equal((await send('GET', url)).status, 404)
      // The lines of one thread come in their order.
      while (lines(later).length < 2) await new Promise(setImmediate)
    } finally {
      await send('DELETE', '/_node/_local/_config/log/level')
    }
    assert.equal(lines(passedOn).length, 1, logged.join(''))
  })

  it('goes on when a thread dies, and has another in its place', async () => {
    await send('PUT', `${db}/d`, { body: {} })
    const [victim] = server.server.workers
    const before = server.server.workers.length
    await victim.terminate()
    // Connections of that thread are gone; others are there for new ones at once.
    const fresh = new http.Agent()
    const [response] = await once(http.get(`${server.url}${db}/d`, { agent: fresh, headers: { authorization: ADMIN } }), 'response')
    assert.equal(response.statusCode, 200)
    response.resume()
    await server.server.replaced
    assert.equal(server.server.workers.length, before)
    assert.ok(!server.server.workers.includes(victim))
    assert.ok(logged.join('').includes('another takes its place'))
    agents = agents.map(agent => { agent.destroy(); return new http.Agent({ keepAlive: true, maxSockets: 1 }) })
    for (const { status } of await everywhere(connection => send('GET', `${db}/d`, { connection }))) assert.equal(status, 200)
  })
})

describe('Where threads cannot share the storage', () => {
  it('one serves HTTP, and it says so', async () => {
    const logged = []
    const server = await serve({ port: 0, storage: 'memory', workers: 4, admins: { admin: 'secret' }, config: { chttpd_auth: { iterations: 10 } }, log: text => logged.push(text) })
    try {
      assert.equal((await fetch(server.url)).status, 200)
    } finally {
      await server.close()
    }
    assert.match(logged.join(''), /served from 1 thread and not from 4 workers: only the storage pmem/)
  })
})
