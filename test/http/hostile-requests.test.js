'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { RawConnection } = require('./support/raw')
const { get } = require('./support/request')
const { server } = require('./support/server')

/**
 * Sends bytes, says that no more will come, and gives all that the server says until it closes the connection.
 *
 * @param {string} bytes
 */
async function exchange (bytes) {
  const connection = await RawConnection.open()
  await connection.send(bytes)
  connection.end()
  return connection.closed()
}

const statuses = text => [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))

function head (method, path, headers = {}) {
  const all = { Host: 'localhost', Authorization: server.authorization, Accept: 'application/json', 'Content-Type': 'application/json', Connection: 'close', ...headers }
  return `${method} ${path} HTTP/1.1\r\n${Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join('')}`
}

describe('Requests that two servers could read in two ways', function () {
  const db = new TestDatabase()
  const smuggled = 'PUT /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'

  before(async function () {
    // CouchDB takes some of them.
    if ((await get('/')).body.vendor.name !== 'Potoroo') this.skip()
  })

  /** Lines that follow the first header lines. */
  const refused = {
    'two lengths of a body': 'Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}',
    'the same length twice': 'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}',
    'a list of lengths': 'Content-Length: 2, 2\r\n\r\n{}',
    'a length with a sign': 'Content-Length: +2\r\n\r\n{}',
    'a length below nothing': 'Content-Length: -2\r\n\r\n{}',
    'a length in hexadecimal': 'Content-Length: 0x2\r\n\r\n{}',
    'a length above 64 bits': 'Content-Length: 18446744073709551618\r\n\r\n{}',
    'a length and chunks': `Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    'chunks and a length': `Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n${smuggled}`,
    'an encoding that is nearly chunked': 'Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'chunked that is not the last encoding': 'Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'two encodings': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'an encoding after a vertical tab': 'Transfer-Encoding: \vchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'a space before the colon': 'Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'a header on two lines': 'Content-Length: 2\r\nX-A: a\r\n Transfer-Encoding: chunked\r\n\r\n{}',
    'a line that ends in LF alone': 'X-A: a\nContent-Length: 2\r\n\r\n{}',
    'a line that ends in CR alone': 'X-A: a\rContent-Length: 2\r\n\r\n{}',
    'a NUL in a header': 'X-A: a\0b\r\nContent-Length: 2\r\n\r\n{}',
    'a chunk whose size ends in LF alone': 'Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n',
    'a chunk whose extension ends in LF alone': 'Transfer-Encoding: chunked\r\n\r\n2;a\n{}\r\n0\r\n\r\n',
    'a chunk whose size has a prefix': 'Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n',
    'a chunk above 64 bits': 'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff2\r\n{}\r\n0\r\n\r\n'
  }

  for (const [what, rest] of Object.entries(refused)) {
    it(`are refused, and nothing after them is read: ${what}`, async () => {
      const answer = await exchange(head('POST', db.path()) + rest)
      assert.deepEqual(statuses(answer), [400])
      assert.equal((await get('/smuggled')).status, 404)
      assert.equal((await db.get('')).body.doc_count, 0)
    })
  }

  it('are refused: none and two hosts where one counts', async () => {
    assert.deepEqual(statuses(await exchange('GET /_up HTTP/1.1\r\nConnection: close\r\n\r\n')), [400])
  })

  for (const [what, first, status] of [
    ['two hosts', head('GET', '/_up', { Connection: 'keep-alive' }) + 'Host: other\r\n\r\n', 400],
    ['a body that is not waited for', head('PUT', '/no-such-database/d', { Connection: 'keep-alive', 'Content-Length': 2, Expect: '100-continue' }) + '\r\n', 404],
    ['a last answer', head('GET', '/_up') + '\r\n', 200]
  ]) {
    it(`are not done behind ${what}`, async () => {
      assert.deepEqual(statuses(await exchange(first + head('PUT', db.path('behind'), { 'Content-Length': 2 }) + '\r\n{}')), [status])
      assert.equal((await db.get('behind')).status, 404)
    })
  }

  it('do not take the answer from one that went before, where they are none', async () => {
    const write = id => head('PUT', db.path(id), { Connection: 'keep-alive', 'Content-Length': 2 }) + '\r\n{}'
    assert.deepEqual(statuses(await exchange(write('before-garbage') + 'garbage\r\n\r\n')), [201])
    assert.equal((await db.get('before-garbage')).status, 200)
  })

  it('are refused where they ask for a tunnel behind another', async () => {
    assert.deepEqual(statuses(await exchange(head('GET', '/_up', { Connection: 'keep-alive' }) + '\r\nCONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n\r\n')), [200, 400])
  })

  it('are told from their bodies: a request in the body of another', async () => {
    const body = 'PUT /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
    const first = head('GET', '/_up', { Connection: 'keep-alive', 'Content-Length': body.length }) + '\r\n' + body
    assert.deepEqual(statuses(await exchange(first + head('GET', '/_up') + '\r\n')), [200, 200])
    assert.equal((await get('/smuggled')).status, 404)
  })

  it('are answered in their order on one connection', async () => {
    const paths = ['/_up', db.path(), db.path('none'), '/_up', '/no-such-database']
    const requests = paths.map((path, index) => head('GET', path, index < paths.length - 1 ? { Connection: 'keep-alive' } : {}) + '\r\n')
    assert.deepEqual(statuses(await exchange(requests.join(''))), [200, 200, 404, 200, 404])
  })

  it('are done in their order on one connection', async () => {
    const pairs = Array.from({ length: 10 }, (_, n) => head('PUT', db.path(`in-order-${n}`), { Connection: 'keep-alive', 'Content-Length': 2 }) + '\r\n{}' + head('GET', db.path(`in-order-${n}`), { Connection: 'keep-alive' }) + '\r\n')
    const answer = await exchange(pairs.join('') + head('GET', '/_up') + '\r\n')
    assert.deepEqual(statuses(answer), [...pairs.flatMap(() => [201, 200]), 200])
  })
})

describe('Paths that lead elsewhere', () => {
  const db = new TestDatabase()
  const status = async path => statuses(await exchange(head('GET', path) + '\r\n'))[0]

  it('lead nowhere, and to no file', async () => {
    for (const path of ['/..', '/../..', '/%2e%2e', '/%2e%2e/', '/..%2f..%2fetc%2fpasswd', '/..%5c..', '/%252e%252e%252f', '/.', '/_utils/../../package.json',
      '/_utils/%2e%2e/%2e%2e/package.json', '/_utils/..%2f..%2fpackage.json', '/_utils/..%252f..%252fpackage.json', '/_utils/..\\..\\package.json', '/_utils/%00', '/_utils/index.html%00.js']) {
      const answer = await exchange(head('GET', path) + '\r\n')
      assert.ok([400, 404].includes(statuses(answer)[0]), `${path}: ${answer.slice(0, 100)}`)
      assert.ok(!answer.includes('"dependencies"') && !answer.includes('root:'), path)
    }
  })

  it('are names of documents like others, where they name documents', async () => {
    for (const id of ['...', '../..', 'a\0b', '%2f', '%252e', 'a//b', 'C:\\', '\ud83e\udd98', "'; --", '<script>', 'toString', 'constructor', 'hasOwnProperty']) {
      const rev = await db.write(id, { id })
      const { body } = await db.get(encodeURIComponent(id))
      assert.deepEqual(body, { _id: id, _rev: rev, id })
    }
    const { body } = await db.get('_all_docs')
    assert.equal(body.total_rows, 13)
  })

  it('are refused where they are no UTF-8', async function () {
    if ((await get('/')).body.vendor.name !== 'Potoroo') this.skip()
    for (const path of ['%c0%af', '%c0%80', '%e0%80%af', '%ed%a0%80', '%ff', '%f8%88%80%80%80', '%zz', '%', '%2']) assert.equal(await status(db.path(path)), 400, path)
  })

  it('mean what they mean without their doubled slash, and with the address that a proxy is told', async () => {
    assert.equal(await status(`/${db.path()}`), 200)
    assert.equal(await status('//_up'), 200)
    assert.equal(await status('http://elsewhere.example/_up'), 200)
    assert.equal(await status(`http://elsewhere.example:80${db.path('none')}`), 404)
  })

  it('and other things than paths are refused', async function () {
    if ((await get('/')).body.vendor.name !== 'Potoroo') this.skip()
    for (const line of ['GET *', 'OPTIONS *', 'GET _up', 'GET ftp://x/_up', 'GET http:/_up', 'GET ?x', 'CONNECT x:80']) {
      const [found = 400] = statuses(await exchange(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`))
      assert.ok(found >= 400 && found < 500, `${line}: ${found}`)
    }
  })

  it('ask for what they say, however it is encoded', async () => {
    assert.equal(await status('/%5fup'), 200)
    assert.equal(await status(db.path('%5fall_docs')), 200)
    const anonymous = await get('/%5fusers/_all_docs', { headers: { Authorization: '' } })
    assert.equal(anonymous.status, 401)
  })
})

describe('Names that every object has', () => {
  const db = new TestDatabase()
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']

  afterEach(async () => {
    assert.equal(/** @type {any} */ ({}).polluted, undefined)
    assert.equal((await get('/')).status, 200)
  })

  it('are no database, no configuration, no user', async () => {
    for (const name of names) {
      assert.equal((await get(`/${name}`)).status, 404, name)
      const session = await get('/_session', { headers: { Authorization: `Basic ${Buffer.from(`${name}:x`).toString('base64')}` } })
      assert.equal(session.status, 401, name)
      const { status, body } = await get(`/_node/_local/_config/${name}`)
      assert.ok(status === 404 || Object.keys(body).length === 0, name)
      for (const inner of names) assert.equal((await get(`/_node/_local/_config/${name}/${inner}`)).status, 404)
      assert.equal((await get(`/_node/_local/_config/log/${name}`)).status, 404)
    }
  })

  it('are members of documents, local documents, design documents and security objects like others', async () => {
    const members = Object.fromEntries(names.filter(name => !name.startsWith('_')).map(name => [name, { polluted: true }]))
    const text = `{"a":{"__proto__":{"polluted":true}},${JSON.stringify(members).slice(1)}`
    for (const path of ['d', '_local/d', '_design/d', '_local/__proto__', '_design/__proto__', '_design/constructor']) {
      assert.equal((await db.put(path, text)).status, 201, path)
      const { text: read } = await db.get(path)
      assert.ok(read.includes('"__proto__":{"polluted":true}'), read)
    }
    const views = '{"views":{"toString":{"map":"function (doc) { emit(1) }"}}}'
    assert.equal((await db.put('_design/v', views)).status, 201)
    assert.equal((await db.get('_design/v/_view/toString')).status, 200)
    for (const name of ['__proto__', 'constructor', 'valueOf']) assert.equal((await db.get(`_design/v/_view/${name}`)).status, 404, name)
  })

  it('are attachments like others', async () => {
    let rev = await db.write('d')
    for (const name of names.slice(1, 6)) {
      const { status, body } = await db.put(`d/${name}?rev=${rev}`, name, { headers: { 'Content-Type': 'text/plain' } })
      assert.equal(status, 201, name)
      rev = body.rev
      assert.equal((await db.get(`d/${name}`)).text, name)
    }
    assert.equal((await db.get('d/__proto__')).status, 404)
    assert.equal((await db.get('d/isPrototypeOf')).status, 404)
  })

  it('are ignored as parameters and headers', async () => {
    const query = names.map(name => `${name}=polluted`).join('&')
    for (const path of ['', '_all_docs', '_changes']) assert.equal((await db.get(`${path}?${query}`)).status, 200, path)
    const headers = names.map(name => `${name}: polluted\r\n`).join('')
    assert.deepEqual(statuses(await exchange(`${head('GET', db.path())}${headers}\r\n`)), [200])
  })

  it('are fields of selectors like others', async () => {
    await db.write('a', { toString: 1, constructor: { prototype: 2 } })
    const { body: { docs } } = await db.post('_find', '{"selector":{"toString":1,"constructor.prototype":2}}')
    assert.equal(docs.length, 1)
    const { body: { docs: none } } = await db.post('_find', '{"selector":{"__proto__.polluted":{"$exists":true},"valueOf":{"$exists":true}}}')
    assert.deepEqual(none, [])
    for (const name of names) assert.equal((await db.post('_find', `{"selector":{"a":{"$${name}":1}}}`)).status, 400, name)
  })
})
