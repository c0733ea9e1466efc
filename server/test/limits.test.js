'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const path = require('node:path')
const { setTimeout: after } = require('node:timers/promises')
const tls = require('node:tls')
const { MemoryLevel } = require('memory-level')
const { serve } = require('..')

const authorization = `Basic ${Buffer.from('anna:secret').toString('base64')}`

describe('connections', () => {
  let server, level
  const sockets = new Set()

  beforeEach(async () => {
    level = new MemoryLevel()
    await prepare('/db')
  })

  const open = ({ chttpd, ...options } = {}) => serve({ port: 0, level, admins: { anna: 'secret' }, config: { chttpd, chttpd_auth: { iterations: 10 } }, ...options })

  /** Puts something by way of a server whose limits a busy machine does not reach. */
  async function prepare (path, body) {
    server = await open()
    assert.equal((await ask('PUT', path, body)).status, 201)
    await server.close()
  }

  async function start (chttpd = {}, options = {}) {
    server = await open({ chttpd, ...options })
  }

  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await server.close()
    await level.close()
  })

  async function ask (method, path, body, headers) {
    const response = await fetch(server.url + path, { method, body, headers: { authorization, 'content-type': 'application/json', ...headers } })
    return { status: response.status, body: await response.json() }
  }

  /** Not by HTTP, as a busy machine may hold up a request for longer than the limit. */
  async function assertEmpty () {
    const store = await server.service.databases.get('db')
    assert.equal((await store.info()).docCount, 0)
  }

  /** A connection, and all that comes on it. */
  async function connect (options) {
    const { port } = new URL(server.url)
    const socket = net.connect({ port: Number(port), host: '127.0.0.1', ...options })
    sockets.add(socket)
    socket.on('error', () => {})
    const received = { text: '' }
    socket.setEncoding('latin1').on('data', text => { received.text += text })
    await once(socket, 'connect')
    // `once` of node:events would be told of a reset.
    return { socket, received, closed: new Promise(resolve => socket.once('close', () => resolve(received.text))) }
  }

  /** A connection on which a long answer has begun, and is read no further. @param {number} stallTimeout milliseconds */
  async function beginToRead (stallTimeout) {
    await prepare('/db/d/a', Buffer.alloc(30_000_000))
    await start({ stall_timeout: stallTimeout })
    const accepted = once(server.server, 'connection')
    const { socket } = await connect()
    const [atServer] = await accepted
    // Its end comes to the client after what the system has for it, which nobody reads.
    const cut = new Promise(resolve => atServer.once('close', resolve))
    socket.write(head('GET', '/db/d/a'))
    await once(socket, 'data')
    socket.pause()
    return { socket, atServer, cut }
  }

  const head = (method, path, headers = {}) => `${method} ${path} HTTP/1.1\r\n${Object.entries({ Host: 'x', Authorization: authorization, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`

  it('whose request does not become whole in time are closed', async () => {
    await start({ headers_timeout: 300 })
    const accepted = once(server.server, 'connection')
    const { socket, closed } = await connect()
    const [atServer] = await accepted
    socket.write('GET / HTTP/1.1\r\n')
    // A write to a connection that was reset would end it before the answer is read.
    const drip = setInterval(() => atServer.destroyed || socket.write('X-A: a\r\n'), 50)
    try {
      assert.match(await closed, /^HTTP\/1.1 408 /)
    } finally {
      clearInterval(drip)
    }
  })

  it('that say nothing at all are closed', async () => {
    await start({ headers_timeout: 300, stall_timeout: 300 })
    const { closed } = await connect()
    await closed
  })

  it('whose upload stands still are told so and closed', async () => {
    await start({ stall_timeout: 300 })
    const { socket, closed } = await connect()
    socket.write(head('PUT', '/db/d', { 'Content-Length': 1000 }) + '{"a":')
    assert.match(await closed, /^HTTP\/1.1 408 /)
    await assertEmpty()
  })

  it('whose upload trickles are closed', async () => {
    await start({ stall_timeout: 300 })
    const { socket, closed } = await connect()
    socket.write(head('PUT', '/db/d/a', { 'Content-Length': 100000 }))
    const drip = setInterval(() => socket.write('x'), 50)
    try {
      await closed
    } finally {
      clearInterval(drip)
    }
    await assertEmpty()
  })

  it('whose upload trickles are closed, over TLS too', async () => {
    const certificate = name => path.resolve(__dirname, '../../test/support/certificates', name)
    await start({ stall_timeout: 300 }, { tlsCert: certificate('first.crt'), tlsKey: certificate('first.key'), config: { chttpd: { stall_timeout: 300 }, chttpd_auth: { iterations: 10 }, ssl: { port: 0 } } })
    const socket = tls.connect({ port: Number(new URL(server.urls[1]).port), host: '127.0.0.1', rejectUnauthorized: false })
    sockets.add(socket)
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    const closed = new Promise(resolve => socket.resume().once('close', resolve))
    socket.write(head('PUT', '/db/d/a', { 'Content-Length': 100000 }))
    const drip = setInterval(() => socket.write('x'), 50)
    try {
      await closed
    } finally {
      clearInterval(drip)
    }
  })

  it('whose upload is slow and goes on may take as long as it takes', async () => {
    // Far more than a busy machine makes one pause.
    const limit = 8000
    await start({ stall_timeout: limit })
    const { socket, received } = await connect()
    const size = 8000
    const chunks = 30
    socket.write(head('PUT', '/db/d/a', { 'Content-Length': size * chunks, 'Content-Type': 'text/plain' }))
    for (let i = 0; i < chunks; i++) {
      socket.write('x'.repeat(size))
      // The test is about the time between: more than the limit in all.
      await new Promise(resolve => setTimeout(resolve, 1.5 * limit / chunks))
    }
    while (!received.text.includes('\r\n\r\n')) await once(socket, 'data')
    assert.match(received.text, /^HTTP\/1.1 201 /)
  })

  it('whose upload came while the server itself stood still are answered', async () => {
    const limit = 300
    await start({ stall_timeout: limit })
    const { socket, received } = await connect()
    const size = 100_000
    socket.write(head('PUT', '/db/d/a', { 'Content-Length': size, 'Content-Type': 'text/plain' }))
    await once(server.server, 'request')
    socket.write('x'.repeat(size))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * limit)
    while (!received.text.includes('\r\n\r\n')) await once(socket, 'data')
    assert.match(received.text, /^HTTP\/1.1 201 /)
  })

  it('that do not read their answer are closed', async () => {
    const { atServer, cut } = await beginToRead(300)
    assert.ok(!atServer.destroyed)
    await cut
  })

  it('that do not read their answer are closed, also if they go on talking, and not while they read slowly', async () => {
    const { socket, atServer, cut } = await beginToRead(1000)
    // The second request waits for the first answer, and its body for ever.
    socket.write(head('PUT', '/db/d/b', { 'Content-Length': 100000 }))
    const drip = setInterval(() => socket.write('x'), 50)
    try {
      for (let n = 0; n < 40; n++) {
        socket.resume()
        for (let pieces = 0; pieces < 8; pieces++) await once(socket, 'data')
        socket.pause()
        await after(50)
      }
      assert.ok(!atServer.destroyed)
      await cut
    } finally {
      clearInterval(drip)
    }
  })

  it('of feeds and of answers that take long are left alone', async () => {
    await start({ stall_timeout: 500 })
    const { socket, received } = await connect()
    socket.write(head('GET', '/db/_changes?feed=continuous&since=now&timeout=1600'))
    const end = '"pending":0}'
    while (!received.text.includes(end)) await once(socket, 'data')
    assert.match(received.text, /^HTTP\/1.1 200 /)
  })

  it('above [chttpd] server_options\' max are told so, when idle ones are no longer in their way', async () => {
    await start({ server_options: '[{backlog, 128}, {max, 3}]' })
    const feeds = await Promise.all(Array.from({ length: 3 }, () => connect()))
    for (const { socket, received } of feeds) {
      socket.write(head('GET', '/db/_changes?feed=continuous&since=now&heartbeat=60000'))
      while (!received.text.includes('\r\n\r\n')) await once(socket, 'data')
    }
    const { socket, closed } = await connect()
    socket.write(head('GET', '/'))
    const text = await closed
    assert.match(text, /^HTTP\/1.1 503 /)
    assert.match(text, /"service_unavailable"/)
    feeds[0].socket.destroy()
    await feeds[0].closed
    for (let status = 0; status !== 200;) {
      const next = await connect()
      next.socket.write(head('GET', '/', { Connection: 'close' }))
      status = Number((await next.closed).slice(9, 12))
    }
  })

  it('with a head that is too long, has too many headers, or two hosts, are refused', async () => {
    await start()
    for (const [status, bytes] of [
      [400, head('GET', '/', { host: 'y' })],
      [431, head('GET', '/', { 'X-A': 'a'.repeat(40_000) })],
      [431, head('GET', '/', Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`X${n}`, 'a'])))],
      [414, head('GET', `/${'a'.repeat(8001)}`)]
    ]) {
      const { socket, closed } = await connect()
      socket.write(bytes)
      assert.equal(Number((await closed).slice(9, 12)), status)
    }
    assert.equal((await ask('GET', `/db/${'a'.repeat(7000)}`)).status, 404)
  })

  describe('that ask with Expect: 100-continue', () => {
    const expecting = (path, headers) => head('PUT', path, { Expect: '100-continue', 'Content-Length': 10, 'Content-Type': 'text/plain', ...headers })

    it('are told to go on when their body is wanted', async () => {
      await start()
      const { socket, received } = await connect()
      socket.write(expecting('/db/d/a'))
      while (!received.text.includes('\r\n\r\n')) await once(socket, 'data')
      assert.match(received.text, /^HTTP\/1.1 100 Continue\r\n\r\n$/)
      socket.write('0123456789')
      while (!received.text.includes('"ok"')) await once(socket, 'data')
      socket.write(head('GET', '/db/d/a'))
      while (!received.text.includes('0123456789')) await once(socket, 'data')
    })

    it('are refused before it, and their connection ends', async () => {
      await start()
      for (const [status, path, headers] of [[404, '/none/d/a', {}], [401, '/db/d/a', { Authorization: '' }], [413, '/db/d/a', { 'Content-Length': 5e9 }]]) {
        const { socket, closed } = await connect()
        socket.write(expecting(path, headers))
        const text = await closed
        assert.match(text, new RegExp(`^HTTP/1.1 ${status} `))
        assert.ok(!text.includes('100 Continue'))
      }
    })
  })

  it('whose upload is refused get to read why, though they send all of it first', async () => {
    await start({}, { config: { couchdb: { max_document_size: 1000 }, chttpd_auth: { iterations: 10 } } })
    const body = Buffer.alloc(20_000_000, 'x')
    for (const [status, path, headers] of [[401, '/db/d/a', { authorization: '' }], [404, '/none/d/a', { authorization }]]) {
      const request = http.request(server.url + path, { method: 'PUT', headers: { ...headers, 'content-length': body.length, 'content-type': 'text/plain' } })
      request.end(body)
      const [response] = await once(request, 'response')
      assert.equal(response.statusCode, status)
      let text = ''
      for await (const chunk of response) text += chunk
      assert.ok(JSON.parse(text).reason)
    }
  })

  describe('of an admin party', () => {
    const request = headers => new Promise((resolve, reject) => {
      http.get(`${server.url}/_all_dbs`, { headers }, response => resolve(response.resume().statusCode)).on('error', reject)
    })

    it('are of this machine\'s programs and pages alone', async () => {
      await start({}, { adminParty: true, admins: undefined })
      const { host, port } = new URL(server.url)
      for (const headers of [{}, { host }, { host: `localhost:${port}` }, { host: `[::1]:${port}`, origin: 'http://localhost:8080' }]) assert.equal(await request(headers), 200, JSON.stringify(headers))
      for (const headers of [{ host: `evil.example:${port}` }, { host: 'localhost.evil.example' }, { origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
        assert.equal(await request(headers), 403, JSON.stringify(headers))
      }
    })
  })
})
