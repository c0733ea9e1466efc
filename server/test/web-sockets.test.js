'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { setTimeout } = require('node:timers/promises')
const { WebSocket } = require('ws')
const { serve } = require('..')

const headers = { authorization: `Basic ${Buffer.from('anna:secret').toString('base64')}`, 'content-type': 'application/json' }

describe('a WebSocket', () => {
  let server
  const send = (method, path, body) => fetch(server.url + path, { method, body: body && JSON.stringify(body), headers })
  const start = async options => {
    server = await serve({ port: 0, storage: 'memory', admins: { anna: 'secret' }, ...options, config: { chttpd_auth: { iterations: 10 }, ...options?.config } })
    await send('PUT', '/db')
  }
  /** Opens one, and gathers what it says. */
  const open = async path => {
    const ws = new WebSocket(server.url.replace('http', 'ws') + path, { headers })
    const messages = []
    ws.on('message', data => messages.push(JSON.parse(String(data))))
    await once(ws, 'open')
    return { ws, messages, closed: once(ws, 'close').then(([code, reason]) => [code, String(reason)]) }
  }

  const stop = async () => {
    await server?.close()
    server = undefined
  }

  afterEach(stop)

  it('ends with its server, and says where it was', async () => {
    await start()
    await send('PUT', '/db/a', {})
    const [changes, find, silent] = [await open('/db/_changes?feed=websocket'), await open('/db/_find?feed=websocket'), await open('/db/_find?feed=websocket')]
    find.ws.send('{"selector":{}}')
    while (find.messages.at(-1)?.type !== 'ready') await once(find.ws, 'message')
    if (changes.messages.length === 0) await once(changes.ws, 'message')
    await stop()
    for (const { closed } of [changes, find, silent]) assert.deepEqual(await closed, [1001, ''])
    assert.equal(changes.messages.at(-1).last_seq, changes.messages[0].seq)
    assert.equal(find.messages.at(-1).type, 'end')
  })

  it('makes the server keep no more than a little for who does not read', async () => {
    await start()
    const text = 'x'.repeat(1024 * 1024)
    const count = 20
    const accepted = once(server.server, 'connection')
    const { ws, messages } = await open('/db/_changes?feed=websocket&include_docs=true&since=now')
    const [socket] = await accepted
    ws.pause()
    for (let i = 0; i < count; i++) await send('PUT', `/db/e${i}`, { text })
    while (!socket.writableNeedDrain) await send('GET', '/db')
    // The feed has all the time that it takes to fill its room.
    for (let i = 0; i < 30; i++) await send('GET', '/db')
    assert.ok(socket.writableLength < 4 * text.length, `${socket.writableLength} bytes wait`)
    ws.resume()
    while (messages.length < count) await once(ws, 'message')
    assert.deepEqual(messages.map(({ id }) => id), Array.from({ length: count }, (_, i) => `e${i}`))
    ws.terminate()
  })

  it('answers the last ping of a client that floods it and does not read, and cuts it', async () => {
    await start({ config: { chttpd: { stall_timeout: 300 } } })
    const accepted = once(server.server, 'connection')
    const { ws } = await open('/db/_changes?feed=websocket')
    const [socket] = await accepted
    const cut = once(socket, 'close')
    ws.on('error', () => {})
    ws._socket.on('error', () => {})
    ws.pause()
    const pings = Buffer.concat(Array(500).fill(Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)])))
    let most = 0
    while (!socket.destroyed && most < 65536) {
      if (!ws._socket.writableNeedDrain) ws._socket.write(pings)
      await new Promise(resolve => setImmediate(resolve))
      most = Math.max(most, socket.writableLength)
    }
    assert.ok(most < 65536, `${most} bytes of pongs wait`)
    await cut
    ws.terminate()
  })

  it('answers pings of a client that reads, also late', async () => {
    await start()
    const { ws } = await open('/db/_changes?feed=websocket&include_docs=true')
    const pongs = []
    ws.on('pong', data => pongs.push(String(data)))
    ws.pause()
    for (let i = 0; i < 12; i++) await send('PUT', `/db/d${i}`, { text: 'x'.repeat(1024 * 1024) })
    for (const text of ['a', 'b', 'c']) ws.ping(text)
    await send('GET', '/db')
    ws.resume()
    while (pongs.at(-1) !== 'c') await once(ws, 'pong')
    ws.ping('d')
    while (pongs.at(-1) !== 'd') await once(ws, 'pong')
    ws.terminate()
  })

  it('is cut where nobody reads for too long, and closed where the first message does not come', async () => {
    await start({ config: { chttpd: { stall_timeout: 150 } } })
    const late = await open('/db/_find?feed=websocket')
    assert.deepEqual(await late.closed, [4408, 'timeout: The first message did not come'])
    const accepted = once(server.server, 'connection')
    const { ws } = await open('/db/_changes?feed=websocket&include_docs=true')
    const [socket] = await accepted
    // One that was silent for long while nothing waited for it is no exception.
    await setTimeout(500)
    ws.pause()
    const cut = once(socket, 'close')
    // Not by HTTP: a busy machine may stall an upload as long.
    const store = await server.service.databases.get('db')
    for (let i = 0; i < 12; i++) await store.put({ _id: `d${i}`, text: 'x'.repeat(1024 * 1024) })
    await cut
    ws.terminate()
  })

  it('is served by threads, and ends with them', async function () {
    const shared = await fs.access('/dev/shm').then(() => '/dev/shm', () => os.tmpdir())
    const folder = await fs.mkdtemp(path.join(shared, 'potoroo-sockets-'))
    await start({ path: folder, storage: 'pmem', size: 64 * 1024 * 1024, allowVolatile: true, workers: 2 })
    await send('PUT', '/db/a', { n: 1 })
    const [changes, find] = [await open('/db/_changes?feed=websocket'), await open('/db/_find?feed=websocket')]
    find.ws.send('{"selector":{"n":1}}')
    while (changes.messages.length === 0) await once(changes.ws, 'message')
    while (find.messages.at(-1)?.type !== 'ready') await once(find.ws, 'message')
    await send('PUT', '/db/b', { n: 1 })
    while (find.messages.length < 3) await once(find.ws, 'message')
    while (changes.messages.length < 2) await once(changes.ws, 'message')
    assert.deepEqual([changes.messages[1].id, find.messages[2].id], ['b', 'b'])
    await stop()
    for (const { closed } of [changes, find]) assert.deepEqual(await closed, [1001, ''])
    assert.deepEqual([changes.messages.at(-1).pending, find.messages.at(-1).type], [0, 'end'])
    await fs.rm(folder, { recursive: true })
  })
})
