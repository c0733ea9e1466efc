'use strict'

const assert = require('node:assert/strict')
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { freePort } = require('../../support/free-port')
const { ServerProcess } = require('../../support/server-process')

const NAME = 'anna'
const PASSWORD = 'open-sesame'

/** A server that speaks CouchDB's protocol, as its administrator sees it. */
class Server {
  /** @param {string} url with name and password */
  constructor (url) {
    this.use(url)
  }

  use (url) {
    const { origin, username, password } = new URL(url)
    this.origin = origin
    this.authorization = `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`
    this.credentials = `${username}:${password}`
  }

  /** The URL of a database, with credentials. */
  urlOf (name) {
    return `${this.origin.replace('//', `//${this.credentials}@`)}/${name}`
  }

  /** @returns {Promise<Response>} */
  fetch (method, path, { body, headers = {} } = {}) {
    const json = body !== undefined && !Buffer.isBuffer(body)
    return fetch(`${this.origin}/${path}`, {
      method,
      body: json ? JSON.stringify(body) : body,
      headers: { Authorization: this.authorization, Accept: 'application/json', ...(json && { 'Content-Type': 'application/json' }), ...headers }
    })
  }

  /** The JSON of an answer that has to be a good one. */
  async ask (method, path, body) {
    const response = await this.fetch(method, path, { body })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }

  /** Makes a new database in the place of an old one. */
  async create (name) {
    await (await this.fetch('DELETE', name)).arrayBuffer()
    // One shard, so that a CouchDB too has one order of changes.
    await this.ask('PUT', `${name}?q=1`)
  }

  /** Replicates once, as this server does it. */
  replicate (source, target, options) {
    return this.ask('POST', '_replicate', { source, target, ...options })
  }

  /** Waits until a database has that many documents; the test's own time-out is the limit. */
  async untilThereAre (name, count) {
    for (;;) {
      const { doc_count: now, update_seq: since } = await this.ask('GET', name)
      if (now >= count) return
      await this.ask('GET', `${name}/_changes?feed=longpoll&limit=1&since=${since}`)
    }
  }
}

/** One of ours in a process of its own, which may be killed and comes back at the same address. */
class OwnServer extends Server {
  #folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-replication-'))
  #process
  /** @type {number} */
  #port

  static async start () {
    const server = new OwnServer('http://localhost')
    writeFileSync(path.join(server.#folder, 'potoroo.ini'), '[chttpd_auth]\niterations = 10\n[replicator]\ncheckpoint_interval = 200\n')
    await server.start()
    return server
  }

  async start () {
    this.#port ??= await freePort()
    const words = ['--port', String(this.#port), '--data', this.#folder, '--storage', 'pmem', '--size', '256M', '--allow-volatile', '--admin', `${NAME}:${PASSWORD}`]
    this.#process = await ServerProcess.start(words, { env: { PMEM_IS_PMEM_FORCE: '1' } })
    const url = new URL(await this.#process.started)
    url.username = NAME
    url.password = PASSWORD
    this.use(url.href)
  }

  get output () { return this.#process.output }

  async kill () { await this.#process.end('SIGKILL') }

  async remove () {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

module.exports = { Server, OwnServer, PASSWORD }
