'use strict'

const assert = require('node:assert/strict')
const zlib = require('node:zlib')
const { CONNECTIONS, ThreadedServer } = require('./threaded-server')

describe('searches of text by several threads', function () {
  this.timeout(600_000)
  const threads = ThreadedServer.forTests()
  const { askedOwner, everywhere, send, withoutOwner } = threads
  let db
  beforeEach(() => { db = threads.db })

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
    await withoutOwner(askAll)
    await send('PUT', `${db}/more`, { body: { text: 'red' } })
    await withoutOwner(async () => {
      for (let connection = 0; connection < CONNECTIONS; connection++) assert.ok(hits(await send('GET', `${db}/${search}?q=red&stale=ok`, { connection })).length >= 7)
    })
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
