'use strict'

const assert = require('node:assert/strict')
const { routes } = require('../../../server/lib/dispatch/routes')
const { assertRefused } = require('../support/refusal')
const { get, post, put, request } = require('../support/request')
const { databases } = require('../support/sharded')

describe('A database of several shards and of partitions heeds no header of a client that', () => {
  const make = databases()
  let parts
  beforeEach(async () => {
    parts = await make(3, '&partitioned=true')
    await put(`/${parts}/_design/d`, { indexes: { i: { index: 'function (doc) { index("default", "x") }' } }, views: { v: { map: 'function (doc) { emit(1) }' } } })
    await put(`/${parts}/p:1`, { n: [1, 0] })
    await post(`/${parts}/_index`, { index: { fields: ['n'] }, ddoc: 'v', name: 'v', type: 'vector' })
  })
  const pretending = { 'X-Shard-Search': 'x', 'X-Shard-Find': 'x', 'X-Shard-Boundary': 'x', 'X-Shard': 'x', InShard: 'true' }

  it('asks for what one shard found', async () => {
    const asked = limit => get(`/${parts}/_partition/p/_design/d/_search/i?q=*:*&limit=${limit}`, { headers: pretending })
    assertRefused(await asked(1_000_000_000), 400, 'query_parse_error')
    assert.deepEqual(Object.keys((await asked(10)).body), ['total_rows', 'bookmark', 'rows'])
  })

  it('says how to find', async () => {
    const find = more => post(`/${parts}/_partition/p/_find`, { selector: {}, ...more }, { headers: pretending })
    assert.deepEqual((await find()).body.docs.map(({ _id: id }) => id), ['p:1'])
    assertRefused(await find({ vector: { field: 'n', near: [1, 0] }, ranked: { x: 1 } }), 400, 'invalid_key')
  })

  it('stands in a request to any route', async () => {
    const values = { db: parts, partition: 'p', ddoc: '_design/d', index: 'i', view: 'v', doc: 'p:1', local: '_local/x', range: '00000000-55555554' }
    const seen = []
    for (const { method, path, shards, reads } of routes) {
      if (shards === undefined || (method !== 'GET' && !reads) || /_changes/.test(path)) continue
      const url = path.replace(/:(\w+)\+?/g, (_, name) => values[name] ?? 'x')
      const body = method === 'POST' ? { body: /_find/.test(path) ? { selector: {} } : /_search|_nouveau/.test(path) ? { q: '*:*' } : {} } : {}
      const [plain, same] = [await request(method, url, body), await request(method, url, { ...body, headers: pretending })]
      seen.push(plain.status)
      assert.deepEqual([same.status, shapeOf(same.body)], [plain.status, shapeOf(plain.body)], `${method} ${url}`)
    }
    assert.ok(seen.filter(status => status === 200).length > 20, String(seen))
  })

  const shapeOf = body => body === null || typeof body !== 'object' ? typeof body : Object.keys(body)
})
