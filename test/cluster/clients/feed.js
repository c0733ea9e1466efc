'use strict'

const { setTimeout } = require('node:timers/promises')

/** Milliseconds without a heartbeat after which a listener asks again. */
const SILENCE = 5000

/** Listens to a database, and goes on from the last change that it had whenever the feed ends or breaks. */
class Feed {
  #connection
  #history
  #database
  #kind
  #over = new AbortController()
  #ended
  #heard = () => {}
  name
  since = /** @type {string | number} */ (0)
  /** How often it asked. */
  rounds = 0

  /**
   * @param {{ name: string, connection: import('./connection').Connection, history: import('./history').History,
   *   database: string, kind: 'continuous' | 'longpoll' }} options
   */
  constructor ({ name, connection, history, database, kind }) {
    this.name = name
    this.#connection = connection
    this.#history = history
    this.#database = database
    this.#kind = kind
    this.#ended = this.#run()
  }

  get database () { return this.#database }

  async stop () {
    this.#over.abort()
    await this.#ended
  }

  /** Waits until it has had that change. @param {(since: string | number) => boolean} reached @param {AbortSignal} signal */
  async until (reached, signal) {
    while (!reached(this.since)) {
      await new Promise((resolve, reject) => {
        this.#heard = resolve
        signal.addEventListener('abort', () => reject(new Error(`${this.name} did not come to the end: it is at ${this.since}`)), { once: true })
        if (signal.aborted) reject(new Error(`${this.name} did not come to the end: it is at ${this.since}`))
      })
    }
  }

  async #run () {
    const { signal } = this.#over
    while (!signal.aborted) {
      this.rounds++
      try {
        await (this.#kind === 'continuous' ? this.#continuous() : this.#longpoll())
      } catch {
        await setTimeout(200, undefined, { signal }).catch(() => {})
      }
    }
  }

  get #path () {
    return `/${this.#database}/_changes?style=all_docs&feed=${this.#kind}&since=${encodeURIComponent(JSON.stringify(this.since).replaceAll('"', ''))}&heartbeat=1000`
  }

  async #continuous () {
    const silence = new Silence(this.#over.signal)
    try {
      const response = await this.#connection.stream(this.#path, silence.signal)
      this.#history.count(`GET ${this.#path}`, { status: response.statusCode, headers: response.headers, body: {} })
      if (response.statusCode !== 200) return await refused(response)
      response.setEncoding('utf8')
      let rest = ''
      for await (const text of response) {
        silence.broken()
        const lines = (rest + text).split('\n')
        rest = lines.pop()
        for (const line of lines) if (line !== '') this.#take(JSON.parse(line))
      }
    } finally {
      silence.end()
    }
  }

  async #longpoll () {
    const silence = new Silence(this.#over.signal)
    try {
      const response = await this.#connection.stream(this.#path, silence.signal)
      this.#history.count(`GET ${this.#path}`, { status: response.statusCode, headers: response.headers, body: {} })
      if (response.statusCode !== 200) return await refused(response)
      const chunks = []
      for await (const chunk of response) {
        silence.broken()
        chunks.push(chunk)
      }
      // All or nothing: an answer that breaks off is asked for again.
      const { results, last_seq: last } = JSON.parse(Buffer.concat(chunks).toString())
      for (const row of results) this.#take(row)
      this.since = last
      this.#heard()
    } finally {
      silence.end()
    }
  }

  #take (row) {
    if (row.error !== undefined) throw new Error(`The feed says ${JSON.stringify(row)}`)
    if (row.id === undefined) {
      if (row.last_seq !== undefined) this.since = row.last_seq
      return this.#heard()
    }
    this.#history.rows.push({ feed: this.name, database: this.#database, seq: row.seq, id: row.id, revs: row.changes.map(({ rev }) => rev), deleted: row.deleted === true })
    this.since = row.seq
    this.#heard()
  }
}

async function refused (response) {
  response.resume()
  throw new Error(`${response.statusCode}`)
}

/** Aborts once nothing was heard for a while. */
class Silence {
  #controller = new AbortController()
  #outer
  #timer
  #abort = () => this.#controller.abort()

  constructor (outer) {
    this.#outer = outer
    outer.addEventListener('abort', this.#abort)
    if (outer.aborted) this.#abort()
    this.broken()
  }

  get signal () { return this.#controller.signal }

  broken () {
    clearTimeout(this.#timer)
    this.#timer = global.setTimeout(this.#abort, SILENCE)
  }

  end () {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener('abort', this.#abort)
    this.#controller.abort()
  }
}

module.exports = { Feed }
