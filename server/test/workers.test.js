'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs/promises')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const zlib = require('node:zlib')
const { MemoryLevel } = require('memory-level')
const { serve } = require('..')
const { Service } = require('../lib/service/service')
const { threadsFor } = require('../lib/workers/http-threads')
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

describe('how many threads serve HTTP', () => {
  it('is what was asked for, or one for each core', () => {
    assert.deepEqual([threadsFor(5, 2), threadsFor('auto', 1), threadsFor('auto', 2), threadsFor('auto', 3), threadsFor('auto', 64)], [5, 1, 2, 3, 8])
  })

  it('is one where the storage is not shared, without a word where nobody asked for more', async () => {
    for (const [workers, said] of [['auto', false], ['3', true]]) {
      const logged = []
      const server = await serve({ port: 0, storage: 'memory', config: { chttpd: { workers } }, admins: { admin: 'secret' }, log: text => logged.push(text) })
      const answer = await fetch(`${server.url}/_up`)
      assert.equal(answer.status, 200)
      await server.close()
      assert.equal(logged.join('').includes('HTTP is served from 1 thread'), said, logged.join(''))
    }
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
      // Tests count what is indexed because it is asked for.
      config: { chttpd_auth: { iterations: 10 }, ken: { batch_channels: 0, incremental_channels: 0 } },
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

  /** Resolves when the threads know who asks, and the configuration as it is now: they pass on till then. */
  async function settled () {
    while (await askedOwner(() => everywhere(connection => send('GET', `${db}/d1`, { connection }))) > 0);
  }

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

  describe('searches of text', () => {
    const index = 'function (doc) { if (doc.text) index("default", doc.text, { store: true }); if (doc.n) index("n", doc.n, { facet: true }) }'
    const nouveau = 'function (doc) { index("text", "default", doc.text); if (doc.n) index("double", "n", doc.n) }'
    const search = '_design/d/_search/text'
    const design = { indexes: { text: { index } }, nouveau: { text: { index: nouveau } } }
    const hits = ({ body }) => body.rows.map(({ id }) => id)

    beforeEach(async () => {
      await send('PUT', `${db}/_design/d`, { body: design })
      const docs = Array.from({ length: 20 }, (_, n) => ({ _id: `d${n}`, text: n % 3 === 0 ? 'red apple' : 'green apple', n: n % 5 }))
      await send('POST', `${db}/_bulk_docs`, { body: { docs } })
    })
    const build = () => Promise.all(['_search', '_nouveau'].map(way => send('GET', `${db}/_design/d/${way}/text?q=apple`)))

    it('ask the owner only where an index is not up to date', async () => {
      await build()
      await everywhere(connection => send('GET', `${db}/d1`, { connection }))
      const asks = [
        ['GET', `${search}?q=apple`], ['POST', search, { q: 'apple' }], ['GET', '_design/d/_nouveau/text?q=apple'], ['POST', '_design/d/_nouveau/text', { q: 'apple' }],
        ['GET', `${search}?q=apple&stale=ok`], ['GET', `${search}?q=red&include_docs=true&limit=2`]
      ]
      const askAll = () => everywhere(async connection => {
        for (const [method, url, body] of asks) assert.equal((await send(method, `${db}/${url}`, { body, connection })).status, 200, url)
      })
      assert.equal(await askedOwner(askAll), 0)
      await send('PUT', `${db}/more`, { body: { text: 'red' } })
      assert.equal(await askedOwner(async () => {
        for (let connection = 0; connection < CONNECTIONS; connection++) assert.ok(hits(await send('GET', `${db}/${search}?q=red&stale=ok`, { connection })).length >= 7)
      }), 0)
      assert.ok(await askedOwner(() => send('GET', `${db}/${search}?q=red`)) > 0)
    })

    it('find what the owner finds', async () => {
      await build()
      const asks = [
        ['GET', `${search}?q=red&`], ['GET', `${search}?q=n:[1 TO 3]&sort="-n"&limit=3&`], ['GET', `${search}?q=apple&counts=["n"]&ranges={"n":{"few":"[0 TO 2]"}}&limit=0&`],
        ['GET', `${search}?q=apple&drilldown=["n","1"]&`], ['GET', `${search}?q=apple&group_field=n&group_limit=2&`], ['GET', `${search}?q=red&highlight_fields=["default"]&`],
        ['GET', `${search}?q="red apple"&include_docs=true&include_fields=[]&`], ['POST', `${search}?`, { q: 'green', limit: 2 }],
        ['GET', '_design/d/_nouveau/text?q=red&counts=["n"]&'], ['POST', '_design/d/_nouveau/text?', { q: 'n:[1 TO 2]', sort: '-n', include_docs: true }],
        ['GET', `${search}?q=(red&`], ['GET', `${search}?limit=2&`], ['GET', `${search}?q=red&limit=1000&`], ['POST', `${search}?`, { q: 3 }], ['POST', `${search}?`, []],
        ['GET', `${search}?q=red&bookmark=x&`], ['GET', `${search}?q=red&partition=p&`], ['GET', '_design/d/_search/none?q=red&'], ['GET', '_design/none/_search/text?q=red&'],
        ['GET', '_design/d/_nouveau/text?q=red&limit=0&']
      ]
      for (const [method, url, body] of asks) {
        const owners = await send(method, `${db}/${encodeURI(url)}owner=please`, { body })
        await everywhere(async connection => {
          const answer = await send(method, `${db}/${encodeURI(url).slice(0, -1)}`, { body, connection })
          assert.deepEqual([answer.status, withoutLatency(answer.body)], [owners.status, withoutLatency(owners.body)], url)
        })
      }
    })
    const withoutLatency = body => ({ ...body, update_latency: undefined })

    it('find what was written before, whoever wrote it', async () => {
      await build()
      let { body: { rev } } = await send('PUT', `${db}/late`, { body: { text: 'word0' } })
      for (let n = 1; n < 30; n++) {
        rev = (await send('PUT', `${db}/late`, { body: { _rev: rev, text: `word${n}` }, connection: (n * 3) % CONNECTIONS })).body.rev
        for (const [text, found] of [[`word${n}`, ['late']], [`word${n - 1}`, []]]) {
          for (const answer of await everywhere(connection => connection % 2 === 0
            ? send('GET', `${db}/${search}?q=${text}`, { connection })
            : send('POST', `${db}/${search}`, { body: { q: text }, connection }))) assert.deepEqual(hits(answer), found)
        }
      }
    })

    it('are of the design document as it is', async () => {
      await build()
      await everywhere(connection => send('GET', `${db}/${search}?q=red`, { connection }))
      const { body: { _rev } } = await send('GET', `${db}/_design/d`)
      await send('PUT', `${db}/_design/d`, { body: { _rev, indexes: { text: { index: 'function (doc) { if (doc.n === 4) index("default", "red") }' } } } })
      for (const answer of await everywhere(connection => send('GET', `${db}/${search}?q=red&limit=200`, { connection }))) assert.equal(answer.body.total_rows, 4)
      const now = (await send('GET', `${db}/_design/d`)).body._rev
      await send('DELETE', `${db}/_design/d?rev=${now}`)
      for (const { status, body } of await everywhere(connection => send('GET', `${db}/${search}?q=red`, { connection }))) assert.deepEqual([status, body.reason], [404, 'deleted'])
    })

    it('are for who may read the database', async () => {
      await build()
      await send('PUT', `${db}/_security`, { body: { members: { names: ['jan'] } } })
      for (const { status } of await everywhere(connection => send('GET', `${db}/${search}?q=red`, { connection, authorization: null }))) assert.equal(status, 401)
      await send('PUT', `${db}/_security`, { body: {} })
      const read = () => everywhere(connection => send('GET', `${db}/${search}?q=red`, { connection, authorization: null }))
      for (const { status } of [...await read(), ...await read()]) assert.equal(status, 200)
      const access = `${db}-access`
      assert.equal((await send('PUT', `${access}?access=true`)).status, 201)
      await send('PUT', `${access}/_design/d`, { body: design })
      await send('PUT', `${access}/_security`, { body: {} })
      assert.equal((await send('GET', `${access}/${search}?q=red`)).status, 200)
      for (const { status } of await everywhere(connection => send('GET', `${access}/${search}?q=red`, { connection }))) assert.equal(status, 200)
      for (const { status } of await everywhere(connection => send('GET', `${access}/${search}?q=red`, { connection, authorization: null }))) assert.equal(status, 403)
    })

    it('read one partition', async () => {
      const name = `${db}-partitioned`
      await send('PUT', `${name}?partitioned=true`)
      await send('PUT', `${name}/_design/d`, { body: design })
      for (const id of ['a:1', 'b:1']) await send('PUT', `${name}/${id}`, { body: { text: 'red' } })
      for (let n = 0; n < 2; n++) {
        for (const answer of await everywhere(connection => send('GET', `${name}/_partition/a/${search}?q=red`, { connection }))) assert.deepEqual(hits(answer), ['a:1'])
        for (const { status } of await everywhere(connection => send('GET', `${name}/${search}?q=red`, { connection }))) assert.equal(status, 400)
      }
    })

    it('take no longer than they may, and cost no more', async () => {
      await build()
      await send('PUT', '/_node/_local/_config/fabric/search_timeout', { body: '0' })
      try {
        for (const { status, body } of await everywhere(connection => send('GET', `${db}/${search}?q=red`, { connection }))) assert.deepEqual([status, body.error], [500, 'timeout'])
      } finally {
        await send('DELETE', '/_node/_local/_config/fabric/search_timeout')
      }
      for (const { status } of await everywhere(connection => send('GET', `${db}/${search}?q=red`, { connection }))) assert.equal(status, 200)
    })

    it('pass bodies on that are not kept here', async () => {
      const body = Buffer.from(JSON.stringify({ q: 'red' }))
      for (const [bytes, headers] of [[zlib.gzipSync(body), { 'content-encoding': 'gzip' }], [body, {}]]) {
        await send('POST', `${db}/_bulk_docs`, { body: { docs: [{ text: 'other' }] } })
        for (const answer of await everywhere(connection => send('POST', `${db}/${search}`, { connection, body: bytes, headers: { 'content-type': 'application/json', ...headers } }))) {
          assert.equal(answer.body.total_rows, 7)
        }
      }
    })
  })

  describe('views', () => {
    const map = 'function (doc) { if (doc.n !== undefined) emit([doc.n % 4, doc.n], doc.n) }'
    const views = { rows: { map }, ...Object.fromEntries(['_sum', '_count', '_stats', '_approx_count_distinct'].map(reduce => [reduce, { map, reduce }])), own: { map, reduce: 'function (keys, values) { return values.length }' } }
    const view = '_design/d/_view'

    beforeEach(async () => {
      await send('PUT', `${db}/_design/d`, { body: { views } })
      await send('POST', `${db}/_bulk_docs`, { body: { docs: Array.from({ length: 40 }, (_, n) => ({ _id: `d${n}`, n })) } })
    })
    const build = () => send('GET', `${db}/${view}/rows?limit=1`)
    const write = n => send('PUT', `${db}/w${n}`, { body: { n } })

    it('ask the owner only where an index is not up to date', async () => {
      await build()
      await settled()
      const asks = [
        ['GET', `${view}/rows?key=[1,5]`], ['HEAD', `${view}/rows`], ['POST', `${view}/rows`, { keys: [[1, 5], [2, 6]] }], ['GET', `${view}/rows?include_docs=true&limit=3&descending=true`],
        ['GET', `${view}/_sum?group_level=1`], ['GET', `${view}/_stats`], ['GET', `${view}/own?reduce=false`], ['GET', `${view}/rows?stale=ok`], ['GET', `${view}/rows?update=lazy`]
      ]
      const askAll = () => everywhere(async connection => {
        for (const [method, url, body] of asks) assert.equal((await send(method, `${db}/${url}`, { body, connection })).status, 200, url)
      })
      assert.equal(await askedOwner(askAll), 0)
      const queries = [{ key: [1, 5] }, { key: [2, 6] }]
      for (const [method, url, body] of [['GET', `${view}/own`], ['POST', `${view}/rows/queries`, { queries }]]) {
        assert.ok(await askedOwner(() => send(method, `${db}/${url}`, { body })) > 0, url)
      }
      await write(100)
      assert.equal(await askedOwner(async () => {
        for (let connection = 0; connection < CONNECTIONS; connection++) assert.ok((await send('GET', `${db}/${view}/rows?update=false`, { connection })).body.rows.length >= 40)
      }), 0)
      assert.ok(await askedOwner(() => send('GET', `${db}/${view}/rows`)) > 0)
    })

    it('give what the owner gives, byte by byte', async () => {
      await build()
      const ranges = ['', 'key=[1,5]&', 'keys=[[1,5],[9],[2,6]]&', 'startkey=[1]&endkey=[2]&', 'startkey=[1]&endkey=[2,10]&inclusive_end=false&', 'descending=true&endkey=[1]&', 'start_key=[1,5]&start_key_doc_id=d5&']
      const counts = ['', 'limit=3&', 'skip=2&limit=2&', 'limit=0&', 'skip=100&']
      const more = ['', 'include_docs=true&', 'include_docs=true&conflicts=true&attachments=true&', 'update_seq=true&', 'sorted=false&', 'stable=true&update=lazy&']
      const rows = ranges.flatMap(range => counts.flatMap(count => more.map(each => ['GET', `${view}/rows?${range}${count}${each}`])))
      const groups = ['', 'group=true&', 'group_level=1&', 'group=true&skip=1&limit=2&', 'reduce=false&', 'update_seq=true&']
      const reduced = Object.keys(views).filter(name => name !== 'rows').flatMap(name => ranges.flatMap(range => groups.map(group => ['GET', `${view}/${name}?${range}${group}`])))
      const others = [
        ['POST', `${view}/rows?`, { keys: [[1, 5], [2, 6]], include_docs: true }], ['POST', `${view}/_sum?group=true&`, { keys: [[1, 5], [2, 6]] }], ['POST', `${view}/rows?`, { key: [1, 5], at: 5 }],
        ['POST', `${view}/rows?`, { at: 5 }], ['POST', `${view}/rows?`, { keys: 3 }], ['POST', `${view}/rows?`, { queries: [] }], ['POST', `${view}/rows?`, []], ['POST', `${view}/rows?limit=2&`, {}],
        ['GET', `${view}/none?`], ['GET', '_design/none/_view/rows?'], ['GET', `${view}/rows?key=[&`], ['GET', `${view}/rows?limit=x&`], ['GET', `${view}/rows?reduce=true&`], ['GET', `${view}/rows?group=true&`],
        ['GET', `${view}/_sum?include_docs=true&`], ['GET', `${view}/rows?startkey=2&endkey=1&`], ['GET', `${view}/rows?partition=p&`], ['GET', `${view}/rows?stale=no&`], ['POST', `${view}/rows/queries?`, { queries: [{ limit: 1 }, { skip: 39 }] }]
      ]
      const told = ({ status, headers: { 'x-couch-request-id': id, 'x-couchdb-body-time': time, date, ...headers }, bytes }) => [status, headers, bytes.toString()]
      for (const [i, [method, url, body]] of [...rows, ...reduced, ...others].entries()) {
        const owners = await send(method, `${db}/${url}owner=please`, { body })
        const answer = await send(method, `${db}/${url.slice(0, -1)}`, { body, connection: i % CONNECTIONS })
        assert.deepEqual(told(answer), told(owners), `${url} ${JSON.stringify(body)}`)
      }
    })

    it('give what was written before, whoever wrote it', async () => {
      await build()
      let rev
      for (let n = 100; n < 130; n++) {
        rev = (await send('PUT', `${db}/late`, { body: { _rev: rev, n }, connection: (n * 3) % CONNECTIONS })).body.rev
        for (const [key, found] of [[n, ['late']], [n - 1, []]]) {
          for (const { body } of await everywhere(connection => send('GET', `${db}/${view}/rows?key=[${key % 4},${key}]`, { connection }))) assert.deepEqual(body.rows.map(({ id }) => id), found)
        }
        for (const { body } of await everywhere(connection => send('GET', `${db}/${view}/_count`, { connection }))) assert.deepEqual(body, { rows: [{ key: null, value: 41 }] })
      }
    })

    it('are of one moment while others write', async () => {
      await build()
      const written = new AbortController()
      const writing = (async () => {
        for (let n = 0; n < 60; n++) await send('POST', `${db}/_bulk_docs`, { body: { docs: [{ n }, { n: n + 1 }] }, connection: 0 })
      })().finally(() => written.abort())
      while (!written.signal.aborted) {
        const answers = await Promise.all(agents.slice(1).map((_, i) => send('GET', `${db}/${view}/${i % 2 === 0 ? 'rows' : '_count'}`, { connection: i + 1 })))
        for (const { body: { total_rows: total, rows } } of answers) {
          const count = total ?? rows[0].value
          assert.equal(count % 2, 0)
          if (total !== undefined) assert.equal(rows.length, total)
        }
      }
      await writing
    })

    it('are of the design document as it is', async () => {
      await build()
      await everywhere(connection => send('GET', `${db}/${view}/rows`, { connection }))
      const { body: { _rev } } = await send('GET', `${db}/_design/d`)
      await send('PUT', `${db}/_design/d`, { body: { _rev, views: { rows: { map: 'function (doc) { if (doc.n < 4) emit(doc.n) }' } } } })
      for (const answer of await everywhere(connection => send('GET', `${db}/${view}/rows`, { connection }))) assert.equal(answer.body.total_rows, 4)
      const now = (await send('GET', `${db}/_design/d`)).body._rev
      await send('DELETE', `${db}/_design/d?rev=${now}`)
      for (const { status, body } of await everywhere(connection => send('GET', `${db}/${view}/rows`, { connection }))) assert.deepEqual([status, body.reason], [404, 'deleted'])
    })

    it('are for who may read the database, and count', async () => {
      await build()
      await send('PUT', `${db}/_security`, { body: { members: { names: ['jan'] } } })
      for (const { status } of await everywhere(connection => send('GET', `${db}/${view}/rows`, { connection, authorization: null }))) assert.equal(status, 401)
      const count = async () => (await send('GET', '/_node/_local/_stats/couchdb/httpd/view_reads')).body.value
      const before = await count()
      await everywhere(connection => send('GET', `${db}/${view}/rows`, { connection }))
      assert.equal(await count() - before, CONNECTIONS)
      const access = `${db}-access`
      await send('PUT', `${access}?access=true`)
      await send('PUT', `${access}/_design/d`, { body: { views } })
      await send('PUT', `${access}/_security`, { body: {} })
      for (const authorization of [ADMIN, null]) {
        for (const { status } of await everywhere(connection => send('GET', `${access}/${view}/rows`, { connection, authorization }))) assert.equal(status, authorization === null ? 403 : 200)
      }
    })

    it('read one partition', async () => {
      const name = `${db}-partitioned`
      await send('PUT', `${name}?partitioned=true`)
      await send('PUT', `${name}/_design/d`, { body: { views } })
      for (const [n, id] of ['a:1', 'b:1'].entries()) await send('PUT', `${name}/${id}`, { body: { n } })
      for (let round = 0; round < 2; round++) {
        for (const { body } of await everywhere(connection => send('GET', `${name}/_partition/a/${view}/rows`, { connection }))) assert.deepEqual(body.rows.map(({ id }) => id), ['a:1'])
        for (const { body } of await everywhere(connection => send('GET', `${name}/_partition/b/${view}/_sum`, { connection }))) assert.deepEqual(body.rows, [{ key: null, value: 1 }])
        for (const { status } of await everywhere(connection => send('GET', `${name}/${view}/rows`, { connection }))) assert.equal(status, 400)
      }
    })
  })

  describe('finds', () => {
    const index = (fields, more = {}) => send('POST', `${db}/_index`, { body: { index: { fields }, ddoc: fields.join('-'), name: 'i', ...more } })
    const find = (body, { connection = 0, url = `${db}/_find`, ...more } = /** @type {any} */ ({})) => send('POST', url, { body, connection, ...more })
    const one = { selector: { n: 7 } }

    beforeEach(async () => {
      await index(['n'])
      await send('POST', `${db}/_bulk_docs`, { body: { docs: Array.from({ length: 40 }, (_, n) => ({ _id: `d${n}`, n, kind: n % 3, text: `t${n}` })) } })
    })
    const build = () => find(one)

    it('ask the owner only where an index is not up to date, or a find teaches something', async () => {
      await build()
      await settled()
      const asks = [one, { selector: { n: { $gt: 30 } }, limit: 3, sort: [{ n: 'desc' }] }, { ...one, fields: ['n'] }, { ...one, execution_stats: true, update: false }]
      assert.equal(await askedOwner(() => everywhere(async connection => {
        for (const body of asks) assert.equal((await find(body, { connection })).status, 200, JSON.stringify(body))
      })), 0)
      for (const body of [{ selector: { kind: 1 } }, { selector: { _id: 'd1' } }]) assert.ok(await askedOwner(() => find(body)) > 0, JSON.stringify(body))
      await send('PUT', `${db}/more`, { body: { n: 100 } })
      assert.equal(await askedOwner(async () => {
        for (let connection = 0; connection < CONNECTIONS; connection++) assert.equal((await find({ ...one, update: false }, { connection })).body.docs.length, 1)
      }), 0)
      assert.ok(await askedOwner(() => find(one)) > 0)
    })

    it('give what the owner gives', async () => {
      await build()
      await index(['kind', 'n'])
      await find({ selector: { kind: 1, n: { $gt: 0 } }, use_index: 'kind-n' })
      const bodies = [
        one, { selector: { n: { $gt: 5, $lt: 9 } } }, { selector: { n: { $gt: 5 } }, limit: 3, skip: 1, sort: ['n'] }, { selector: { n: { $gt: 5 } }, sort: [{ n: 'desc' }], fields: ['_id', 'text'] },
        { selector: { n: { $gt: -1 }, text: { $regex: '^t1' } }, execution_stats: true }, { selector: { kind: 1, n: { $gt: 3 } }, use_index: ['kind-n', 'i'] }, { selector: { kind: 1, n: { $gt: 3 } } },
        { selector: { n: 7 }, use_index: 'none' }, { selector: { n: { $in: [3, 5, 50] } } }, { selector: { $or: [{ n: 3 }, { n: 5 }] } }, { selector: {} }, { selector: { text: 't3' } }, { selector: { n: 7 }, conflicts: true },
        { selector: { n: { $gt: 1 } }, limit: 0 }, { selector: { n: 7 }, bookmark: 'x' }, { selector: 3 }, [], { selector: { n: { $x: 1 } } }, { selector: { n: 7 }, partition: 'p' }, { ...one, at: 5 }, { selector: { $and: [] } }
      ]
      const told = ({ status, headers: { 'x-couch-request-id': id, date, 'x-couchdb-body-time': time, 'content-length': length, ...headers }, bytes }) => [status, headers, bytes.toString().replace(/"execution_time_ms":[\d.]+/, '')]
      for (const body of bodies) {
        const owners = await find(body, { url: `${db}/_find?owner=please` })
        await everywhere(async connection => assert.deepEqual(told(await find(body, { connection })), told(owners), JSON.stringify(body)))
        const bookmark = owners.body?.bookmark
        if (!bookmark || bookmark === 'nil') continue
        const next = await find({ ...body, bookmark }, { url: `${db}/_find?owner=please` })
        assert.deepEqual(told(await find({ ...body, bookmark }, { connection: 1 })), told(next), JSON.stringify(body))
      }
    })

    it('find what was written before, whoever wrote it', async () => {
      await build()
      let rev
      for (let n = 100; n < 130; n++) {
        rev = (await send('PUT', `${db}/late`, { body: { _rev: rev, n }, connection: (n * 3) % CONNECTIONS })).body.rev
        for (const [value, found] of [[n, [rev]], [n - 1, []]]) {
          for (const { body } of await everywhere(connection => find({ selector: { n: value } }, { connection }))) assert.deepEqual(body.docs.map(({ _rev }) => _rev), found)
        }
      }
    })

    it('are of one moment while others write', async () => {
      await build()
      const written = new AbortController()
      const writing = (async () => {
        for (let n = 0; n < 60; n++) await send('POST', `${db}/_bulk_docs`, { body: { docs: [{ n: 1000 + n }, { n: 1000 + n }] }, connection: 0 })
      })().finally(() => written.abort())
      while (!written.signal.aborted) {
        const answers = await Promise.all(agents.slice(1).map((_, i) => find({ selector: { n: { $gte: 1000 } }, fields: ['n'], limit: 1000 }, { connection: i + 1 })))
        for (const { body: { docs } } of answers) assert.equal(docs.length % 2, 0)
      }
      await writing
    })

    it('are by the indexes as they are, for who may read, and count', async () => {
      await build()
      const counted = async () => (await send('GET', '/_node/_local/_stats/mango')).body
      const before = await counted()
      await everywhere(connection => find(one, { connection }))
      assert.equal((await counted()).docs_examined.value - before.docs_examined.value, CONNECTIONS)
      assert.equal((await counted()).results_returned.value - before.results_returned.value, CONNECTIONS)
      await send('DELETE', `${db}/_index/n/json/i`)
      for (const { body } of await everywhere(connection => find(one, { connection }))) assert.match(body.warning, /No matching index/)
      await index(['n', 'kind'])
      for (const { body } of await everywhere(connection => find({ selector: { n: 7, kind: 1 } }, { connection }))) assert.deepEqual([body.docs.length, body.warning], [1, undefined])
      await send('PUT', `${db}/_security`, { body: { members: { names: ['jan'] } } })
      for (const { status } of await everywhere(connection => find(one, { connection, authorization: null }))) assert.equal(status, 401)
    })
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
