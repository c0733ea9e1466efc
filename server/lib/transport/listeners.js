'use strict'

const { once } = require('node:events')
const { createHttpServer, createSecureServer } = require('./http-server')
const { addresses, urlOf } = require('./addresses')
const { CertificateFiles } = require('./certificate-files')
const { closeServers } = require('./close-servers')
const { ThreadedServer } = require('../workers/threaded-server')
const { Connections } = require('./connections')
const { readSettings } = require('./http-settings')
const { tlsOptions } = require('./tls-options')
const { clearSocket, listenOnSocket } = require('./unix-socket')

/** @typedef {import('./addresses').Address} Address */

/** All that a server listens on: addresses of TCP, with and without TLS, and Unix sockets. */
class Listeners {
  #service
  #threads
  #handle
  #settings
  #connections
  /** @type {Array<{ server: any, secure: boolean }>} */
  #open = []
  /** @type {CertificateFiles | undefined} */
  #certificates

  /**
   * @param {any} service its `config` is read once, here
   * @param {(req: any, res: any) => unknown} handle answers a request
   * @param {(() => import('../workers/http-threads').HttpThreads) | null} [threads] makes those that accept what comes
   *   over an address of TCP without TLS
   */
  constructor (service, handle, threads = null) {
    this.#threads = threads
    this.#service = service
    this.#handle = handle
    this.#settings = readSettings(service.config)
    this.#connections = new Connections(this.#settings)
  }

  /** One for each address. */
  get servers () { return this.#open.map(({ server }) => server) }

  get urls () { return this.#open.map(({ server, secure }) => urlOf(server, secure)) }

  /** Returns the addresses of TCP. @returns {import('node:net').AddressInfo[]} */
  get addresses () { return this.servers.map(server => server.address()).filter(address => typeof address?.port === 'number') }

  /**
   * @param {{ port?: number, host?: string, socket?: string }} options over what the ini file says
   * @throws what listening throws: it has to be closed then, too
   */
  async open (options) {
    for (const address of addresses(this.#service.config, options)) await this.#listen(address)
    const secure = this.#open.filter(each => each.secure).map(({ server }) => server)
    if (secure.length > 0) this.#certificates = new CertificateFiles(this.#service, secure)
  }

  /** @param {Address} address */
  async #listen (address) {
    const { backlog } = this.#settings
    if ('path' in address) await clearSocket(address.path)
    const server = this.#create(address)
    const listening = once(server, 'listening')
    if ('path' in address) listenOnSocket(server, address.path, address.mode, backlog)
    else server.listen({ host: address.host, port: address.port, backlog })
    await listening
    this.#open.push({ server, secure: address.secure })
  }

  /** @param {any} address @returns {any} */
  #create ({ secure, path }) {
    if (this.#threads !== null && !secure && path === undefined) return new ThreadedServer(this.#threads())
    if (!secure) return createHttpServer(this.#service, this.#handle, this.#settings, this.#connections)
    return createSecureServer(this.#service, this.#handle, this.#settings, this.#connections, tlsOptions(this.#service.config))
  }

  /** Reads certificates again. */
  reload () { this.#certificates?.reload() }

  /** Takes no more connections and lets requests under way finish, for a while. */
  async close () {
    this.#certificates?.stop()
    await closeServers(this.servers, this.#connections)
  }
}

module.exports = { Listeners }
