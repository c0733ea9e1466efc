'use strict'

const { setTimeout } = require('node:timers/promises')

/** Documents that all clients write at a time, in each database, and writes after which others take their place. */
const DOCUMENTS = 4
const WRITES = 60

/** The documents of all clients: they agree on which to write, so that writes meet. */
class Registers {
  #databases
  #writes = 0

  /** @param {string[]} databases */
  constructor (databases) { this.#databases = databases }

  pick (random) { return random.pick(this.all) }

  /** Documents of now. */
  get all () {
    const round = Math.floor(this.#writes / (WRITES * DOCUMENTS * this.#databases.length))
    return this.#databases.flatMap(database => Array.from({ length: DOCUMENTS }, (_, i) => ({ database, document: `register-${round}-${i}` })))
  }

  wrote () { this.#writes++ }
}

/**
 * One of several that read and write the same documents, one request at a time, and record what they asked for and what came of it.
 * A 503, or no answer, leaves open what a write did.
 */
class RegisterClient {
  #number
  #connection
  #history
  #registers
  #random
  #pace
  #inserted = 0
  /** `database/document` → what this client last saw of it @type {Map<string, { value: number, rev: string | undefined, deleted: boolean }>} */
  #known = new Map()

  /**
   * @param {{ number: number, connection: import('./connection').Connection, history: import('./history').History,
   *   registers: Registers, random: import('./random').Random, pace: number }} options pace: milliseconds between two requests
   */
  constructor ({ number, connection, history, registers, random, pace }) {
    this.#number = number
    this.#connection = connection
    this.#history = history
    this.#registers = registers
    this.#random = random
    this.#pace = pace
  }

  /** @param {AbortSignal} over */
  async run (over) {
    while (!over.aborted) {
      const chance = this.#random.below(100)
      if (chance < 40) await this.read(this.#registers.pick(this.#random))
      else if (chance < 70) await this.#write(this.#registers.pick(this.#random))
      else if (chance < 78) await this.#write(this.#registers.pick(this.#random), true)
      else if (chance < 86) await this.#bulk()
      else if (chance < 93) await this.#insert()
      else await this.#info(this.#registers.pick(this.#random))
      await setTimeout(this.#pace * 2 * this.#random.next())
    }
  }

  /** @returns {Promise<boolean>} whether there was an answer */
  async read ({ database, document }) {
    const { start, end, answer } = await this.#ask('GET', `/${database}/${document}`)
    if (answer?.status !== 200 && answer?.status !== 404) return false
    const seen = answer.status === 200
      ? { value: answer.body.value, rev: answer.body._rev, deleted: false }
      : { value: 0, rev: undefined, deleted: answer.body.reason === 'deleted' }
    this.#known.set(`${database}/${document}`, seen)
    this.#record({ database, document, kind: 'read', start, end, outcome: 'ok', from: 0, ...seen })
    return true
  }

  async #write (register, deletes = false) {
    const { database, document } = register
    const write = this.#prepare(register, deletes)
    const { start, end, answer } = await this.#ask('PUT', `/${database}/${document}`, write.doc)
    this.#settle(register, write, { start, end, answer: answer?.status === 201 ? { ok: true, rev: answer.body.rev } : answer?.status === 409 ? { error: 'conflict' } : null })
    if (answer?.status === 409) await this.read(register)
  }

  async #bulk () {
    const { database } = this.#registers.pick(this.#random)
    const registers = new Map()
    for (let i = 0; i < 3; i++) {
      const { document } = this.#registers.pick(this.#random)
      registers.set(document, { database, document })
    }
    const writes = [...registers.values()].map(register => ({ register, write: this.#prepare(register, this.#random.below(10) === 0) }))
    const { start, end, answer } = await this.#ask('POST', `/${database}/_bulk_docs`, { docs: writes.map(({ register, write }) => ({ _id: register.document, ...write.doc })) })
    for (const [i, { register, write }] of writes.entries()) this.#settle(register, write, { start, end, answer: answer?.status === 201 ? answer.body[i] : null })
  }

  /** A document of its own that is written once. */
  async #insert () {
    const { database } = this.#registers.pick(this.#random)
    const register = { database, document: `insert-${this.#number}-${this.#inserted++}` }
    const write = this.#prepare(register, false)
    const { start, end, answer } = await this.#ask('PUT', `/${database}/${register.document}`, write.doc)
    this.#settle(register, write, { start, end, answer: answer?.status === 201 ? { ok: true, rev: answer.body.rev } : null })
    this.#known.delete(`${database}/${register.document}`)
  }

  async #info ({ database }) {
    const { start, end, answer } = await this.#ask('GET', `/${database}`)
    if (answer?.status === 200) this.#history.readings.push({ start, end, database, sequence: Number.parseInt(answer.body.update_seq, 10) })
  }

  #prepare ({ database, document }, deletes) {
    const known = this.#known.get(`${database}/${document}`)
    const deleted = deletes && known?.rev !== undefined
    const value = this.#history.nextValue
    this.#registers.wrote()
    return {
      from: known?.rev === undefined ? 0 : known.value,
      value,
      deleted,
      doc: { ...(known?.rev !== undefined && { _rev: known.rev }), ...(deleted && { _deleted: true }), value, by: this.#number }
    }
  }

  #settle ({ database, document }, { from, value, deleted }, { start, end, answer }) {
    const outcome = answer?.ok ? 'ok' : answer?.error === 'conflict' ? 'conflict' : 'unknown'
    const name = `${database}/${document}`
    if (outcome === 'ok') this.#known.set(name, { value, rev: deleted ? undefined : answer.rev, deleted })
    else this.#known.delete(name)
    this.#record({ database, document, kind: 'write', start, end, outcome, from, value, deleted, rev: answer?.rev })
  }

  #record (operation) {
    this.#history.operations.push({ client: this.#number, ...operation })
  }

  async #ask (method, path, body) {
    const start = this.#history.now
    let answer = null
    try {
      answer = await this.#connection.ask(method, path, body)
    } catch {}
    const end = this.#history.now
    this.#history.count(`${method} ${path}`, answer)
    return { start, end, answer }
  }
}

module.exports = { RegisterClient, Registers }
