'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const http2 = require('node:http2')
const https = require('node:https')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { freePort } = require('../../test/support/free-port')
const { potoroo, serve } = require('..')
const { CertificateFiles } = require('../lib/transport/certificate-files')

const certificate = name => path.resolve(__dirname, '../../test/support/certificates', name)
const authorization = `Basic ${Buffer.from('anna:secret').toString('base64')}`

describe('transports', () => {
  const closing = []
  let folder

  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-transport-')) })
  afterEach(async () => {
    for (const each of closing.splice(0).reverse()) await each.close()
    fs.rmSync(folder, { recursive: true })
  })

  async function start ({ config, ...options } = {}) {
    const server = await serve({
      port: 0,
      storage: 'memory',
      admins: { anna: 'secret' },
      config: { ...config, chttpd_auth: { iterations: 10 }, ssl: { port: 0, ...config?.ssl } },
      ...options
    })
    closing.push(server)
    return server
  }

  const withTls = options => start({ tlsCert: certificate('first.crt'), tlsKey: certificate('first.key'), ...options })

  /** One connection of HTTP/2, and requests on it. */
  async function connect (url, options) {
    const session = http2.connect(url, { ca: fs.readFileSync(certificate('first.crt')), ...options })
    closing.push({ close: () => session.destroy() })
    await once(session, 'connect')
    return session
  }

  function ask (session, method, target, body, headers) {
    const stream = session.request({ ':method': method, ':path': target, authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers })
    stream.end(body)
    return answer(stream)
  }

  async function answer (stream) {
    const [headers] = await once(stream, 'response')
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    return { status: headers[':status'], headers, bytes: Buffer.concat(chunks) }
  }

  /** The same over HTTP/1.1. */
  async function askClassic (options, body) {
    const request = (options.ca ? https : http).request({ headers: { authorization }, ...options })
    request.end(body)
    const [response] = await once(request, 'response')
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks), version: response.httpVersion }
  }

  describe('TLS', () => {
    it('answers HTTP/2, and HTTP/1.1 to those who speak no other, with the same', async () => {
      const { urls } = await withTls()
      const url = urls.find(each => each.startsWith('https:'))
      const session = await connect(url)
      assert.equal((await ask(session, 'PUT', '/db')).status, 201)
      const written = await ask(session, 'PUT', '/db/doc', '{"a":1}')
      assert.equal(written.status, 201)
      assert.equal(written.headers.location, `${url}/db/doc`)
      for (const [method, target] of [['GET', '/'], ['GET', '/db/doc'], ['HEAD', '/db/doc'], ['GET', '/db/none'], ['GET', '/db/_all_docs'], ['GET', '/db/_changes'], ['PATCH', '/db']]) {
        const modern = await ask(session, method, target)
        const classic = await askClassic({ ca: fs.readFileSync(certificate('first.crt')), host: 'localhost', port: new URL(url).port, method, path: target, headers: { authorization } })
        assert.equal(classic.version, '1.1')
        assert.deepEqual([modern.status, String(modern.bytes)], [classic.status, String(classic.bytes)], `${method} ${target}`)
        for (const name of ['content-type', 'etag', 'cache-control', 'server']) assert.equal(modern.headers[name], classic.headers[name], name)
      }
    })

    it('goes by the authority, whatever host is said besides', async () => {
      const { urls } = await withTls()
      const session = await connect(urls[1])
      const { headers } = await ask(session, 'PUT', '/db', undefined, { ':authority': new URL(urls[1]).host, host: 'other.example' })
      assert.equal(headers.location, `${urls[1]}/db`)
    })

    it('carries large bodies both ways', async () => {
      const { urls } = await withTls()
      const session = await connect(urls[1])
      await ask(session, 'PUT', '/db')
      const content = Buffer.alloc(3_000_000, 'potoroo ')
      assert.equal((await ask(session, 'PUT', '/db/doc/a', content, { 'content-type': 'text/plain' })).status, 201)
      const { bytes } = await ask(session, 'GET', '/db/doc/a')
      assert.ok(bytes.equals(content))
    })

    it('refuses an upload before it is sent, to whom asks first', async () => {
      const { urls } = await withTls()
      const session = await connect(urls[1])
      const stream = session.request({ ':method': 'PUT', ':path': '/db/doc/a', 'content-length': '1000000', expect: '100-continue' })
      stream.on('continue', () => assert.fail('it was told to go on'))
      const { status } = await answer(stream)
      assert.equal(status, 404)
    })

    it('carries a hundred live feeds on one connection, and ends them when it stops', async () => {
      const { urls, close } = await withTls()
      const session = await connect(urls[1])
      await ask(session, 'PUT', '/db')
      const feeds = await Promise.all(Array.from({ length: 100 }, async () => {
        const stream = session.request({ ':path': '/db/_changes?feed=continuous&since=now&heartbeat=60000', authorization })
        const [headers] = await once(stream, 'response')
        assert.equal(headers[':status'], 200)
        return stream.setEncoding('utf8')
      }))
      const rows = Promise.all(feeds.map(async stream => {
        for await (const text of stream) if (text.trim() !== '') return text
      }))
      await ask(session, 'PUT', '/db/doc', '{}')
      for (const row of await rows) assert.equal(JSON.parse(row).id, 'doc')
      const ended = once(session, 'close')
      await close()
      await ended
    })

    it('takes new certificates without a restart, and keeps the old ones where the new are broken', async () => {
      const [cert, key] = ['crt', 'key'].map(name => path.join(folder, name))
      const use = name => {
        fs.copyFileSync(certificate(`${name}.crt`), cert)
        fs.copyFileSync(certificate(`${name}.key`), key)
      }
      use('first')
      const lines = []
      const server = await start({ tlsCert: cert, tlsKey: key, log: text => lines.push(text) })
      await connect(server.urls[1])
      use('second')
      server.reload()
      await connect(server.urls[1], { ca: fs.readFileSync(certificate('second.crt')) })
      fs.writeFileSync(cert, 'broken')
      server.reload()
      await connect(server.urls[1], { ca: fs.readFileSync(certificate('second.crt')) })
      await server.close()
      assert.match(lines.join(''), /TLS goes on with the certificates that it has/)
    })

    it('notices new certificates by itself', async () => {
      const [cert, key] = ['crt', 'key'].map(name => path.join(folder, name))
      fs.copyFileSync(certificate('first.crt'), cert)
      fs.copyFileSync(certificate('first.key'), key)
      const app = potoroo({ storage: 'memory', adminParty: true, config: { ssl: { cert_file: cert, key_file: key } } })
      closing.push(app)
      await app.ready
      const taken = new Promise(resolve => {
        const files = new CertificateFiles(app.service, [{ setSecureContext: resolve }], 20)
        closing.push({ close: () => files.stop() })
      })
      fs.copyFileSync(certificate('second.crt'), cert)
      fs.copyFileSync(certificate('second.key'), key)
      const options = await taken
      assert.deepEqual(options.cert, fs.readFileSync(certificate('second.crt')))
    })

    it('asks for certificates of clients as [ssl] says', async () => {
      const own = { cert: fs.readFileSync(certificate('second.crt')), key: fs.readFileSync(certificate('second.key')) }
      const { urls } = await withTls({ config: { ssl: { verify_ssl_certificates: true, fail_if_no_peer_cert: true, cacert_file: certificate('second.crt') } } })
      const session = await connect(urls[1], own)
      assert.equal((await ask(session, 'GET', '/_up')).status, 200)
      const ca = fs.readFileSync(certificate('first.crt'))
      await assert.rejects(askClassic({ ca, host: 'localhost', port: new URL(urls[1]).port, path: '/_up' }))
    })

    it('has the versions and ciphers of [ssl], in Erlang\'s form too', async () => {
      const { urls } = await withTls({ config: { ssl: { tls_versions: "['tlsv1.2']", ciphers: '["ECDHE-ECDSA-AES256-GCM-SHA384"]' } } })
      const session = await connect(urls[1])
      const socket = /** @type {import('node:tls').TLSSocket} */ (session.socket)
      assert.equal(socket.getProtocol(), 'TLSv1.2')
      assert.equal(socket.getCipher().name, 'ECDHE-ECDSA-AES256-GCM-SHA384')
    })

    for (const [what, ssl, message] of [
      ['without a key', { cert_file: certificate('first.crt') }, /there is no key_file/],
      ['whose file is not there', { cert_file: '/nowhere', key_file: '/nowhere' }, /cannot read \/nowhere/],
      ['that is not the key\'s', { cert_file: certificate('first.crt'), key_file: certificate('second.key') }, /key values mismatch/i],
      ['with ciphers that nobody knows', { cert_file: certificate('first.crt'), key_file: certificate('first.key'), ciphers: '[{rsa,aes}]' }, /OpenSSL's are taken/]
    ]) {
      it(`is refused at start with a certificate ${what}`, async () => {
        await assert.rejects(start({ config: { ssl: { enable: true, ...(ssl) } } }), /** @type {any} */ ({ message }))
      })
    }
  })

  describe('a Unix socket', () => {
    it('is answered on, and only those may come who are allowed to', async () => {
      const socket = path.join(folder, 'socket')
      const server = await start({ socket })
      assert.equal(fs.statSync(socket).mode & 0o777, 0o660)
      assert.ok(server.urls.includes(`http+unix://${encodeURIComponent(socket)}`))
      const { status, bytes } = await askClassic({ socketPath: socket, path: '/' })
      assert.equal(status, 200)
      assert.equal(JSON.parse(String(bytes)).couchdb, 'Welcome')
      await server.close()
      assert.ok(!fs.existsSync(socket))
    })

    it('is listened on instead of TCP, with other permissions, where the ini file says so', async () => {
      const socket = path.join(folder, 'socket')
      const { urls } = await start({ port: undefined, config: { chttpd: { bind_address: `unix:${socket}`, socket_mode: '600' } } })
      assert.deepEqual(urls, [`http+unix://${encodeURIComponent(socket)}`])
      assert.equal(fs.statSync(socket).mode & 0o777, 0o600)
    })

    it('that a dead server left is taken over', async () => {
      const socket = path.join(folder, 'socket')
      const dead = require('node:child_process').spawnSync(process.execPath, ['-e', `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`])
      assert.equal(dead.signal, 'SIGKILL')
      assert.ok(fs.existsSync(socket))
      await start({ socket })
      assert.equal((await askClassic({ socketPath: socket, path: '/_up' })).status, 200)
    })

    it('of a server that lives, and what is no socket, are left alone', async () => {
      const [socket, file] = ['socket', 'file'].map(name => path.join(folder, name))
      const other = net.createServer().listen(socket)
      closing.push({ close: () => new Promise(resolve => other.close(resolve)) })
      await once(other, 'listening')
      await assert.rejects(start({ socket }), { code: 'EADDRINUSE' })
      fs.writeFileSync(file, 'mine')
      await assert.rejects(start({ socket: file }), { code: 'EADDRINUSE' })
      assert.equal(fs.readFileSync(file, 'utf8'), 'mine')
    })
  })

  it('are several addresses where bind_address names several', async () => {
    const { urls } = await start({ host: '127.0.0.1, 127.0.0.2' })
    assert.deepEqual(urls.map(url => new URL(url).hostname), ['127.0.0.1', '127.0.0.2'])
    for (const url of urls) assert.equal((await fetch(`${url}/_up`)).status, 200)
  })

  for (const [storage, workers] of [['memory', 1], ['pmem', 2]]) {
    describe(`of ${workers === 1 ? 'one thread' : 'several threads'} are none`, () => {
      const withData = options => start({ storage, workers, ...(storage === 'pmem' && { path: path.join(folder, 'data'), size: 16 * 1024 * 1024, allowVolatile: true }), ...options })

      for (const [when, code, options] of [
        ['another address is in use', 'EADDRINUSE', () => ({ host: '127.0.0.1, 127.0.0.2' })],
        ['a socket cannot be made', 'EACCES', () => ({ socket: path.join(folder, 'none', 'socket') })],
        ['a key is not that of the certificate', 'TLS_SETTINGS', () => ({ tlsCert: certificate('first.crt'), tlsKey: certificate('second.key') })],
        ['the port of metrics is in use', 'EADDRINUSE', port => ({ config: { prometheus: { additional_port: true, bind_address: '127.0.0.2', port } } })]
      ]) {
        it(`where ${when}`, async () => {
          // A server that has databases opens them before it listens.
          await (await withData()).close()
          const port = await freePort()
          const other = net.createServer().listen(port, '127.0.0.2')
          closing.push({ close: () => new Promise(resolve => other.close(resolve)) })
          await once(other, 'listening')
          await assert.rejects(withData({ port, ...options(port) }), { code })
          await assert.rejects(fetch(`http://127.0.0.1:${port}/`), ({ cause }) => cause.code === 'ECONNREFUSED')
          assert.equal((await fetch(`${(await withData({ port })).url}/_up`)).status, 200)
        })
      }
    })
  }
})
