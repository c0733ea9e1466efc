'use strict'

const { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { ServerProcess } = require('../support/server-process')

const admin = { name: 'anna', password: 'a pass phrase' }

/** A data folder and the servers that run on it, one after another. */
class DataFolder {
  path = mkdtempSync(path.join(os.tmpdir(), 'potoroo-data-'))
  #servers = []

  /**
   * @param {string} [storage]
   * @param {{ iterations?: number }} [options] of password hashing, which is slow on purpose; 0 leaves them
   */
  constructor (storage = 'pmem', { iterations = 1000 } = {}) {
    this.storage = storage
    if (iterations > 0) writeFileSync(path.join(this.path, 'potoroo.ini'), `[chttpd_auth]\niterations = ${iterations}\n`)
  }

  /** The words after `potoroo serve`. The folder may lie in tmpfs, so that is allowed. */
  words ({ withAdmin = true, workers } = {}) {
    const words = ['--port', '0', '--data', this.path, '--storage', this.storage, '--allow-volatile', ...(workers === undefined ? [] : ['--workers', String(workers)])]
    return withAdmin ? [...words, '--admin', `${admin.name}:${admin.password}`] : words
  }

  /** Starts a server here and waits until it listens. */
  async start (options) {
    const server = this.begin(options)
    await server.started
    return server
  }

  /** Starts a server here, which may fail. */
  begin (options) {
    const server = new ServerProcess(this.words(options))
    this.#servers.push(server)
    return server
  }

  /** @returns {string[]} the paths of all files */
  files () {
    return readdirSync(this.path, { recursive: true })
      .map(name => path.join(this.path, String(name)))
      .filter(file => statSync(file).isFile())
  }

  /** Ends what still runs and removes the folder. */
  async remove () {
    for (const server of this.#servers) await server.end('SIGKILL')
    rmSync(this.path, { recursive: true, force: true })
  }
}

module.exports = { DataFolder, admin }
