'use strict'

const fs = require('node:fs')
const { certificateFiles, tlsOptions } = require('./tls-options')

/** @typedef {import('../config/config').Config} Config */

/** How often the files are looked at, milliseconds. */
const INTERVAL = 10_000

/** New certificates in the files of `[ssl]` are taken as they come, without a restart. */
class CertificateFiles {
  #service
  #servers
  #state
  #timer

  /**
   * @param {any} service
   * @param {any[]} servers of node:tls or node:http2
   * @param {number} [interval] ms
   */
  constructor (service, servers, interval = INTERVAL) {
    this.#service = service
    this.#servers = servers
    this.#state = stateOf(service.config)
    // Not fs.watch: programs that renew certificates move links and folders.
    this.#timer = setInterval(() => { if (stateOf(service.config) !== this.#state) this.reload() }, interval).unref()
  }

  /** Connections that are open keep theirs. If the new ones are broken the old ones stay. */
  reload () {
    const { config, log } = this.#service
    this.#state = stateOf(config)
    try {
      const options = tlsOptions(config)
      for (const server of this.#servers) server.setSecureContext(options)
      log.line('notice', 'TLS: certificates were read again')
    } catch (error) {
      log.line('error', `TLS goes on with the certificates that it has: ${error.message}`)
    }
  }

  stop () { clearInterval(this.#timer) }
}

/** Returns what tells the files of now from others. @param {Config} config */
function stateOf (config) {
  return certificateFiles(config).map(file => {
    try {
      const { ino, mtimeMs, size } = fs.statSync(file)
      return `${file} ${ino} ${mtimeMs} ${size}`
    } catch (error) {
      return `${file} ${error.code}`
    }
  }).join('\n')
}

module.exports = { CertificateFiles }
