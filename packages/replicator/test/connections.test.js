'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { readFileSync } = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const net = require('node:net')
const path = require('node:path')
const { ADMIN, Server, until } = require('./support/server')

const certificate = path.resolve(__dirname, '../../../test/support/certificates')
const [cert, key] = ['first.crt', 'first.key'].map(name => readFileSync(path.join(certificate, name)))
const REV = '1-0123456789abcdef0123456789abcdef'

/** A database of one document, as far as a replication asks for it. */
function answer (req, res) {
  const { pathname } = new URL(req.url, 'http://x')
  const answers = {
    '/db/': { update_seq: '1-a', instance_start_time: '0' },
    '/db/_changes': { results: [{ id: 'a', seq: '1-a', changes: [{ rev: REV }] }], last_seq: '1-a', pending: 0 },
    '/db/_bulk_get': { results: [{ id: 'a', docs: [{ ok: { _id: 'a', _rev: REV } }] }] },
    '/db/_ensure_full_commit': { instance_start_time: '0' }
  }
  const found = Object.hasOwn(answers, pathname) ? answers[pathname] : req.method === 'PUT' ? { rev: '0-1' } : undefined
  req.resume().on('end', () => res.writeHead(found === undefined ? 404 : req.method === 'PUT' || pathname.includes('_ensure') ? 201 : 200).end(JSON.stringify(found ?? {})))
}

async function listen (server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

describe('connections to peers', () => {
  const peers = { plain: http.createServer(answer), secure: https.createServer({ cert, key }, answer) }
  const ports = {}
  /** @type {Server} */
  let server

  before(async () => {
    for (const name of Object.keys(peers)) ports[name] = await listen(peers[name])
  })
  after(() => {
    for (const each of Object.values(peers)) {
      each.closeAllConnections()
      each.close()
    }
  })
  beforeEach(async () => { server = await Server.open({ retries_per_request: 0 }) })
  afterEach(() => server.close())

  const secure = () => `https://127.0.0.1:${ports.secure}/db`
  const pull = (source, options) => server.replicator.replicate({ source, target: 'copy', create_target: true, ...options }, ADMIN)
  const copies = async (source, options) => assert.equal((await pull(source, options)).history[0].docs_written, 1)

  it('go by TLS, with any certificate where none has to be good', () => copies(secure()))

  it('want a good certificate where it has to be', async () => {
    server.settings = { ...server.settings, verify_ssl_certificates: true }
    await assert.rejects(pull(secure()), error => /SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(error.reason))
    server.settings = { ...server.settings, ssl_trusted_certificates_file: path.join(certificate, 'second.crt') }
    await assert.rejects(pull(secure()), error => /SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(error.reason))
  })

  it('take a certificate that is trusted', async () => {
    server.settings = { ...server.settings, verify_ssl_certificates: true, ssl_trusted_certificates_file: path.join(certificate, 'first.crt') }
    await copies(secure().replace('127.0.0.1', 'localhost'))
  })

  it('are refused where their protocol is not allowed', async () => {
    server.settings = { valid_endpoint_protocols: ['https'] }
    await assert.rejects(pull(`http://127.0.0.1:${ports.plain}/db`), { status: 400, reason: 'endpoint has an invalid url' })
    await copies(secure())
  })

  it('end where the peer goes over to another protocol', async () => {
    const other = net.createServer(socket => socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')))
    try {
      await assert.rejects(pull(`http://127.0.0.1:${await listen(other)}/db`), { error: 'http_request_failed' })
    } finally {
      other.close()
    }
  })

  describe('through a proxy', () => {
    const seen = []
    const proxy = http.createServer((req, res) => {
      seen.push([req.method, req.url, req.headers['proxy-authorization'], req.headers.authorization])
      const { hostname, port, pathname, search } = new URL(req.url)
      req.pipe(http.request({ hostname, port, path: pathname + search, method: req.method, headers: req.headers }, found => {
        res.writeHead(found.statusCode, found.headers)
        found.pipe(res)
      }))
    })
    proxy.on('connect', (req, socket) => {
      seen.push([req.method, req.url, req.headers['proxy-authorization'], req.headers.authorization])
      const [hostname, port] = req.url.split(':')
      const through = net.connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(through).pipe(socket)
      })
      for (const each of [socket, through]) each.on('error', () => { socket.destroy(); through.destroy() })
    })
    const proxyAuthorization = `Basic ${Buffer.from('pat:open-sesame').toString('base64')}`
    let port

    before(async () => { port = await listen(proxy) })
    after(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    beforeEach(() => seen.splice(0))

    it('go by http, in whole URLs', async () => {
      await copies(`http://127.0.0.1:${ports.plain}/db`, { source_proxy: `http://pat:open-sesame@127.0.0.1:${port}` })
      assert.deepEqual(seen[0], ['GET', `http://127.0.0.1:${ports.plain}/db/`, proxyAuthorization, undefined])
      assert.ok(seen.length >= 4)
    })

    it('go by https, in a tunnel that it does not see into', async () => {
      await copies(secure().replace('//', '//u:p@'), { source_proxy: `http://pat:open-sesame@127.0.0.1:${port}` })
      assert.deepEqual(new Set(seen.map(each => JSON.stringify(each))), new Set([JSON.stringify(['CONNECT', `127.0.0.1:${ports.secure}`, proxyAuthorization, undefined])]))
    })

    it('end where it does not answer', async () => {
      const silent = net.createServer(() => {})
      try {
        const proxy = `http://127.0.0.1:${await listen(silent)}`
        await assert.rejects(copies(secure(), { source_proxy: proxy, connection_timeout: 100, retries_per_request: 0 }), { error: 'http_request_failed' })
      } finally {
        silent.close()
      }
    })

    it('are shown without its password', async () => {
      server.ask('live', { source: secure(), target: 'copy', create_target: true, continuous: true, source_proxy: `http://pat:open-sesame@127.0.0.1:${port}` })
      await until(() => server.describe('live').source_proxy !== undefined)
      const shown = server.describe('live')
      assert.deepEqual([shown.source_proxy, shown.target_proxy], [`http://127.0.0.1:${port}/`, null])
    })
  })
})
