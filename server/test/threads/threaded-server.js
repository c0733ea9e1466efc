'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs/promises')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { serve } = require('../..')

const ADMIN = 'Basic ' + Buffer.from('admin:secret').toString('base64')
const WORKERS = 2
const CONNECTIONS = 8

/** A server of several threads, with agents of one connection each, which the threads share among them, and a database for each test. */
class ThreadedServer {
  /** The lines that the server has logged. @type {string[]} */
  logged = []

  /** For the tests of the describe() that it is called in. */
  static forTests () {
    const threads = new ThreadedServer()
    before(() => threads.start())
    beforeEach(() => threads.makeDatabase())
    after(() => threads.stop())
    return threads
  }

  async start () {
    const shared = await fs.access('/dev/shm').then(() => '/dev/shm', () => os.tmpdir())
    this.folder = await fs.mkdtemp(path.join(shared, 'potoroo-threads-'))
    this.server = await serve({
      port: 0,
      path: this.folder,
      storage: 'pmem',
      size: 64 * 1024 * 1024,
      allowVolatile: true,
      workers: WORKERS,
      admins: { admin: 'secret' },
      // Tests count what is indexed because it is asked for.
      config: { chttpd_auth: { iterations: 10 }, ken: { batch_channels: 0, incremental_channels: 0 } },
      log: text => this.logged.push(text)
    })
    this.connect()
  }

  /** Opens new connections. */
  connect () {
    this.agents?.forEach(agent => agent.destroy())
    this.agents = Array.from({ length: CONNECTIONS }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }))
  }

  async stop () {
    this.agents.forEach(agent => agent.destroy())
    await this.server.close()
    await fs.rm(this.folder, { recursive: true, force: true })
  }

  async makeDatabase () {
    this.db = `/db-${crypto.randomUUID()}`
    assert.equal((await this.send('PUT', this.db)).status, 201)
  }

  /** @returns {Promise<{ status: number, headers: any, body: any, bytes: Buffer }>} */
  send = async (method, url, options) => {
    const response = await this.open(method, url, options)
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const isJson = response.headers['content-type'] === 'application/json' && bytes.length > 0
    return { status: response.statusCode, headers: response.headers, bytes, body: isJson ? JSON.parse(bytes.toString()) : undefined }
  }

  open = async (method, url, { body, connection = 0, authorization = ADMIN, headers } = /** @type {any} */ ({})) => {
    const isBytes = body instanceof Uint8Array
    const bytes = body === undefined || isBytes ? body : JSON.stringify(body)
    const request = http.request(this.server.url + url, {
      method,
      agent: this.agents[connection],
      headers: {
        ...(authorization && { authorization }),
        ...(body !== undefined && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json', 'content-length': Buffer.byteLength(bytes) }),
        ...headers
      }
    })
    request.end(bytes)
    const [response] = await once(request, 'response')
    return response
  }

  everywhere = ask => Promise.all(this.agents.map((_, connection) => ask(connection)))

  /** How often the owner is asked for a database while something is done. */
  askedOwner = async act => {
    const { databases } = this.server.service
    const { get } = databases
    let asked = 0
    databases.get = name => {
      if (`/${name}` === this.db) asked++
      return get.call(databases, name)
    }
    try {
      await act()
    } finally {
      delete databases.get
    }
    return asked
  }

  /** Does something until it does without the owner, who may still work out what it has to have. */
  withoutOwner = async act => {
    for (let left = 10; await this.askedOwner(act) > 0; left--) assert.ok(left > 0, 'The owner is asked each time')
  }

  /** Resolves when the threads know who asks, and the configuration as it is now: they pass on till then. */
  settled = async () => {
    await this.withoutOwner(() => this.everywhere(connection => this.send('GET', `${this.db}/d1`, { connection })))
  }
}

module.exports = { ADMIN, CONNECTIONS, ThreadedServer }
