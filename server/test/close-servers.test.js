'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const { setTimeout } = require('node:timers/promises')
const { Config } = require('../lib/config/config')
const { closeServers } = require('../lib/transport/close-servers')
const { Connections } = require('../lib/transport/connections')
const { readSettings } = require('../lib/transport/http-settings')

/** Longer than a test may take. */
const EVER = 2 ** 30

/** Connections that the server keeps open. */
const MOST = 2

describe('servers that close', () => {
  let server, connections, agent
  /** Is told of each request. */
  let answer

  beforeEach(async () => {
    agent = new http.Agent({ keepAlive: true })
    server = http.createServer((req, res) => answer(req, res))
    connections = new Connections({ ...readSettings(new Config(null)), maxConnections: MOST })
    connections.watch(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    connections.destroy()
    agent.destroy()
    server.close()
  })

  const open = (options = {}) => http.request({ port: server.address().port, agent, ...options })

  it('let a request under way finish, and keep its connection no longer', async () => {
    let finish
    const under = new Promise(resolve => {
      answer = (req, res) => {
        res.write('begun, ')
        finish = () => res.end('ended')
        resolve(undefined)
      }
    })
    const request = open().end()
    await under
    const [response] = await once(request, 'response')
    const closed = closeServers([server], connections, EVER)
    finish()
    assert.equal(Buffer.concat(await response.toArray()).toString(), 'begun, ended')
    await closed
  })

  it('let an upload end that was refused', async () => {
    answer = (req, res) => {
      req.resume()
      res.writeHead(404).end()
    }
    const request = open({ method: 'PUT', headers: { 'content-length': 8 } })
    request.write('half')
    const [response] = await once(request, 'response')
    response.resume()
    const closed = closeServers([server], connections, EVER)
    request.end('half')
    await closed
    assert.equal(response.statusCode, 404)
  })

  it('send to its end an answer that was ended, to a client that reads later', async () => {
    const size = 30_000_000
    answer = (req, res) => { res.end(Buffer.alloc(size)) }
    const [response] = await once(open().end(), 'response')
    response.pause()
    const closed = closeServers([server], connections, EVER)
    // Looks at what is idle have been.
    await setTimeout(200)
    let received = 0
    for await (const { length } of response) received += length
    assert.equal(received, size)
    await closed
  })

  it('make room for others, and send an answer that was ended to its end', async () => {
    const size = 30_000_000
    answer = (req, res) => { res.end(req.url === '/large' ? Buffer.alloc(size) : '') }
    const [large] = await once(open({ path: '/large' }).end(), 'response')
    large.pause()
    const idle = net.connect(server.address().port)
    idle.write('GET / HTTP/1.1\r\nHost: server\r\n\r\n')
    await once(idle, 'data')
    const closed = once(idle.resume(), 'close')
    const [other] = await once(open().end(), 'response')
    other.resume()
    await closed
    let received = 0
    for await (const { length } of large) received += length
    assert.equal(received, size)
  })

  it('break off what goes on for longer than they wait', async () => {
    answer = (req, res) => { res.write('begun') }
    const [response] = await once(open().end(), 'response')
    const broken = new Promise(resolve => response.once('error', resolve))
    response.resume()
    await closeServers([server], connections, 1)
    assert.equal((await broken).code, 'ECONNRESET')
  })
})
