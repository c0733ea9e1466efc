'use strict'

const assert = require('node:assert/strict')
const { getEventListeners, once } = require('node:events')
const net = require('node:net')
const { createError } = require('@potoroo/errors')
const { serve } = require('..')

const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`

describe('A server of its own', () => {
  let started, sockets

  beforeEach(async () => {
    started = await serve({
      port: 0,
      storage: 'memory',
      admins: { admin: 'secret' },
      config: { chttpd_auth: { iterations: 10 }, couchdb: { max_attachment_size: 1000, max_document_size: 2000 } }
    })
    sockets = new Set()
    started.server.on('connection', socket => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    assert.equal((await send('PUT', '/db')).status, 201)
  })

  afterEach(() => started.close())

  function send (method, path, body, headers) {
    return fetch(started.url + path, { method, body, headers: { Authorization: authorization, Accept: 'application/json', 'Content-Type': 'application/json', ...headers } })
  }

  /** Lets the event loop turn until this is so, but not for ever. */
  async function eventually (condition) {
    const end = Date.now() + 100_000
    while (!await condition()) {
      if (Date.now() > end) throw new Error(`It is never so: ${condition}`)
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  async function connect () {
    const socket = net.connect(Number(new URL(started.url).port), '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  describe('when it stops', () => {
    it('ends its feeds as feeds end', async () => {
      await send('PUT', '/db/a', '{}')
      const [continuous, longpoll, events] = await Promise.all(['continuous', 'longpoll&since=now', 'eventsource'].map(feed => send('GET', `/db/_changes?feed=${feed}`)))
      await started.close()
      const lines = (await continuous.text()).trim().split('\n').map(line => JSON.parse(line))
      assert.equal(lines[0].id, 'a')
      assert.deepEqual(lines[1], { last_seq: lines[0].seq, pending: 0 })
      assert.deepEqual(await longpoll.json(), { results: [], last_seq: lines[0].seq, pending: 0 })
      assert.match(await events.text(), /^data: \{.*"id":"a"/m)
    })
  })

  describe('when a database closes', () => {
    /** Changes of which some are told before it does. */
    const broken = (...pages) => ({
      lastSeq: 0,
      pending: 0,
      async * [Symbol.asyncIterator] () {
        for (const page of pages) {
          this.lastSeq = page.at(-1).seq
          yield page
        }
        throw createError('CLOSED')
      }
    })
    const change = { seq: 7, id: 'a', changes: [{ rev: '1-a' }] }
    const endOf = async feed => (await (await send('GET', `/db/_changes?feed=${feed}`)).text()).trim().split('\n').map(line => JSON.parse(line))
    let store
    beforeEach(async () => { store = await started.service.databases.get('db') })

    it('ends a feed that has told some changes after them', async () => {
      store.changes = () => broken([change])
      const [row, end] = await endOf('continuous')
      assert.deepEqual([row.id, end], ['a', { last_seq: row.seq, pending: 0 }])
    })

    it('ends a feed that was about to follow it', async () => {
      store.follow = () => broken()
      for (const isReleased of ['true', 'false']) {
        started.service.config.set('chttpd', 'release_feeds', isReleased)
        const [end] = await endOf('continuous')
        assert.match(end.last_seq, /^0-/)
      }
    })

    it('breaks off a feed amid a page', async () => {
      store.follow = () => broken([change, { seq: 8, id: 'b', get changes () { throw createError('CLOSED') } }])
      await assert.rejects(endOf('continuous'), TypeError)
    })
  })

  describe('when clients hang up', () => {
    it('keeps nothing of their feeds', async () => {
      const { closing } = started.service
      const before = getEventListeners(closing, 'abort').length
      const clients = await Promise.all(Array.from({ length: 30 }, async (_, i) => {
        const socket = await connect()
        const feed = ['continuous', 'longpoll', 'eventsource'][i % 3]
        socket.write(`GET /db/_changes?feed=${feed}&since=now&heartbeat=50000 HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
        await once(socket, 'data')
        return socket
      }))
      await eventually(() => getEventListeners(closing, 'abort').length === before + 30)
      for (const socket of clients) socket.resetAndDestroy()
      await eventually(() => getEventListeners(closing, 'abort').length === before)
    })

    it('keeps nothing of their uploads', async () => {
      const { level } = started.service.storage
      const keys = async () => (await level.keys().all()).length
      const before = await keys()
      started.service.config.set('couchdb', 'max_attachment_size', '5000000')
      const long = 'x'.repeat(800000)
      const multipart = `--b\r\nContent-Type: application/json\r\n\r\n{"_attachments":{"a":{"follows":true},"b":{"follows":true}}}\r\n--b\r\n\r\n${long}\r\n--b\r\n\r\n${long}`
      for (const [path, type, body] of [['/db/d/a', 'image/x-y', long], ['/db/d', 'multipart/related; boundary=b', multipart]]) {
        const socket = await connect()
        socket.write(`PUT ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: ${type}\r\nContent-Length: 5000000\r\n\r\n${body}`)
        await eventually(async () => await keys() > before)
        socket.resetAndDestroy()
        await eventually(async () => await keys() === before)
      }
      assert.equal((await send('GET', '/db/d')).status, 404)
    })
  })

  describe('with limits of its own', () => {
    const refused = async (response, error, reason) => {
      assert.equal(response.status, 413)
      assert.deepEqual(await response.json(), { error, reason })
    }

    it('refuses attachments above one', async () => {
      assert.equal((await send('PUT', '/db/d/fits', 'x'.repeat(1000), { 'Content-Type': 'text/plain' })).status, 201)
      await refused(await send('PUT', '/db/e/large', 'x'.repeat(1001), { 'Content-Type': 'text/plain' }), 'attachment_too_large', 'large')
      const inline = JSON.stringify({ _attachments: { large: { data: Buffer.alloc(1001).toString('base64') } } })
      await refused(await send('PUT', '/db/e', inline), 'attachment_too_large', 'large')
      const parts = `--b\r\nContent-Type: application/json\r\n\r\n{"_attachments":{"large":{"follows":true}}}\r\n--b\r\n\r\n${'x'.repeat(1001)}\r\n--b--`
      await refused(await send('PUT', '/db/e', parts, { 'Content-Type': 'multipart/related; boundary=b' }), 'attachment_too_large', 'large')
      assert.equal((await send('GET', '/db/e')).status, 404)
    })

    it('refuses documents above one, and takes what is not their own', async () => {
      await refused(await send('PUT', '/db/d', JSON.stringify({ text: 'x'.repeat(2000) })), 'document_too_large', 'd')
      const attachments = Object.fromEntries([1, 2, 3, 4].map(n => [`a${n}`, { data: Buffer.alloc(900).toString('base64') }]))
      assert.equal((await send('PUT', '/db/d', JSON.stringify({ _attachments: attachments }))).status, 201)
    })

    it('refuses ids above one, wherever they are written', async () => {
      const tooLong = async response => {
        assert.deepEqual([response.status, await response.json()], [400, { error: 'illegal_docid', reason: 'Document id is too long' }])
      }
      await send('PUT', '/db/short', '{}')
      started.service.config.set('couchdb', 'max_document_id_length', '10')
      const json = { 'Content-Type': 'application/json' }
      await tooLong(await send('PUT', '/db/12345678901', '{}'))
      await tooLong(await send('PUT', '/db/_local/12345', '{}'))
      await tooLong(await send('POST', '/db', '{"_id":"éééééé"}', json))
      await tooLong(await send('POST', '/db/_bulk_docs', '{"docs":[{},{"_id":"12345678901"}]}', json))
      await tooLong(await send('PUT', '/db/12345678901/a', 'x', { 'Content-Type': 'text/plain' }))
      await tooLong(await send('COPY', '/db/short', undefined, { Destination: '12345678901' }))
      assert.equal((await send('PUT', '/db/1234567890', '{}')).status, 201)
      started.service.config.set('couchdb', 'max_document_id_length', 'infinity')
      assert.equal((await send('PUT', '/db/12345678901', '{}')).status, 201)
    })

    it('takes others when they are set', async () => {
      started.service.config.set('couchdb', 'max_attachment_size', '5')
      await refused(await send('PUT', '/db/d/a', '123456', { 'Content-Type': 'text/plain' }), 'attachment_too_large', 'a')
      assert.equal((await send('PUT', '/db/d/a', '12345', { 'Content-Type': 'text/plain' })).status, 201)
    })
  })

  it('reads no faster than a client takes', async () => {
    started.service.config.set('couchdb', 'max_document_size', '8000000')
    const text = 'x'.repeat(100000)
    for (let i = 0; i < 10; i++) await send('POST', '/db/_bulk_docs', JSON.stringify({ docs: Array.from({ length: 20 }, () => ({ text })) }))
    const socket = await connect()
    socket.write(`GET /db/_all_docs?include_docs=true HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
    await once(socket, 'data')
    socket.pause()
    const [served] = [...sockets].filter(each => each.remotePort === socket.localPort)
    await eventually(() => served.writableNeedDrain)
    const waiting = served.writableLength
    assert.ok(waiting < 2000000, `${waiting} bytes wait for a client that does not read`)
    let received = 0
    socket.on('data', chunk => { received += chunk.length })
    socket.resume()
    await eventually(() => received > 19000000)
    socket.destroy()
  })
})
