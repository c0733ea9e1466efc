'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { setTimeout } = require('node:timers/promises')
const tls = require('node:tls')
const { ServerProcess } = require('../../support/server-process')

const MONITOR = path.join(__dirname, 'monitor.js')

/** Milliseconds for an answer, on a machine that has much to do. */
const PATIENCE = 600_000

const certificate = name => path.resolve(__dirname, '../../support/certificates', name)

class Answer {
  /** @param {http.IncomingMessage} response @param {Buffer} bytes */
  constructor ({ statusCode = 0, headers }, bytes) {
    this.status = statusCode
    this.headers = headers
    this.bytes = bytes
  }

  get text () { return this.bytes.toString() }

  /** @returns {any} its JSON */
  get body () { return JSON.parse(this.text) }
}

/**
 * The server that is attacked: the command as a user starts it, in a process of its own, asked over
 * real connections, with a monitor inside that measures it.
 */
class Subject {
  #process
  #folder
  #agent = new http.Agent({ keepAlive: true, maxSockets: 32 })
  /** @type {URL} */
  origin
  /** With TLS. @type {URL} */
  secureOrigin
  /** status → how many answers had it @type {Map<number, number>} */
  statuses = new Map()

  /**
   * @param {{ config?: Record<string, Record<string, string | number>>, storage?: string, words?: string[], tls?: boolean }} [options]
   * @returns {Promise<Subject>}
   */
  static async start ({ config = {}, storage = 'pmem', words = [], tls = false } = {}) {
    const subject = new Subject()
    const parent = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
    subject.#folder = fs.mkdtempSync(path.join(parent, 'potoroo-hostile-'))
    fs.writeFileSync(path.join(subject.#folder, 'potoroo.ini'), iniOf({ ...config, chttpd_auth: { iterations: 10, ...config.chttpd_auth }, ...(tls && { ssl: { port: 0, ...config.ssl } }) }))
    subject.#process = await ServerProcess.start([
      '--port', '0', '--data', subject.#folder, '--storage', storage, '--size', '16M', '--allow-volatile', '--admin', 'admin:secret',
      ...(tls ? ['--tls-cert', certificate('first.crt'), '--tls-key', certificate('first.key')] : []), ...words
    ], { node: ['--expose-gc', '--require', MONITOR], env: { PMEM_IS_PMEM_FORCE: '1' } })
    const urls = [...subject.#process.output.matchAll(/https?:\/\/[\w.[\]:]+:\d+/g)].map(([url]) => new URL(url))
    subject.origin = urls.find(({ protocol }) => protocol === 'http:')
    subject.secureOrigin = urls.find(({ protocol }) => protocol === 'https:')
    return subject
  }

  /** All that the server has printed. */
  get output () { return this.#process.output }

  /** Lines of its log that tell of faults. */
  get faults () { return this.output.split('\n').filter(line => line.startsWith('[error]')) }

  get authorization () { return basic('admin', 'secret') }

  /** See monitor.js. @returns {Promise<any>} */
  call (name, argument) { return this.#process.call([name, argument]) }

  /**
   * Sends a request, and counts its status. Bytes and text go as they are, all else as JSON.
   *
   * @param {string} method
   * @param {string} target
   * @param {any} [body]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Answer>}
   */
  async ask (method, target, body, headers = {}) {
    const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const request = http.request({
      agent: this.#agent,
      host: this.origin.hostname,
      port: this.origin.port,
      method,
      path: target,
      timeout: PATIENCE,
      // Functions may make many.
      maxHeaderSize: 2 ** 20,
      headers: { ...(headers.cookie === undefined && { authorization: this.authorization }), ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }), ...headers }
    })
    request.on('timeout', () => request.destroy(new Error(`${method} ${target}: no answer`)))
    request.end(bytes)
    const [response] = await once(request, 'response')
    this.count(response.statusCode)
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    return new Answer(response, Buffer.concat(chunks))
  }

  /** The same where an answer that is no success fails the test. @returns {Promise<Answer>} */
  async done (method, target, body, headers) {
    const answer = await this.ask(method, target, body, headers)
    assert.ok(answer.status < 300, `${method} ${target}: ${answer.status} ${answer.text.slice(0, 500)}`)
    return answer
  }

  /** An answer that came some other way. @param {number} status */
  count (status) { this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1) }

  /**
   * Waits until the server has heard of all connections that ended: each of its threads has its own.
   * @param {number} most descriptors
   * @throws AssertionError after half a minute
   */
  async fewDescriptors (most) {
    const end = performance.now() + 30_000
    for (;;) {
      const { descriptors } = await this.call('figures')
      if (descriptors <= most) return descriptors
      assert.ok(performance.now() < end, `${descriptors} descriptors, more than ${most}`)
      await setTimeout(50)
    }
  }

  /** A connection on which bytes are sent as they are. @returns {Promise<net.Socket>} */
  async connect () {
    const socket = net.connect({ host: this.origin.hostname, port: Number(this.origin.port) })
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  /** The same with TLS. @param {tls.ConnectionOptions} [options] @returns {Promise<tls.TLSSocket>} */
  async connectSecurely (options = {}) {
    const socket = tls.connect({ host: '127.0.0.1', port: Number(this.secureOrigin.port), rejectUnauthorized: false, ...options })
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    return socket
  }

  /** The first lines of a request of the administrator. */
  head (method, target, headers = {}) {
    const lines = Object.entries({ Host: 'x', Authorization: this.authorization, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
  }

  async stop () {
    this.#agent.destroy()
    await this.#process.end('SIGKILL')
    fs.rmSync(this.#folder, { recursive: true, force: true })
  }
}

function basic (name, password) { return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` }

function iniOf (config) {
  return Object.entries(config).map(([section, values]) => `[${section}]\n${Object.entries(values).map(([key, value]) => `${key} = ${value}\n`).join('')}`).join('')
}

module.exports = { Subject, basic }
