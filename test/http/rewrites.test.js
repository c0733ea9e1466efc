'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { request } = require('./support/request')
const { setting } = require('./support/setting')

const shared = {
  shows: {
    welcome: 'function (doc, req) { return "Welcome " + (doc ? doc._id : req.query.name) }',
    request: 'function (doc, req) { return { json: req } }'
  },
  updates: { hello: 'function (doc, req) { return [{ _id: req.id }, "hello " + req.id] }' },
  lists: { keys: 'function (head, req) { var row; while (row = getRow()) send(toJSON(row.key)) }' },
  views: {
    numbers: { map: 'function (doc) { if (doc.n) emit(doc.n) }' },
    pairs: { map: 'function (doc) { if (doc.n) emit(["n", doc.word]) }' }
  }
}

const rules = [
  { from: '/welcome', to: '_show/welcome' },
  { from: '/welcome/:name', to: '_show/welcome', query: { name: ':name' } },
  { from: '/fixed', to: '/_show/welcome', query: { name: 'user' } },
  { from: '/hello/:id', to: '_update/hello/:id', method: 'PUT' },
  { from: '/hello/:id', to: '_show/welcome/:id', method: 'GET' },
  { from: '/rest/*', to: '_show/request/*' },
  { from: '/twice/:a/:b', to: '_show/request/:b/:a', query: { c: 'd' } },
  { from: '/variable', to: '_show/welcome/:key' },
  { from: '/undefined', to: '_show/welcome/:nothing' },
  { from: '/numbers', to: '_view/numbers' },
  { from: '/from/:start/:end', to: '_list/keys/numbers', query: { startkey: ':start', endkey: ':end' }, formats: { start: 'int', end: 'int' } },
  { from: '/pair/:a/:b', to: '_list/keys/pairs', query: { key: [':a', ':b'] } },
  { from: '/pair', to: '_list/keys/pairs', query: { key: [':a', ':b'] } },
  { from: '/documents/*', to: '../../*' },
  { from: '/bulk', to: '../../_bulk_docs', method: 'POST' },
  { from: '/loop', to: '_rewrite/loop' },
  { from: '', to: '_show/welcome', query: { name: 'root' } }
]

describe('rewrites by rules', () => {
  const db = new TestDatabase()
  const rewrite = (rest, options) => db.get(`_design/d/_rewrite/${rest}`, options)

  beforeEach(async () => {
    await db.write('_design/d', { ...shared, rewrites: rules })
    await db.post('_bulk_docs', { docs: [1, 2, 3, 4].map(n => ({ _id: `doc${n}`, n, word: `w${n}` })) })
  })

  it('lead to functions, with what the path and the query say', async () => {
    assert.equal((await rewrite('welcome?name=user')).text, 'Welcome user')
    assert.equal((await rewrite('welcome/user')).text, 'Welcome user')
    assert.equal((await rewrite('fixed?name=other')).text, 'Welcome user')
    assert.equal((await rewrite('')).text, 'Welcome root')
  })

  it('tell methods apart', async () => {
    const made = await db.put('_design/d/_rewrite/hello/made', '')
    assert.deepEqual([made.status, made.text], [201, 'hello made'])
    assert.equal((await rewrite('hello/made')).text, 'Welcome made')
    assertRefused(await db.post('_design/d/_rewrite/hello/made', ''), 404, 'not_found', 'missing')
  })

  it('put the rest of the path in the place of a star', async () => {
    const { body } = await rewrite('rest/a/b%20c?q=1')
    assert.equal(body.id, 'a/b c')
    assert.deepEqual(body.query, { q: '1' })
  })

  it('put variables into path and query', async () => {
    const { body } = await rewrite('twice/one/t%2Fwo?q=x')
    assert.equal(body.id, 't/wo/one')
    assert.deepEqual(body.query, { a: 'one', b: 't/wo', c: 'd', q: 'x' })
    assert.equal((await rewrite('undefined')).text, 'Welcome undefined')
  })

  it('put half a character into a path as the one that stands for what is none', async function () {
    if (process.env.TEST_URL !== undefined) this.skip()
    const { status, text } = await rewrite(`variable?key=${encodeURIComponent('"\\ud800"')}`)
    assert.deepEqual([status, text], [200, 'Welcome undefined'])
  })

  it('lead to views, with numbers and lists as keys', async () => {
    assert.equal((await rewrite('numbers?limit=2')).body.rows.length, 2)
    assert.equal((await rewrite('from/2/3')).text, '23')
    assert.equal((await rewrite('pair/n/w2')).text, '["n","w2"]')
    assert.equal((await rewrite('pair?a=n&b=w3')).text, '["n","w3"]')
  })

  it('lead to the database, in every way', async () => {
    const written = await db.put('_design/d/_rewrite/documents/new', { a: 1 })
    assert.equal(written.status, 201)
    const { body, headers } = await rewrite('documents/new')
    assert.deepEqual(body, { _id: 'new', _rev: written.body.rev, a: 1 })
    assert.equal((await rewrite('documents/new', { headers: { 'If-None-Match': headers.get('etag') } })).status, 304)
    assert.equal((await request('HEAD', db.path('_design/d/_rewrite/documents/new'))).status, 200)
    const bulk = await db.post('_design/d/_rewrite/bulk', { docs: [{ _id: 'bulk' }] })
    assert.equal(bulk.body[0].id, 'bulk')
    assert.equal((await db.remove(`_design/d/_rewrite/documents/new?rev=${written.body.rev}`)).status, 200)
  })

  it('end after so many', async () => {
    assertRefused(await rewrite('loop'), 400, 'bad_request', 'Exceeded rewrite recursion limit')
  })

  it('are refused where there is no rule', async () => {
    assertRefused(await rewrite('nothing'), 404, 'not_found', 'missing')
    await db.write('_design/bare')
    assertRefused(await db.get('_design/bare/_rewrite/x'), 404, 'rewrite_error', 'Invalid path.')
    assertRefused(await db.get('_design/none/_rewrite/x'), 404, 'not_found', 'missing')
    await db.write('_design/wrong', { rewrites: [{ from: 'x' }] })
    assertRefused(await db.get('_design/wrong/_rewrite/x'), 500, 'error', 'invalid_rewrite_target')
  })

  it('lead out of the database only where that is configured', async () => {
    await db.write('_design/out', { rewrites: [{ from: '/up', to: '../../../_up' }] })
    assertRefused(await db.get('_design/out/_rewrite/up'), 500, 'insecure_rewrite_rule', 'too many ../.. segments')
  })

  describe('that need not be secure', () => {
    setting('chttpd', 'secure_rewrites', false)

    it('lead anywhere', async () => {
      await db.write('_design/out', { rewrites: [{ from: '/up', to: '../../../_up' }] })
      assert.equal((await db.get('_design/out/_rewrite/up')).body.status, 'ok')
    })
  })

  describe('with a limit', () => {
    setting('chttpd', 'rewrite_limit', 1)

    it('are allowed as many as it says', async () => {
      await db.write('_design/chain', { ...shared, rewrites: [{ from: '/one', to: '_show/welcome' }, { from: '/two', to: '_rewrite/one' }] })
      assert.equal((await db.get('_design/chain/_rewrite/one')).status, 200)
      assertRefused(await db.get('_design/chain/_rewrite/two'), 400, 'bad_request', 'Exceeded rewrite recursion limit')
    })
  })
})

const functions = {
  path: function (req) { return '_show/request/' + req.path[4] },
  whole: function (req) { return { path: '_show/request', method: 'POST', query: { a: 'b c' }, headers: { 'X-Own': 'header', Accept: 'x/y' }, body: 'other' } },
  attachment: function (req) { return '../../' + req.path.slice(4).join('/') },
  answer: function (req) { return { code: 202, headers: { 'X-Own': 'header' }, body: JSON.stringify(req) } },
  write: function (req) { return { path: '../../made', method: 'PUT', body: JSON.stringify({ was: req.body }), headers: { 'Content-Type': 'application/json' } } },
  restricted: function (req) { return req.path[4] === 'closed' ? { code: 403, body: 'no' } : { path: '../../../' + req.path.slice(4).join('/') } },
  none: function (req) {},
  number: function (req) { return 5 },
  nowhere: function (req) { return { query: {} } },
  badCode: function (req) { return { code: 99 } },
  badHeaders: function (req) { return { code: 200, headers: { a: 5 } } },
  badBody: function (req) { return { code: 200, body: {} } },
  badQuery: function (req) { return { path: 'x', query: 'a=b' } },
  throws: function (req) { throw new Error('boo') },
  teapot: function (req) { throw { error: 'teapot', reason: 'short' } } // eslint-disable-line no-throw-literal
}

describe('rewrites by a function', () => {
  const db = new TestDatabase()
  const rewrite = async (name, rest = 'x', options = undefined) => {
    await db.write('_design/f', { ...shared, rewrites: functions[name].toString() })
    return request(options?.method ?? 'GET', db.path(`_design/f/_rewrite/${rest}`), options)
  }

  it('lead to a path, with the query and the body that came', async () => {
    const { body } = await rewrite('path', 'here?q=1', { method: 'POST', body: 'text', headers: { 'Content-Type': 'text/plain' } })
    assert.deepEqual([body.id, body.method, body.body, body.query], ['here', 'POST', 'text', { q: '1' }])
  })

  it('lead to another request', async () => {
    const { body } = await rewrite('whole', 'here?q=1')
    assert.deepEqual([body.method, body.query, body.body, body.headers['X-Own'], body.headers.Accept], ['POST', { a: 'b c' }, 'other', 'header', 'x/y'])
    const written = await request('POST', db.path('_design/f/_rewrite/x'), { body: 'x' })
    assert.equal(written.status, 200)
  })

  it('write documents', async () => {
    assert.equal((await rewrite('write', 'x', { method: 'POST', body: 'text' })).status, 201)
    assert.equal((await db.get('made')).body.was, 'text')
  })

  it('leave bytes as they are', async () => {
    const bytes = Buffer.from([0, 255, 128, 13, 10, 200])
    const { status } = await rewrite('attachment', 'd/a.bin', { method: 'PUT', body: bytes, headers: { 'Content-Type': 'application/x-test' } })
    assert.equal(status, 201)
    assert.deepEqual((await db.get('d/a.bin')).bytes, bytes)
  })

  it('answer by themselves', async () => {
    const { status, text, headers } = await rewrite('answer', 'a/b?q=1')
    const asked = JSON.parse(text)
    assert.deepEqual([status, headers.get('x-own')], [202, 'header'])
    assert.deepEqual(Object.keys(asked), ['method', 'requested_path', 'path', 'raw_path', 'query', 'headers', 'body', 'peer', 'cookie', 'userCtx', 'secObj'])
    assert.deepEqual([asked.path.slice(1), asked.query], [['_design', 'f', '_rewrite', 'a', 'b'], { q: '1' }])
  })

  it('keep some out', async () => {
    assert.deepEqual([(await rewrite('restricted', 'closed')).status, (await db.get('_design/f/_rewrite/_up')).body.status], [403, 'ok'])
  })

  it('lead to no URL that is too long to be asked for', async () => {
    for (const result of ['"../../" + "x".repeat(10000)', '"a/".repeat(1000000)', '{ path: "x", query: { a: "x".repeat(10000) } }']) {
      await db.write('_design/f', { rewrites: `function () { return ${result} }`, ...await current() })
      assertRefused(await db.get('_design/f/_rewrite/x'), 414, 'too_long')
    }
  })

  it('change nothing outside of their database for whoever follows a link', async () => {
    const setting = '/_node/_local/_config/vendor/made'
    const path = `"../../..${setting}"`
    for (const result of [`{ path: ${path}, method: "PUT", body: JSON.stringify("x") }`, `{ path: ${path}, method: "DELETE" }`, '{ path: "../../../_users/x", method: "PUT", body: "{}" }', '{ path: "../../../", method: "POST" }']) {
      await db.write('_design/f', { rewrites: `function () { return ${result} }`, ...await current() })
      assertRefused(await db.get('_design/f/_rewrite/x'), 500, 'insecure_rewrite_rule')
    }
    await db.write('_design/f', { rewrites: `function () { return ${path} }`, ...await current() })
    assertRefused(await db.put('_design/f/_rewrite/x', '"x"'), 500, 'insecure_rewrite_rule')
    assert.equal((await db.get('_design/f/_rewrite/x')).status, 404)
    assert.equal((await request('GET', setting)).status, 404)
  })

  async function current () {
    const { status, body } = await db.get('_design/f')
    return status === 200 ? { _rev: body._rev } : {}
  }

  it('fail where they give nothing of the kind', async () => {
    const expected = {
      none: [404, 'rewrite_error', 'Invalid path.'],
      number: [500, 'rewrite_error', 'bad rewrite'],
      nowhere: [500, 'rewrite_error', 'Rewrite result must produce a new path.'],
      badCode: [500, 'rewrite_error', 'bad code'],
      badHeaders: [500, 'rewrite_error', 'object key/value must be strings <<"a">>=5'],
      badBody: [500, 'rewrite_error', 'bad body'],
      badQuery: [500, 'rewrite_error', 'bad query'],
      throws: [500, 'rewrite_error', /^function raised error: Error: boo/],
      teapot: [500, 'teapot', 'short']
    }
    let rev
    for (const [name, [status, error, reason]] of Object.entries(expected)) {
      rev = (await db.put('_design/f', { _rev: rev, rewrites: functions[name].toString() })).body.rev
      assertRefused(await db.get('_design/f/_rewrite/x'), /** @type {number} */ (status), /** @type {string} */ (error), reason)
    }
  })
})
