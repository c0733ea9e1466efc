'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const { setImmediate: turn } = require('node:timers/promises')
const { answerClientErrors } = require('../lib/transport/client-errors')
const { CURRENT } = require('../lib/transport/current')
const { oneByOne } = require('../lib/transport/pipelined-requests')

describe('requests that come at once on a connection of HTTP/1.1', () => {
  let server, client, begun, received

  beforeEach(async () => {
    begun = []
    received = ''
    server = http.createServer(oneByOne((req, res) => {
      req.socket[CURRENT] = res
      begun.push({ req, res })
    }))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    client = net.connect(server.address().port, '127.0.0.1')
    client.setEncoding('latin1').on('data', text => { received += text }).on('error', () => {})
    await once(client, 'connect')
  })

  afterEach(() => {
    client.destroy()
    server.close()
  })

  const request = (path, body = '', length = body.length) => `PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${body}`

  async function until (condition) {
    for (const end = Date.now() + 20_000; !condition(); await turn()) assert.ok(Date.now() < end, `It is never so: ${condition}`)
  }

  const answer = ({ req, res }) => req.resume().once('end', () => res.end(req.url))

  it('begin one after the other, each when the one before it is answered', async () => {
    client.write(['/0', '/1', '/2'].map(path => request(path, 'body')).join(''))
    for (let n = 0; n < 3; n++) {
      await until(() => begun.length > n)
      for (let turns = 0; turns < 20; turns++) await turn()
      assert.equal(begun.length, n + 1)
      answer(begun[n])
    }
    await until(() => received.endsWith('/2'))
    client.write(request('/later'))
    await until(() => begun.length === 4)
  })

  for (const body of ['', 'body']) {
    it(`are read no further while many wait, and all in the end${body && ', with bodies'}`, async () => {
      const count = 10_000
      const { length } = request('/0000', body)
      client.write(Array.from({ length: count }, (_, n) => request(`/${n}`, body)).join(''))
      await until(() => begun.length === 1)
      const { socket } = begun[0].req
      await until(() => socket.isPaused())
      for (let turns = 0; turns < 20; turns++) await turn()
      assert.equal(begun.length, 1)
      for (let n = 0; n < count; n++) {
        await until(() => begun.length > n)
        assert.ok(socket.bytesRead < n * length + 200_000, `${socket.bytesRead} bytes, when ${n} were answered`)
        answer(begun[n])
      }
      await until(() => received.endsWith(`/${count - 1}`))
      assert.deepEqual(begun.map(({ req }) => req.url), Array.from({ length: count }, (_, n) => `/${n}`))
    })
  }

  it('are not done behind an answer that closes the connection', async () => {
    client.write(request('/0') + request('/1'))
    await until(() => begun.length === 1)
    begun[0].res.setHeader('Connection', 'close')
    const closed = once(client, 'close')
    answer(begun[0])
    await closed
    assert.equal(begun.length, 1)
  })

  it('have their bodies, also one that was not whole while it waited', async () => {
    client.write(request('/0') + Array.from({ length: 40 }, () => request('/waits', 'x')).join('') + request('/last', 'begin', 8))
    await until(() => begun.length === 1)
    for (let n = 0; n < 41; n++) {
      await until(() => begun.length > n)
      answer(begun[n])
    }
    await until(() => begun.length === 42)
    const { req, res } = begun[41]
    let body = ''
    req.setEncoding('utf8').on('data', text => { body += text }).once('end', () => res.end(body))
    client.write('end')
    await until(() => received.endsWith('beginend'))
  })

  it('that wait do not begin when the client has gone', async () => {
    client.write(request('/0') + request('/1'))
    await until(() => begun.length === 1)
    const closed = once(begun[0].res, 'close')
    client.resetAndDestroy()
    await closed
    await turn()
    assert.equal(begun.length, 1)
  })

  it('are followed by what is none, which costs nothing while the answer is under way, and the connection ends with it', async () => {
    answerClientErrors(server)
    client.setNoDelay(true).write(request('/0') + request('/1'))
    await until(() => begun.length === 1)
    const [{ req, res }] = begun
    const listeners = () => res.listenerCount('close') + req.socket.listenerCount('finish')
    const garble = async () => {
      const before = req.socket.bytesRead
      client.write('\x01\r\n\r\n')
      await until(() => req.socket.bytesRead > before)
      return listeners()
    }
    const one = await garble()
    for (let n = 0; n < 5; n++) assert.equal(await garble(), one)
    const closed = once(client, 'close')
    answer(begun[0])
    await closed
    assert.match(received, /^HTTP\/1\.1 200 [^]*\r\n\r\n\/0$/)
    assert.equal(begun.length, 1)
  })
})
