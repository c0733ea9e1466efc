'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { RawConnection } = require('./support/raw')
const { request, get, post, put, remove, head } = require('./support/request')

describe('the server', () => {
  const db = new TestDatabase()

  it('welcomes', async () => {
    const { status, body, headers } = await get('/')
    assert.equal(status, 200)
    assert.equal(body.couchdb, 'Welcome')
    assert.match(body.version, /^3\./)
    assert.match(body.uuid, /^[0-9a-f]{32}$/)
    assert.ok(Array.isArray(body.features))
    assert.equal(typeof body.vendor.name, 'string')
    assert.match(headers.get('server'), /^CouchDB\/3/)
    assert.match(headers.get('x-couch-request-id'), /^[0-9a-f]{10}$/)
    assert.equal(headers.get('x-couchdb-body-time'), '0')
    assert.equal(headers.get('cache-control'), 'must-revalidate')
    assert.equal(headers.get('content-type'), 'application/json')
  })

  it('takes the name that a client gives its request', async () => {
    const named = async name => (await get('/', { headers: { 'X-Couch-Request-ID': name } })).headers.get('x-couch-request-id')
    for (const name of ['1', 'aZ-09_', 'f47ac10b-58cc-4372-a567-0e02b2c3d479']) assert.equal(await named(name), name)
    for (const name of ['a b', 'a.b', 'ä', 'x'.repeat(37)]) assert.match(await named(name), /^[0-9a-f]{10}$/)
  })

  it('says how long the body of a request was on its way', async () => {
    const connection = await RawConnection.open()
    await connection.request('POST', '/_dbs_info', { 'Content-Type': 'application/json', 'Content-Length': 11, Connection: 'close', Expect: '100-continue' })
    await connection.received('100 Continue')
    // The server reads, and a round trip later it has read for a while.
    const begun = performance.now()
    await connection.send('{"keys')
    while (performance.now() - begun < 5) await get('/_up')
    await connection.send('":[]}')
    const [, time] = /\r\nX-CouchDB-Body-Time: (\d+)\r\n/i.exec(await connection.closed())
    assert.ok(Number(time) > 0)
  })

  it('is up', async () => {
    const { status, body } = await get('/_up', { headers: { Authorization: '' } })
    assert.equal(status, 200)
    assert.equal(body.status, 'ok')
  })

  it('makes uuids', async () => {
    assert.match((await get('/_uuids')).body.uuids[0], /^[0-9a-f]{32}$/)
    const { body } = await get('/_uuids?count=7')
    assert.equal(new Set(body.uuids).size, 7)
    for (const count of ['x', '-1']) assertRefused(await get(`/_uuids?count=${count}`), 400, 'bad_request', 'count must be a positive integer')
    assertRefused(await get('/_uuids?count=100000'), 400, 'bad_request', 'count parameter too large')
  })

  it('makes uuids of every kind', async () => {
    const section = '/_node/_local/_config/uuids'
    const kinds = {
      utc_id: /^[0-9a-f]{14}-mine$/,
      utc_random: /^[0-9a-f]{32}$/,
      random: /^[0-9a-f]{32}$/,
      sequential: /^[0-9a-f]{32}$/,
      ...(process.env.TEST_URL === undefined && { uuid_v4: /^.{12}4.{3}[89ab].{15}$/, uuid_v7: /^.{12}7.{3}[89ab].{15}$/ })
    }
    await put(`${section}/utc_id_suffix`, '"-mine"')
    try {
      for (const [algorithm, form] of Object.entries(kinds)) {
        await put(`${section}/algorithm`, JSON.stringify(algorithm))
        const { uuids } = (await get('/_uuids?count=100')).body
        assert.equal(new Set(uuids).size, 100)
        for (const uuid of uuids) assert.match(uuid, form)
        if (/^utc|^seq/.test(algorithm)) assert.deepEqual([...uuids].sort(), uuids, algorithm)
      }
    } finally {
      await remove(`${section}/algorithm`)
      await remove(`${section}/utc_id_suffix`)
    }
    const { headers } = await get('/_uuids')
    assert.equal(headers.get('cache-control'), 'no-cache')
    assert.equal(headers.get('pragma'), 'no-cache')
    assert.match(headers.get('etag'), /^"[0-9A-Za-z+/=]+"$/)
  })

  it('lists databases in a range', async () => {
    const { body } = await get('/_all_dbs')
    assert.ok(body.includes(db.name) && body.includes('_users'))
    assert.deepEqual([...body].sort(), body)
    const key = encodeURIComponent(JSON.stringify(db.name))
    assert.deepEqual((await get(`/_all_dbs?startkey=${key}&endkey=${key}`)).body, [db.name])
    assert.deepEqual((await get(`/_all_dbs?startkey=${key}&endkey=${key}&inclusive_end=false`)).body, [])
    assert.deepEqual((await get('/_all_dbs?descending=true&limit=1')).body, [body.at(-1)])
    assert.deepEqual((await get('/_all_dbs?skip=1&limit=1')).body, [body[1]])
    assert.deepEqual((await get(`/_all_dbs?key=${key}`)).body, [db.name])
    assert.deepEqual((await get(`/_all_dbs?start_key=${key}&limit=1`)).body, [db.name])
    assert.deepEqual((await get(`/_all_dbs?descending=true&startkey=${key}&endkey=${key}`)).body, [db.name])
    assert.deepEqual((await get('/_all_dbs?endkey=3')).body, [])
    const at = body.indexOf(db.name)
    const after = body.slice(at + 1)
    assert.deepEqual((await get(`/_all_dbs?startkey=${key}&skip=1`)).body, after)
    assert.deepEqual((await get(`/_all_dbs?descending=true&endkey=${key}&inclusive_end=false`)).body, [...after].reverse())
    assert.deepEqual((await get(`/_all_dbs?descending=true&startkey=${key}&skip=1&limit=1`)).body, body.slice(0, at).slice(-1))
    assert.deepEqual((await get('/_all_dbs?skip=100000')).body, [])
    assert.deepEqual((await get('/_all_dbs?skip=100000&descending=true')).body, [])
    assert.deepEqual((await get(`/_dbs_info?key=${key}`)).body.map(({ key, info }) => [key, info.db_name]), [[db.name, db.name]])
    assertRefused(await get('/_all_dbs?limit=-1'), 400, 'query_parse_error')
    assertRefused(await get('/_all_dbs?reduce=true'), 400, 'query_parse_error', 'Reduce is invalid for map-only views.')
    assertRefused(await get('/_all_dbs', { headers: { Authorization: '' } }), 401, 'unauthorized', 'You are not a server admin.')
  })

  it('tells of several databases at once', async () => {
    const { body } = await post('/_dbs_info', { keys: [db.name, 'no-such-database'] })
    assert.equal(body[0].info.db_name, db.name)
    assert.deepEqual(body[1], { key: 'no-such-database', error: 'not_found' })
    assertRefused(await post('/_dbs_info', {}), 400, 'bad_request', '`keys` member must exist.')
    assertRefused(await post('/_dbs_info', { keys: Array(101).fill('a') }), 400, 'bad_request')
  })

  it('names its node, its tasks and its system', async () => {
    const { body } = await get('/_membership')
    assert.equal(body.all_nodes.length, 1)
    assert.ok(Array.isArray((await get('/_active_tasks')).body))
    assert.equal(typeof (await get('/_node/_local/_system')).body.uptime, 'number')
    const { collation_driver: driver } = (await get('/_node/_local/_versions')).body
    assert.equal(driver.name, 'libicu')
    assert.equal(driver.library_version.split('.')[0], process.versions.icu.split('.')[0])
  })

  it('answers HEAD like GET without a body', async () => {
    const answer = await head('/')
    assert.equal(answer.status, 200)
    assert.equal(answer.bytes.length, 0)
    assert.ok(Number(answer.headers.get('content-length')) > 0)
    assert.equal((await head('/no-such-database')).bytes.length, 0)
  })

  it('names the methods that a route has', async () => {
    const answer = await request('PATCH', '/_all_dbs')
    assertRefused(answer, 405, 'method_not_allowed', 'Only GET,HEAD allowed')
    assert.equal(answer.headers.get('allow'), 'GET,HEAD')
  })

  it('answers in text to who takes no JSON', async () => {
    const { headers } = await get('/', { headers: { Accept: '*/*' } })
    assert.equal(headers.get('content-type'), 'application/json')
  })

  it('refuses what is no path', async () => {
    assert.ok([400, 404].includes((await get('/%zz')).status))
    assertRefused(await get('/no/such/thing/at/all'), 404, 'not_found')
  })
})
