'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')

/** The memory of a subject's process, bytes: V8's heap, what hangs on it, and all that is its own (no mapped files). */
/** @typedef {{ heap: number, external: number, resident: number }} Memory */

/** A server in a process of its own, and its memory. */
class SubjectServer {
  #child
  #folder
  #agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  /** @type {URL} */
  origin

  /** @param {string} storage @param {string[]} [nodeOptions] */
  static async start (storage, nodeOptions = []) {
    const server = new SubjectServer()
    const parent = storage === 'pmem' && fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
    server.#folder = fs.mkdtempSync(path.join(parent, 'potoroo-subject-'))
    server.#child = fork(path.join(__dirname, 'server.js'), [server.#folder, storage], {
      execArgv: ['--expose-gc', ...nodeOptions], env: { ...process.env, PMEM_IS_PMEM_FORCE: '1' }
    })
    const [{ url }] = await once(server.#child, 'message')
    server.origin = new URL(url)
    return server
  }

  /** @returns {Promise<Memory>} after collecting garbage */
  memory () { return this.call('memory') }

  /** Returns the answer of `server.js`. @param {string} question */
  async call (question) {
    this.#child.send(question)
    const [answer] = await once(this.#child, 'message')
    return answer
  }

  /** The folder of its data. */
  get folder () { return this.#folder }

  /** The headers of a request, as text or for node:http. */
  get authorization () { return `Basic ${Buffer.from('admin:secret').toString('base64')}` }

  /** Sends JSON, or bytes, and gives the answer's; throws at an error. */
  async ask (method, target, body, headers = {}) {
    const { status, text } = await this.send(method, target, body, headers)
    if (status >= 400) throw new Error(`${method} ${target}: ${status} ${text.slice(0, 300)}`)
    return headers.accept === undefined ? JSON.parse(text) : text
  }

  /** The same, whatever the answer is. @returns {Promise<{ status: number, text: string }>} */
  async send (method, target, body, headers = {}) {
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const request = http.request({ agent: this.#agent, host: this.origin.hostname, port: this.origin.port, method, path: target, headers: { authorization: this.authorization, 'content-type': 'application/json', ...headers } })
    request.end(bytes)
    const [response] = await once(request, 'response')
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    return { status: response.statusCode, text: Buffer.concat(chunks).toString() }
  }

  async stop () {
    this.#agent.destroy()
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
    fs.rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** KiB that each of a number of things took. */
function each (before, after, count) {
  return Object.fromEntries(Object.keys(before).map(name => [name, (after[name] - before[name]) / count / 1024]))
}

function inWords (memory) {
  return Object.entries(memory).map(([name, kilobytes]) => `${name} ${kilobytes.toFixed(2)} KiB`).join(', ')
}

module.exports = { SubjectServer, each, inWords }
