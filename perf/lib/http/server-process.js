'use strict'

const { fork } = require('node:child_process')
const path = require('node:path')
const { once } = require('node:events')
const { Client } = require('./client')
const { ThreadsMeter } = require('../run/meters')

/** A server in a process of its own, and the meter of that process. */
class ServerProcess {
  #child
  #meter
  #waiting = []
  #clients = []

  /**
   * @param {string} driver name of a driver that serves, with the group
   * @param {string} folder for its data
   * @param {Record<string, string>} [env] of the process, beside this one's
   */
  static async start (driver, folder, env = {}) {
    const server = new ServerProcess()
    server.#spawn(env)
    const { url } = await server.#ask({ question: 'start', driver, folder })
    server.url = url
    return server
  }

  get pid () { return this.#child.pid }

  /** @param {{ connections: number }} options */
  client ({ connections }) {
    const client = new Client(this.url, connections)
    this.#clients.push(client)
    return client
  }

  async cpu () {
    return this.#meter.cpu()
  }

  async collect () {
    await this.#ask({ question: 'collect' })
  }

  async profile () {
    await this.#ask({ question: 'profile' })
  }

  async profiled () {
    return (await this.#ask({ question: 'profiled' })).profile
  }

  async close () {
    for (const client of this.#clients) client.close()
    const closed = once(this.#child, 'close')
    await this.#ask({ question: 'close' })
    await closed
  }

  #spawn (env) {
    this.#child = fork(path.join(__dirname, 'server-child.js'), {
      execArgv: ['--expose-gc', '--min-semi-space-size=16'],
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced'
    })
    this.#meter = new ThreadsMeter(this.#child.pid)
    this.#child.on('message', (answer) => {
      const { resolve, reject } = this.#waiting.shift()
      if (answer.error) reject(new Error(answer.error))
      else resolve(answer)
    })
    this.#child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`The server ended with ${signal ?? code}`))
    })
  }

  // One process answers in order, so answers need no names.
  #ask (message) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#child.send(message)
    })
  }
}

module.exports = { ServerProcess }
