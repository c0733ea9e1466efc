'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, request } = require('./support/request')
const { setting } = require('./support/setting')

describe('JSON as a script', () => {
  const db = new TestDatabase()

  it('is not given unless it is configured', async () => {
    const { headers, body } = await get('/?callback=f')
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(body.couchdb, 'Welcome')
  })

  describe('where it is', () => {
    setting('chttpd', 'allow_jsonp', true)

    const called = ({ text }) => {
      const match = /^\/\* CouchDB \*\/f\(([^]*)\);\n$/.exec(text)
      assert.ok(match, text)
      return JSON.parse(match[1])
    }

    it('calls the function that is named', async () => {
      const answer = await get('/?callback=f')
      assert.equal(answer.headers.get('content-type'), 'application/javascript')
      assert.equal(Number(answer.headers.get('content-length')), answer.bytes.length)
      assert.equal(called(answer).couchdb, 'Welcome')
    })

    it('holds documents, rows and changes', async () => {
      await db.write('a', { n: 1 })
      await db.write('_design/d', { views: { v: { map: 'function (doc) { emit(doc.n) }' } } })
      assert.equal(called(await db.get('a?callback=f')).n, 1)
      assert.equal(called(await db.get('_all_docs?callback=f')).rows.length, 2)
      assert.equal(called(await db.get('_changes?callback=f')).results.length, 2)
      assert.equal(called(await db.get('_design/d/_view/v?callback=f')).rows.length, 1)
    })

    it('holds errors', async () => {
      const answer = await db.get('none?callback=f')
      assert.equal(answer.status, 404)
      assert.equal(called(answer).error, 'not_found')
    })

    it('calls members and elements, and nothing else', async () => {
      assert.match((await get('/?callback=a.b%5B0%5D')).text, /^\/\* CouchDB \*\/a\.b\[0\]\(\{/)
      for (const callback of ['alert(1)', 'a b', 'f;g', '<script>']) assertRefused(await get(`/?callback=${encodeURIComponent(callback)}`), 400, 'bad_request', 'invalid_callback')
      assert.equal((await get('/?callback=')).body.couchdb, 'Welcome')
    })
  })
})

describe('JSON', () => {
  const db = new TestDatabase()

  it('is JSON, whatever a client says that it takes', async () => {
    await db.write('a')
    for (const Accept of ['text/html', 'text/plain', 'image/png', '*/*', 'application/json;q=0']) {
      for (const path of ['a', '_all_docs', '_changes', '']) {
        assert.equal((await db.get(path, { headers: { Accept } })).headers.get('content-type'), 'application/json')
      }
    }
  })
})

describe('methods that are overridden', () => {
  const db = new TestDatabase()
  const post = (path, method, body) => request('POST', db.path(path), { body, headers: { 'X-HTTP-Method-Override': method } })

  it('are those of a POST', async () => {
    const { status, body: { rev } } = await post('a', 'PUT', { n: 1 })
    assert.equal(status, 201)
    assert.equal((await post('a', 'GET')).body.n, 1)
    assert.equal((await post(`a?rev=${rev}`, 'DELETE')).status, 200)
  })

  it('are not those of other methods, and none that there are not', async () => {
    await db.write('a')
    assert.equal((await db.get('a', { headers: { 'X-HTTP-Method-Override': 'DELETE' } })).status, 200)
    assert.equal((await db.get('a')).status, 200)
    assert.equal((await post('', 'BREW', {})).status, 201)
  })
})

describe('a plus in a path', () => {
  const db = new TestDatabase()

  it('is a space', async () => {
    await db.write('a b', { n: 1 })
    await db.write('a+b', { n: 2 })
    assert.equal((await db.get('a+b')).body.n, 1)
    assert.equal((await db.get('a%2Bb')).body.n, 2)
  })

  describe('that is decoded as paths are', () => {
    setting('chttpd', 'decode_plus_to_space', false)

    it('is a plus', async () => {
      await db.write('a b', { n: 1 })
      await db.write('a+b', { n: 2 })
      assert.equal((await db.get('a+b')).body.n, 2)
      assert.equal((await db.get('a%20b')).body.n, 1)
    })
  })
})
