'use strict'

const assert = require('node:assert/strict')
const { ADMIN, CONNECTIONS, ThreadedServer } = require('./threaded-server')

describe('views by several threads', function () {
  this.timeout(600_000)
  const threads = ThreadedServer.forTests()
  const { askedOwner, everywhere, send, settled, withoutOwner } = threads
  let db
  beforeEach(() => { db = threads.db })

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
    await withoutOwner(askAll)
    const queries = [{ key: [1, 5] }, { key: [2, 6] }]
    for (const [method, url, body] of [['GET', `${view}/own`], ['POST', `${view}/rows/queries`, { queries }]]) {
      assert.ok(await askedOwner(() => send(method, `${db}/${url}`, { body })) > 0, url)
    }
    await write(100)
    await withoutOwner(async () => {
      for (let connection = 0; connection < CONNECTIONS; connection++) assert.ok((await send('GET', `${db}/${view}/rows?update=false`, { connection })).body.rows.length >= 40)
    })
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
      const answers = await Promise.all(threads.agents.slice(1).map((_, i) => send('GET', `${db}/${view}/${i % 2 === 0 ? 'rows' : '_count'}`, { connection: i + 1 })))
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
    // A thread counts a request when it is answered.
    while (await count() - before < CONNECTIONS);
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
