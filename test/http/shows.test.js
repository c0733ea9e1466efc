'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { request } = require('./support/request')

const shows = {
  hello: 'function (doc, req) { return doc ? "Hello from " + doc._id + "!" : "Hello, world!" }',
  json: 'function (doc, req) { return { json: { id: doc._id, rev: doc._rev } } }',
  image: 'function (doc, req) { return { headers: { "Content-Type": "image/png" }, base64: "iVBORw0KGgo=" } }',
  whole: 'function (doc, req) { return { code: 418, headers: { "X-Kettle": "on", "Content-Type": "text/tea" }, body: "short" } }',
  document: 'function (doc, req) { doc.seen = true; return { json: doc } }',
  request: 'function (doc, req) { return { json: req } }',
  formats: `function (doc, req) {
    provides("json", function () { return toJSON({ n: doc.n }) })
    provides("html", function () { send("<b>"); send(doc.n); return "</b>" })
    provides("xml", function () { return { body: "<n>" + doc.n + "</n>" } })
    registerType("text-json", "text/json")
    provides("text-json", function () { return "text:" + this._id })
  }`,
  sent: 'function (doc, req) { start({ "X-Started": "yes" }); send("one "); send(2); return " three" }',
  module: 'function (doc, req) { var greeting = require("lib/greeting"); return greeting.to(this._id) + isArray([]) + toJSON(sum([1, 2])) }',
  missingModule: 'function (doc, req) { return require("lib/nothing") }',
  throws: 'function (doc, req) { throw new Error("boo") }',
  throwsText: 'function (doc, req) { throw "text" }',
  throwsObject: 'function (doc, req) { throw { error: "teapot", reason: "short and stout" } }',
  throwsList: 'function (doc, req) { throw ["error", "not_found", "gone away"] }',
  nothing: 'function (doc, req) { }',
  number: 'function (doc, req) { return 5 }',
  unknown: 'function (doc, req) { return { foo: "bar", body: "x" } }',
  empty: '',
  broken: 'function (doc, req) {',
  text: '"not a function"'
}

const ddoc = { lib: { greeting: 'exports.to = function (name) { return "Hi " + name + " " }' }, shows }

describe('show functions', () => {
  const db = new TestDatabase()
  const show = (rest, headers) => db.get(`_design/d/_show/${rest}`, { headers })
  let rev

  beforeEach(async () => {
    await db.write('_design/d', ddoc)
    rev = await db.write('a', { n: 1 })
  })

  it('answer with text, with a document and without', async () => {
    const without = await show('hello')
    assert.equal(without.status, 200)
    assert.equal(without.text, 'Hello, world!')
    assert.equal(without.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(without.headers.get('content-security-policy'), 'sandbox')
    assert.equal((await show('hello/a')).text, 'Hello from a!')
  })

  it('answer with JSON, and with bytes', async () => {
    const json = await show('json/a')
    assert.deepEqual(json.body, { id: 'a', rev })
    assert.equal(json.headers.get('content-type'), 'application/json')
    const image = await show('image')
    assert.equal(image.headers.get('content-type'), 'image/png')
    assert.deepEqual([...image.bytes], [137, 80, 78, 71, 13, 10, 26, 10])
  })

  it('say status and headers', async () => {
    const { status, text, headers } = await show('whole')
    assert.equal(status, 418)
    assert.equal(text, 'short')
    assert.equal(headers.get('x-kettle'), 'on')
    assert.equal(headers.get('content-type'), 'text/tea')
  })

  it('get documents with their history, which they may change without changing them', async () => {
    const { body } = await show('document/a')
    assert.deepEqual(body, { _id: 'a', _rev: rev, n: 1, seen: true, _revisions: { start: 1, ids: [rev.slice(2)] } })
    assert.deepEqual((await db.get('a')).body, { _id: 'a', _rev: rev, n: 1 })
  })

  it('get ids with slashes, and ids of what there is not', async () => {
    await db.write('b/c')
    for (const path of ['hello/b/c', 'hello/b%2Fc']) assert.equal((await show(path)).text, 'Hello from b/c!')
    assert.equal((await show('hello/none')).text, 'Hello, world!')
    assert.equal((await show('hello/_design/d')).text, 'Hello from _design/d!')
    assert.equal((await show('request/none')).body.id, 'none')
  })

  it('get the request', async () => {
    const { body } = await request('POST', db.path('_design/d/_show/request/a?q=x+y&key=%5B1%5D&descending=true'), { body: 'the body', headers: { 'Content-Type': 'text/plain', 'X-Own': 'header', Cookie: 'c=d' } })
    assert.equal(body.method, 'POST')
    assert.equal(body.id, 'a')
    assert.equal(body.body, 'the body')
    assert.match(body.uuid, /^[0-9a-f]{32}$/)
    assert.deepEqual(body.path, [db.name, '_design', 'd', '_show', 'request', 'a'])
    assert.equal(body.raw_path, `/${db.name}/_design/d/_show/request/a?q=x+y&key=%5B1%5D&descending=true`)
    assert.deepEqual(body.query, { q: 'x y', key: [1], descending: true })
    assert.equal(body.headers['X-Own'], 'header')
    assert.equal(body.headers['Content-Type'], 'text/plain')
    assert.deepEqual([body.headers.Authorization, body.headers.Cookie, body.cookie], [undefined, undefined, {}])
    assert.deepEqual(body.form, {})
    assert.match(body.peer, /\d/)
    assert.deepEqual(body.userCtx.roles, ['_admin'])
    assert.equal(body.userCtx.db, db.name)
    assert.deepEqual(body.secObj.members.roles, ['_admin'])
    assert.equal(body.info.db_name, db.name)
    assert.equal(body.info.doc_count, 2)
  })

  it('get forms, and no body where there is none', async () => {
    const form = await request('POST', db.path('_design/d/_show/request'), { body: 'a=1&b=2+3', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } })
    assert.deepEqual(form.body.form, { a: '1', b: '2 3' })
    assert.equal((await show('request')).body.body, 'undefined')
    assertRefused(await show('request?key=x'), 400, 'bad_request', 'invalid UTF-8 JSON')
  })

  it('answer in the format that the client likes best', async () => {
    const as = async (accept, format = '') => {
      const { status, text, headers } = await show(`formats/a${format}`, { Accept: accept })
      return [status, headers.get('content-type'), text]
    }
    assert.deepEqual(await as('text/html'), [200, 'text/html; charset=utf-8', '<b>1</b>'])
    assert.deepEqual(await as('application/json'), [200, 'application/json', '{"n":1}'])
    assert.deepEqual(await as('text/html;q=0.5, application/xml;q=0.9'), [200, 'application/xml', '<n>1</n>'])
    assert.deepEqual(await as('text/html;q=0.5, text/xml;q=0.9'), [200, 'text/xml', '<n>1</n>'])
    assert.deepEqual(await as('image/png', '?format=text-json'), [200, 'text/json', 'text:_design/d'])
    const refused = await show('formats/a', { Accept: 'image/png' })
    assertRefused(refused, 406, 'not_acceptable', /^Content-Type image\/png not supported, try one of: text\/json, /)
  })

  it('send text in pieces, after headers', async () => {
    const { text, headers } = await show('sent')
    assert.equal(text, 'one 2 three')
    assert.equal(headers.get('x-started'), 'yes')
  })

  it('require modules of their design document', async () => {
    assert.equal((await show('module')).text, 'Hi _design/d true3')
    assertRefused(await show('missingModule'), 500, 'invalid_require_path', /Object has no property "nothing"/)
  })

  it('are cached by whom they answer the same', async () => {
    const etag = (await show('hello/a')).headers.get('etag')
    assert.equal((await show('hello/a', { 'If-None-Match': etag })).status, 304)
    assert.equal((await show('hello/a', { 'If-None-Match': etag, Accept: 'text/html' })).status, 200)
    await db.put('a', { _rev: rev, n: 2 })
    assert.equal((await show('hello/a', { 'If-None-Match': etag })).status, 200)
  })

  it('answer to every method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      assert.equal((await request(method, db.path('_design/d/_show/hello/a'), { headers: { 'Content-Type': 'application/json' } })).text, 'Hello from a!')
    }
    const head = await request('HEAD', db.path('_design/d/_show/hello/a'))
    assert.deepEqual([head.status, head.text, head.headers.get('content-length')], [200, '', '13'])
  })

  it('answer with nothing where they give nothing', async () => {
    const { status, text } = await show('nothing')
    assert.deepEqual([status, text], [200, ''])
  })

  it('answer with what they throw', async () => {
    assertRefused(await show('throws'), 500, 'render_error', /^function raised error: Error: boo \nstacktrace: /)
    assertRefused(await show('throwsText'), 500, 'render_error', 'function raised error: text \nstacktrace: undefined')
    assertRefused(await show('throwsObject'), 500, 'teapot', 'short and stout')
    assertRefused(await show('throwsList'), 404, 'not_found', 'gone away')
    assertRefused(await show('throws/none'), 404, 'not_found', 'document not found')
  })

  it('answer with an error where they give what is no response', async () => {
    assertRefused(await show('number'), 500, 'render_error', 'undefined response from show function')
    assertRefused(await show('unknown'), 500, 'external_response_error', 'Invalid data from external server: {<<"foo">>,<<"bar">>}')
  })

  it('have to be there, and to be functions', async () => {
    assertRefused(await show('none'), 404, 'not_found', 'missing json key: none')
    assertRefused(await show('toString'), 404, 'not_found', 'missing json key: toString')
    assertRefused(await show('__proto__'), 404, 'not_found', 'missing json key: __proto__')
    assertRefused(await show('empty'), 404, 'not_found', 'missing shows function empty on design doc _design/d')
    assertRefused(await show('broken'), 500, 'compilation_error', /^SyntaxError: .* \(function \(doc, req\) \{\)$/)
    assertRefused(await show('text'), 500, 'compilation_error', 'Expression does not eval to a function. ("not a function")')
    assertRefused(await db.get('_design/none/_show/x'), 404, 'not_found', 'missing')
    assertRefused(await db.get('_design/d/_show'), 404, 'show_error', 'Invalid path.')
    await db.write('_design/bare')
    assertRefused(await db.get('_design/bare/_show/x'), 404, 'not_found', 'missing json key: shows')
  })

  it('have to be in a language that the server knows', async () => {
    await db.write('_design/erlang', { language: 'erlang', shows: { a: 'fun({Doc}, {Req}) -> 1 end.' } })
    assertRefused(await db.get('_design/erlang/_show/a'), 500, 'unknown_query_language', 'erlang')
  })

  it('are others once the design document has changed', async () => {
    const { body: { _rev } } = await db.get('_design/d')
    await db.put('_design/d', { _rev, shows: { hello: 'function () { return "changed" }' } })
    assert.equal((await show('hello')).text, 'changed')
    assertRefused(await show('json'), 404, 'not_found', 'missing json key: json')
  })
})
