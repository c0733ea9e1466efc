'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')

/** A server in a process of its own, as a user starts it. */
class ServerProcess {
  #child
  #exited
  #started
  #output = { stdout: '', stderr: '' }

  /**
   * @param {string[]} words what follows `potoroo serve`
   * @param {{ env?: Record<string, string>, node?: string[] }} [options] `node`: options of Node.js; with them the
   *   process has a channel for messages
   */
  constructor (words, { env, node } = {}) {
    this.#child = spawn(process.execPath, [...node ?? [], program, 'serve', ...words], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(node === undefined ? [] : /** @type {['ipc']} */ (['ipc']))]
    })
    this.#exited = once(this.#child, 'close').then(([code, signal]) => ({ code, signal, ...this.#output }))
    this.#started = this.#readOutput()
    // A test of a server that is to fail asks for `exited` only.
    this.#started.catch(() => {})
  }

  /** Starts a server and waits until it says where it listens. */
  static async start (words, options) {
    const server = new ServerProcess(words, options)
    await server.started
    return server
  }

  /** Fulfils with the URL that the server prints; fails when it ends before. */
  get started () { return this.#started }

  /** Fulfils with `{ code, signal, stdout, stderr }` once the process has ended. */
  get exited () { return this.#exited }

  get pid () { return this.#child.pid }

  /** Asks what was loaded into the process by its options. @param {any} message @returns {Promise<any>} its answer */
  async call (message) {
    this.#child.send(message)
    const [answer] = await Promise.race([once(this.#child, 'message'), this.#exited.then(() => { throw new Error(`The server ended:\n${this.output}`) })])
    return answer
  }

  /** All it printed so far. */
  get output () { return this.#output.stdout + this.#output.stderr }

  /** Waits until it has printed something that many times. @param {RegExp} pattern global */
  async printed (pattern, times) {
    while ([...this.#output.stdout.matchAll(pattern)].length < times) {
      if (this.#child.exitCode !== null) throw new Error(`The server ended:\n${this.output}`)
      await Promise.race([once(this.#child.stdout, 'data'), this.#exited])
    }
  }

  /** Sends a signal and waits for the end. */
  async end (signal) {
    this.#child.kill(signal)
    return this.#exited
  }

  #readOutput () {
    return new Promise((resolve, reject) => {
      for (const name of ['stdout', 'stderr']) {
        this.#child[name].setEncoding('utf8').on('data', text => {
          this.#output[name] += text
          const url = /https?:\/\/[\w.[\]:]+:\d+/.exec(this.#output.stdout)
          if (url !== null && this.#output.stdout.endsWith('\n')) resolve(url[0])
        })
      }
      this.#exited.then(({ code, signal }) => reject(new Error(`The server ended (${code ?? signal}):\n${this.output}`)))
    })
  }
}

module.exports = { ServerProcess }
