'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const net = require('node:net')
const { serve } = require('..')

const authorization = `Basic ${Buffer.from('anna:secret').toString('base64')}`

describe('the connection of a live feed', () => {
  it('is left to node unless the configuration asks for more', async () => {
    const server = await serve({ port: 0, storage: 'memory', adminParty: true })
    await fetch(`${server.url}/db`, { method: 'PUT' })
    const accepted = once(server.server, 'connection')
    const client = net.connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8')
    client.write('GET /db/_changes?feed=continuous&since=now&heartbeat=50 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [socket] = await accepted
    let text = ''
    for await (const part of client) {
      if (text === '') await fetch(`${server.url}/db/a`, { method: 'PUT', body: '{}' })
      text += part
      if (text.includes('"id":"a"') && text.endsWith('\r\n')) break
    }
    assert.notEqual(socket.parser, null)
    assert.match(text, /Connection: close/)
    await server.close()
  })
})

describe('the connection of a live feed that is released', () => {
  let server, socket, client, text

  beforeEach(async () => {
    await start()
  })
  afterEach(async () => {
    client.destroy()
    await server.close()
  })

  async function start (chttpd = { release_feeds: true }) {
    server = await serve({ port: 0, storage: 'memory', admins: { anna: 'secret' }, config: { chttpd_auth: { iterations: 10 }, chttpd } })
    await send('PUT', '/db')
  }

  const send = (method, path, body) => fetch(server.url + path, { method, body, headers: { authorization } })

  /** Follows, and waits until the server has let the request go. */
  async function follow (query) {
    const accepted = once(server.server, 'connection')
    client = net.connect(Number(new URL(server.url).port), '127.0.0.1')
    text = ''
    client.setEncoding('utf8').on('data', part => { text += part }).on('error', () => {})
    client.write(`GET /db/_changes?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
    ;[socket] = await accepted
    await received('\r\n\r\n')
    while (socket.parser !== null) await new Promise(resolve => setImmediate(resolve))
  }

  async function received (part) {
    while (!text.includes(part)) await once(client, 'data')
  }

  it('keeps neither request nor response nor parser, and goes on', async () => {
    await follow('feed=continuous&since=now&heartbeat=50')
    assert.equal(socket._httpMessage, null)
    assert.match(text, /Connection: close/)
    await send('PUT', '/db/a', '{}')
    await received('"id":"a"')
    const before = text.length
    while (text.length < before + 10) await once(client, 'data')
    await send('PUT', '/db/b', '{}')
    await received('"id":"b"')
    // Its chunks are whole: their sizes are what they say.
    const body = text.slice(text.indexOf('\r\n\r\n') + 4)
    for (let rest = body; rest !== '';) {
      const [, size] = /^([0-9a-f]+)\r\n/.exec(rest)
      const end = size.length + 2 + parseInt(size, 16)
      assert.equal(rest.slice(end, end + 2), '\r\n')
      rest = rest.slice(end + 2)
    }
  })

  it('is counted as long as it lasts', async () => {
    const followers = async () => (await (await send('GET', '/_node/_local/_stats/couchdb/httpd/clients_requesting_changes')).json()).value
    await follow('feed=continuous&since=now&heartbeat=60000')
    assert.equal(await followers(), 1)
    const gone = once(socket, 'close')
    client.end()
    await gone
    while (await followers() > 0);
  })

  it('ends with the feed, whole', async () => {
    await follow('feed=continuous&since=now&limit=1')
    const closed = once(client, 'close')
    await send('PUT', '/db/a', '{}')
    await closed
    assert.match(text, /"last_seq":.*\n\r\n0\r\n\r\n$/)
  })

  it('ends with the server, whole', async () => {
    await follow('feed=eventsource&since=now&heartbeat=60000')
    const closed = once(client, 'close')
    await server.close()
    await closed
    assert.match(text, /0\r\n\r\n$/)
  })

  it('ends when its client says that it is done, and the server hears nothing else that it says', async () => {
    await follow('feed=continuous&since=now&heartbeat=60000')
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nNONSENSE\0')
    await send('PUT', '/db/a', '{}')
    await received('"id":"a"')
    assert.equal(text.match(/HTTP\/1.1/g).length, 1)
    const gone = once(socket, 'close')
    client.end()
    await gone
  })

  it('ends when its client breaks off', async () => {
    await follow('feed=continuous&since=now&heartbeat=60000')
    // `once` of node:events would be told of the reset.
    const gone = new Promise(resolve => socket.once('close', resolve))
    client.resetAndDestroy()
    await gone
    assert.equal((await send('PUT', '/db/a', '{}')).status, 201)
  })

  it('is cut when its client does not read', async () => {
    await server.close()
    await start({ release_feeds: true, stall_timeout: 300 })
    await follow('feed=continuous&since=now&heartbeat=60000&include_docs=true')
    client.pause()
    const gone = once(socket, 'close')
    // Not by HTTP: a busy machine may stall an upload as long.
    const store = await server.service.databases.get('db')
    const text = 'x'.repeat(1_000_000)
    for (let n = 0; n < 12; n++) await store.put({ _id: `d${n}`, text })
    await gone
  })
})
