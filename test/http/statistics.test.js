'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove } = require('./support/request')

const anonymous = { headers: { Authorization: '' } }

/** A sample in Prometheus' text format. */
const SAMPLE = /^[a-z0-9_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9.e+-]+$/

describe('statistics', () => {
  const db = new TestDatabase()

  const stats = async path => (await get(`/_node/_local/_stats/${path}`)).body

  it('are a tree with a value, a type and a description at each end', async () => {
    const tree = (await get('/_node/_local/_stats')).body
    const { value, type, desc } = tree.couchdb.httpd.requests
    assert.ok(value > 0)
    assert.equal(type, 'counter')
    assert.ok(desc.length > 0)
    assert.deepEqual((await stats('couchdb/httpd_status_codes/200')).type, 'counter')
    assert.equal(await stats('couchdb/nothing/like/this'), null)
    assert.equal(await stats('__proto__/toString'), null)
  })

  it('count requests, methods and codes', async () => {
    const read = async () => ({ ...await stats('couchdb/httpd_request_methods'), ...await stats('couchdb/httpd_status_codes'), requests: await stats('couchdb/httpd/requests') })
    const before = await read()
    await db.write('a')
    await db.get('a')
    await db.get('none')
    const least = { requests: 6, PUT: 1, GET: 5, 201: 1, 404: 1 }
    // A request is counted once it is answered, by the thread that did so.
    for (let after = before; Object.entries(least).some(([name, count]) => after[name].value - before[name].value < count);) after = await read()
  })

  it('count what is written and asked', async () => {
    const before = (await get('/_node/_local/_stats')).body
    await post(`/${db.name}/_bulk_docs`, { docs: [{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }] })
    await post(`/${db.name}/_find`, { selector: { _id: { $gt: 'a' } } })
    let after = before
    const grew = path => path.split('.').reduce((o, k) => o[k], after).value - path.split('.').reduce((o, k) => o[k], before).value
    while (grew('couchdb.httpd.bulk_requests') < 1) after = (await get('/_node/_local/_stats')).body
    assert.equal(grew('couchdb.httpd.bulk_requests'), 1)
    assert.ok(grew('couchdb.document_writes') >= 3)
    assert.ok(grew('mango.docs_examined') >= 2 && grew('mango.results_returned') >= 2)
  })

  if (Number(process.env.POTOROO_SHARDS ?? 1) === 1) {
    it('count what a query finds', async () => {
      await post(`/${db.name}/_bulk_docs`, { docs: [{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }, { _id: 'c', n: 3 }] })
      const mango = async () => (await get('/_node/_local/_stats/mango')).body
      const before = await mango()
      assert.equal((await get(`/${db.name}/_query?q=${encodeURIComponent('[?n>1]')}`)).body.length, 2)
      const after = await mango()
      assert.equal(after.docs_examined.value - before.docs_examined.value, 3)
      assert.equal(after.results_returned.value - before.results_returned.value, 2)
    })
  }

  it('have times of requests', async () => {
    for (let i = 0; i < 5; i++) await db.get('')
    const { value, type } = await stats('couchdb/request_time')
    assert.equal(type, 'histogram')
    assert.deepEqual(value.percentile.map(([percent]) => percent), [50, 75, 90, 95, 99, 999])
    for (const name of ['n', 'min', 'max', 'arithmetic_mean', 'geometric_mean', 'harmonic_mean', 'median', 'variance', 'standard_deviation', 'skewness', 'kurtosis']) assert.equal(typeof value[name], 'number', name)
    assert.ok(Array.isArray(value.histogram[0]))
  })

  it('are there for Prometheus', async () => {
    const { status, headers, text } = await get('/_node/_local/_prometheus')
    assert.equal(status, 200)
    assert.match(headers.get('content-type'), /^text\/plain; version=/)
    const lines = text.split('\n').filter(line => line !== '')
    const samples = lines.filter(line => !line.startsWith('#'))
    for (const line of samples) assert.match(line, SAMPLE)
    for (const name of ['couchdb_httpd_requests_total', 'couchdb_httpd_request_methods{method="GET"}', 'couchdb_httpd_status_codes{code="200"}', 'couchdb_request_time_seconds{quantile="0.99"}', 'couchdb_request_time_seconds_count', 'couchdb_uptime_seconds', 'couchdb_open_databases', 'couchdb_database_writes_total']) {
      assert.ok(samples.some(line => line.startsWith(`${name} `)), name)
    }
    assert.equal(new Set(samples.map(line => line.slice(0, line.lastIndexOf(' ')))).size, samples.length)
    const families = lines.filter(line => line.startsWith('# TYPE')).map(line => line.split(' ')[2])
    assert.equal(new Set(families).size, families.length)
    for (const line of samples) assert.ok(families.some(family => line.startsWith(family)), line)
  })

  it('are for administrators, and who has the role for metrics', async () => {
    const name = `metrics-${db.name}`
    const user = `/_users/org.couchdb.user:${name}`
    const { status, body: { rev } } = await put(user, { type: 'user', name, roles: ['_metrics'], password: 'pw' })
    assert.equal(status, 201)
    const paths = ['_stats', '_system', '_prometheus']
    for (const path of paths) assertRefused(await get(`/_node/_local/${path}`, anonymous), 401, 'unauthorized', 'You are not a server admin or read-only metrics user')
    assertRefused(await post('/_node/_local/_stats', {}), 405, 'method_not_allowed', 'Only GET allowed')
    const Authorization = `Basic ${Buffer.from(`${name}:pw`).toString('base64')}`
    for (const path of paths) assert.equal((await get(`/_node/_local/${path}`, { headers: { Authorization } })).status, 200, path)
    assertRefused(await get('/_node/_local/_config', { headers: { Authorization } }), 401, 'unauthorized', 'You are not a server admin.')
    await remove(`${user}?rev=${rev}`)
  })
})
