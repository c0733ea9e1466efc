'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const zlib = require('node:zlib')
const express = require('express')
const { potoroo } = require('../lib/dispatch/middleware')

const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`
const json = { 'content-type': 'application/json' }

describe('Body parsers in front, in somebody else\'s app', () => {
  let databases, server

  /** An app with these handlers before the databases. */
  async function mounted (before, chttpd = {}) {
    databases = potoroo({ storage: 'memory', admins: { admin: 'secret' }, config: { chttpd, chttpd_auth: { iterations: 10 } } })
    const app = express()
    for (const each of before) app.use(each)
    app.use('/db', databases)
    server = http.createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    assert.equal((await ask('PUT', 'd')).status, 201)
  }

  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await databases.close()
  })

  async function ask (method, path, body, headers = {}) {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/db/${path}`, { method, body, headers: { authorization, ...headers } })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes, text: bytes.toString() }
  }

  const write = (path, value) => ask('PUT', path, JSON.stringify(value), json)

  function assertLost ({ status, text }, why) {
    assert.equal(status, 500, text)
    const { error, reason } = JSON.parse(text)
    assert.equal(error, 'body_already_read')
    assert.match(reason, why)
    assert.match(reason, /Mount Potoroo before body parsers/)
  }

  describe('express.json()', () => {
    beforeEach(() => mounted([express.json()]))

    it('leaves JSON as good as it was', async () => {
      const value = { text: 'é\ud83e\udd98', list: [1, -0.5, 1e-7, null, true, { '': {}, ['__proto__']: 1 }] }
      const written = await write('d/a', value)
      assert.equal(written.status, 201, written.text)
      const { _id, _rev, ...rest } = JSON.parse((await ask('GET', 'd/a')).text)
      assert.deepEqual(rest, JSON.parse(JSON.stringify(value)))
      assert.equal((await ask('POST', 'd/_bulk_docs', '{"docs":[{"_id":"b"},{"_id":"c"}]}', json)).status, 201)
      assert.equal(JSON.parse((await ask('POST', 'd/_find', '{"selector":{"_id":"b"}}', json)).text).docs.length, 1)
      assert.equal((await ask('POST', 'd/_compact', '{}', json)).status, 202)
      assert.equal((await ask('POST', 'd/_compact', undefined, json)).status, 202)
      assert.equal((await ask('POST', '_session', '{"name":"admin","password":"secret"}', json)).status, 200)
    })

    it('refuses the same JSON', async () => {
      assert.equal((await ask('PUT', 'd/a', '{"a":"\\ud800"}', json)).status, 400)
      assert.equal((await ask('PUT', 'd/a', '[1]', json)).status, 400)
    })

    it('may have lost digits: that is refused at once', async () => {
      for (const number of ['12345678901234567890', '-9007199254740993', '1e400', '1e20']) assertLost(await ask('PUT', 'd/a', `{"a":[{"b":${number}}]}`, json), /digits/)
      assert.equal((await ask('GET', 'd/a')).status, 404)
    })

    it('keeps no bytes: what needs them is refused at once', async () => {
      const rev = JSON.parse((await write('d/a', {})).text).rev
      assertLost(await ask('PUT', `d/a/file.json?rev=${rev}`, '{ "a": 1 }', json), /bytes/)
      assert.equal((await write('d/_design/f', { updates: { u: 'function (doc, req) { return [null, req.body] }' } })).status, 201)
      assertLost(await ask('POST', 'd/_design/f/_update/u', '{ "a": 1 }', json), /bytes/)
    })

    it('leaves other bodies alone', async () => {
      const { status } = await ask('PUT', 'd/a/file.txt', 'text', { 'content-type': 'text/plain' })
      assert.equal(status, 201)
      assert.equal((await ask('GET', 'd/a/file.txt')).text, 'text')
    })

    it('decompresses, which counts once', async () => {
      const { status, text } = await ask('PUT', 'd/a', zlib.gzipSync(`{"a":"${'x'.repeat(9000)}"}`), { ...json, 'content-encoding': 'gzip' })
      assert.equal(status, 201, text)
      assert.equal(JSON.parse((await ask('GET', 'd/a')).text).a.length, 9000)
    })

    it('may be followed by functions that rewrite', async () => {
      const rewrites = 'function (req) { return { path: "../../made", method: "PUT", body: "{\\"a\\":1}" } }'
      assert.equal((await write('d/_design/f', { rewrites })).status, 201)
      assert.equal((await ask('POST', 'd/_design/f/_rewrite/x')).status, 201)
      assert.equal(JSON.parse((await ask('GET', 'd/made')).text).a, 1)
    })
  })

  it('express.raw() keeps everything', async () => {
    await mounted([express.raw({ type: () => true, limit: '10mb' })])
    const content = Buffer.from([0, 255, 128, 13, 10, 200])
    assert.equal((await ask('PUT', 'd/a/file', content, { 'content-type': 'application/x-test' })).status, 201)
    assert.deepEqual((await ask('GET', 'd/a/file')).bytes, content)
    assert.equal((await ask('PUT', 'd/b', '{"n":12345678901234567890}', json)).status, 201)
    assert.match((await ask('GET', 'd/b')).text, /"n":12345678901234567890/)
    const related = ['--b', 'Content-Type: application/json', '', '{"_attachments":{"a":{"follows":true,"length":2,"content_type":"text/plain"}}}', '--b', '', 'hi', '--b--'].join('\r\n')
    assert.equal((await ask('PUT', 'd/m', related, { 'content-type': 'multipart/related; boundary=b' })).status, 201)
    assert.equal((await ask('GET', 'd/m/a')).text, 'hi')
    const packed = zlib.gzipSync('x'.repeat(5000))
    assert.equal((await ask('PUT', 'd/z/file', packed, { 'content-type': 'application/x-test', 'content-encoding': 'gzip' })).status, 201)
    assert.equal((await ask('GET', 'd/z/file')).text.length, 5000)
  })

  it('express.text() keeps what is text in UTF-8', async () => {
    await mounted([express.text({ type: () => true })])
    assert.equal((await ask('PUT', 'd/a/file', 'é', { 'content-type': 'text/plain' })).status, 201)
    assert.equal((await ask('GET', 'd/a/file')).text, 'é')
    assertLost(await ask('PUT', 'd/b/file', Buffer.from([0xff, 0xfe]), { 'content-type': 'text/plain' }), /bytes/)
    assertLost(await ask('PUT', 'd/b/file', Buffer.from([0xe9]), { 'content-type': 'text/plain; charset=iso-8859-1' }), /bytes/)
  })

  for (const extended of [true, false]) {
    it(`express.urlencoded() keeps what a session needs, ${extended ? '' : 'not '}extended`, async () => {
      await mounted([express.urlencoded({ extended })])
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      assert.equal((await ask('POST', '_session', 'name=admin&password=secret&other=1&other=2', form)).status, 200)
      assert.equal((await ask('POST', '_session', 'name=admin&password=wrong', form)).status, 401)
      if (extended) assertLost(await ask('POST', '_session', 'name[a]=admin&password=secret', form), /plain form/)
    })
  }

  it('who has taken all of the body and kept nothing of it is told so at once', async () => {
    await mounted([(req, res, next) => { req.resume().once('end', next) }])
    assertLost(await write('d/a', {}), /no JSON/)
    assert.equal((await ask('GET', 'd')).status, 200)
  })

  it('a body that never comes is given up after the stall timeout', async () => {
    await mounted([], { stall_timeout: 200 })
    const silent = http.request({ port: server.address().port, method: 'PUT', path: '/db/d/a', headers: { authorization, ...json, 'content-length': 100 } })
    silent.on('error', () => {})
    silent.write('{')
    const [answer] = await once(silent, 'response')
    assert.deepEqual([answer.statusCode, answer.headers.connection], [408, 'close'])
    const attachment = http.request({ port: server.address().port, method: 'PUT', path: '/db/d/a/file', headers: { authorization, 'content-type': 'text/plain', 'content-length': 100 } })
    attachment.on('error', () => {})
    attachment.write('x')
    assert.equal((await once(attachment, 'response'))[0].statusCode, 408)
    assert.equal((await ask('GET', 'd/a')).status, 404)
  })
})
