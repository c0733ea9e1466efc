'use strict'

const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const os = require('node:os')
const path = require('node:path')
const { parseAddress } = require('@potoroo/import')
const { reasonOf } = require('../storage/system-error-text')
const { heldSettings } = require('../config/environment')
const { demandDatabases } = require('../storage/data-folder')

/** Nothing begins by itself while a command has a folder open. */
const QUIET = { chttpd: { workers: 1 }, replicator: { max_jobs: 0 }, ken: { batch_channels: 0, incremental_channels: 0 }, log: { level: 'error', writer: 'stderr' } }

const NO_ADMINISTRATOR = /^You are not a (db or )?server admin/

/**
 * A server as commands speak to it, over HTTP: one that runs, or one that is made here of a data
 * folder that no server has open. The latter is reached by a Unix socket in a folder that is its
 * owner's alone, so that whoever calls the command is an administrator, and nobody else.
 */
class Connection {
  #close
  #name
  #options
  #transport

  /** @param {string} name @param {any} transport @param {any} options @param {() => Promise<void>} close */
  constructor (name, transport, options, close) {
    this.#name = name
    this.#transport = transport
    this.#options = options
    this.#close = close
  }

  /**
   * @param {{ server?: string, data: string }} place
   * @returns {Promise<Connection>}
   */
  static open ({ server, data }) {
    return server === undefined ? Connection.#toFolder(path.resolve(data)) : Promise.resolve(Connection.#toServer(server))
  }

  /** @param {string} address */
  static #toServer (address) {
    const { url, authorization } = addressOf(address)
    const { protocol, hostname, port, pathname } = new URL(url)
    const transport = protocol === 'https:' ? https : http
    const options = { hostname: hostname.replace(/^\[|\]$/g, ''), port, base: pathname === '/' ? '' : pathname, headers: authorization && { Authorization: authorization } }
    return new Connection(url, transport, options, async () => {})
  }

  /** @param {string} folder */
  static async #toFolder (folder) {
    demandDatabases(folder, { server: true })
    // A command to a server that runs does not load another.
    const { potoroo } = require('../dispatch/middleware')
    const app = potoroo({ path: folder, allowVolatile: true, adminParty: true, config: quiet(heldSettings()) })
    const place = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-'))
    const server = http.createServer(app)
    const close = async () => {
      server.closeAllConnections()
      server.close()
      await app.close()
      fs.rmSync(place, { recursive: true, force: true })
    }
    try {
      await app.ready
      server.listen(path.join(place, 'socket'))
      await once(server, 'listening')
    } catch (error) {
      await close()
      throw error
    }
    return new Connection(folder, http, { socketPath: path.join(place, 'socket'), base: '' }, close)
  }

  /**
   * @param {string} method
   * @param {string} place
   * @param {any} [body] goes as JSON
   * @param {AbortSignal} [signal]
   * @returns {Promise<http.IncomingMessage>}
   */
  async open (method, place, body, signal) {
    const { base, headers, ...options } = this.#options
    const text = body === undefined ? undefined : JSON.stringify(body)
    const request = this.#transport.request({
      ...options,
      method,
      signal,
      path: base + place,
      agent: false,
      headers: { ...headers, Accept: 'application/json', ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }) }
    })
    request.end(text)
    try {
      const [response] = await once(request, 'response')
      return response
    } catch (cause) {
      signal?.throwIfAborted()
      throw Object.assign(new Error(`${this.#name} does not answer: ${reasonOf(cause)}`, { cause }), { code: 'NO_SERVER' })
    }
  }

  /**
   * @param {string} method
   * @param {string} place
   * @param {any} [body]
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ status: number, body: any }>}
   */
  async ask (method, place, body, signal) {
    const response = await this.open(method, place, body, signal)
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    try {
      return { status: /** @type {number} */ (response.statusCode), body: JSON.parse(text) }
    } catch {
      throw new Error(`${method} ${place} was answered with ${response.statusCode}, and no JSON: this is no server of databases`)
    }
  }

  /**
   * The body of an answer that has to be a good one.
   *
   * @param {string} method
   * @param {string} place
   * @param {any} [body]
   * @param {AbortSignal} [signal]
   */
  async demand (method, place, body, signal) {
    const answer = await this.ask(method, place, body, signal)
    if (answer.status >= 400) throw this.refused(answer)
    return answer.body
  }

  /**
   * @param {{ status: number, body: any }} answer
   * @returns {Error} what the server said
   */
  refused ({ status, body }) {
    if (status === 401) return new Error(this.#unauthorized(body?.reason))
    return Object.assign(new Error(`the server refused: ${body?.reason ?? body?.error ?? status}`), { status })
  }

  /** @param {string | undefined} reason @returns {string} */
  #unauthorized (reason) {
    if (this.#options.headers?.Authorization === undefined) return 'the server wants the name and password of an administrator: have them in ~/.netrc, or as POTOROO_CREDENTIALS=name:password in the environment'
    if (NO_ADMINISTRATOR.test(reason ?? '')) return `${this.#user} is no administrator of the server, and this is for administrators`
    return `the server does not take the name and password of ${this.#user}: ${reason}`
  }

  /** The user whose name goes with each request. */
  get #user () { return Buffer.from(this.#options.headers.Authorization.replace(/^Basic /, ''), 'base64').toString().split(':', 1)[0] }

  /** The server's URL without a password, or the folder. */
  get name () { return this.#name }

  close () { return this.#close() }
}

/** @param {Record<string, Record<string, string>>} sections */
function quiet (sections) {
  /** @type {Record<string, Record<string, string | number>>} */
  const over = QUIET
  return Object.fromEntries(Object.keys({ ...sections, ...over }).map(name => [name, { ...sections[name], ...over[name] }]))
}

/** @param {string} text */
function addressOf (text) {
  // It may hold a password.
  if (!/^https?:$/.test(protocolOf(text))) throw new Error('--server is no URL of a server, such as http://host:5984')
  return parseAddress(text)
}

/** @param {string} text */
function protocolOf (text) { return URL.canParse(text) ? new URL(text).protocol : '' }

module.exports = { Connection }
