'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')

/** A server of a cluster, as a process. */
class ServerProcess {
  #child
  url = ''
  /** The place where other servers reach it. */
  address = ''

  /** @param {string} database URL of the engine @param {any} [options] of `serve` */
  constructor (database, options = {}) {
    this.#child = fork(path.join(__dirname, 'server.js'), [database, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    this.log = ''
    this.#child.stderr?.setEncoding('utf8').on('data', text => { this.log += text })
  }

  /** @param {string} database @param {any} [options] of `serve` */
  static async start (database, options) {
    const server = new ServerProcess(database, options)
    const [message] = await Promise.race([once(server.#child, 'message'), once(server.#child, 'exit').then(() => { throw new Error(`The server ended:\n${server.log}`) })])
    Object.assign(server, message)
    return server
  }

  /** @param {NodeJS.Signals} name */
  signal (name) { this.#child.kill(name) }

  /** @param {NodeJS.Signals} [name] */
  async end (name = 'SIGTERM') {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    // One that is stopped hears nothing else.
    if (name === 'SIGTERM') this.#child.kill('SIGCONT')
    this.#child.kill(name)
    await ended
  }
}

module.exports = { ServerProcess }
