'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs/promises')
const http = require('node:http')
const path = require('node:path')
const { ADMIN, CONNECTIONS, ThreadedServer } = require('./threaded-server')

describe('HTTP from several threads', function () {
  this.timeout(600_000)
  const threads = ThreadedServer.forTests()
  const { askedOwner, everywhere, logged, open, send, withoutOwner } = threads
  let db
  beforeEach(() => { db = threads.db })

  it('tells of a database of several shards beside others', async () => {
    const name = `${db}-sharded`
    await send('PUT', `${name}?q=2`)
    await send('PUT', `${name}/d`, { body: { n: 1 } })
    const { status, body } = await send('GET', `/_dbs_info?keys=${encodeURIComponent(JSON.stringify([name.slice(1), db.slice(1)]))}`)
    assert.equal(status, 200)
    const counts = Object.fromEntries(body.map(({ key, info }) => [`/${key}`, info.doc_count]))
    assert.deepEqual([counts[name], counts[db]], [1, 0])
    await send('DELETE', name)
  })

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
    const read = async () => (await send('GET', '/_node/_local/_stats/couchdb/httpd_status_codes/404')).body.value
    const before = await read()
    for (let connection = 0; connection < CONNECTIONS; connection++) await send('GET', `${db}/none`, { connection })
    // A thread counts a request when it is answered.
    while (await read() - before < CONNECTIONS);
    assert.equal(await read() - before, CONNECTIONS)
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
    await withoutOwner(() => everywhere(connection => send('GET', `${db}/d`, { connection })))
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
      const options = { port: new URL(threads.server.url).port, path, agent: threads.agents[connection], headers: { authorization: ADMIN } }
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
    const store = await threads.server.service.databases.get(db.slice(1))
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
    const before = threads.server.server.workers
    const outcome = await send('GET', `${db}/_design/d/_show/bad`, { connection: 1 }).then(({ status }) => status, error => error.code)
    assert.ok(outcome >= 400 || outcome === 'ECONNRESET', String(outcome))
    assert.equal((await send('GET', db, { connection: 2 })).status, 200)
    assert.deepEqual(threads.server.server.workers, before)
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
    const [victim] = threads.server.server.workers
    const before = threads.server.server.workers.length
    await victim.terminate()
    // Connections of that thread are gone; others are there for new ones at once.
    const fresh = new http.Agent()
    const [response] = await once(http.get(`${threads.server.url}${db}/d`, { agent: fresh, headers: { authorization: ADMIN } }), 'response')
    assert.equal(response.statusCode, 200)
    response.resume()
    await threads.server.server.replaced
    assert.equal(threads.server.server.workers.length, before)
    assert.ok(!threads.server.server.workers.includes(victim))
    assert.ok(logged.join('').includes('another takes its place'))
    threads.connect()
    for (const { status } of await everywhere(connection => send('GET', `${db}/d`, { connection }))) assert.equal(status, 200)
  })
})
