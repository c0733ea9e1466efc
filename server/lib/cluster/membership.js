'use strict'

const crypto = require('node:crypto')
const { EventEmitter } = require('node:events')
const { setTimeout: wait } = require('node:timers/promises')

/** How often a server says that it lives, milliseconds. */
const BEAT = 1000

/** @typedef {{ id: string, address: string, age: number, load: number }} Member */

/**
 * The servers that live, of which this is one. The engine keeps their heartbeats, and its clock says who is dead. This
 * one's own says when it must hold itself for dead: a lifetime after the beginning of the last beat that came through,
 * which is before others may do so. It is another member from then on, so that nothing it began before counts as its own.
 *
 * Emits `lost` when all that it had is others' to take, `joined` when it is a member again, and `beat` each second.
 */
class Membership extends EventEmitter {
  #leases
  #options
  #until = 0
  #closed = new AbortController()
  /** @type {NodeJS.Timeout | undefined} */
  #end
  /** @type {Promise<void>} */
  #beating = Promise.resolve()
  /** The place where others reach it. */
  address = ''
  id = ''
  /** All that live, this one included. @type {Member[]} */
  members = []

  /**
   * @param {any} leases of PostgresLevel
   * @param {object} options
   * @param {string} options.name what ids of this server begin with
   * @param {number} options.lifetime milliseconds
   * @param {() => number} options.load what it has to do
   * @param {(text: string) => void} options.warn
   */
  constructor (leases, options) {
    super()
    this.#leases = leases
    this.#options = options
  }

  /** Whether it may answer for what it owns. */
  get isAlive () { return performance.now() < this.#until }

  /** Whether a server is one of those that live. @param {string} id */
  has (id) { return this.members.some(member => member.id === id) }

  /** Becomes a member, and stays one. @param {string} address where others reach it @throws where the engine cannot be reached */
  async open (address) {
    this.address = address
    await this.#join()
    this.#beating = this.#beat()
  }

  async #join () {
    const { name, lifetime, load } = this.#options
    const id = `${name}-${crypto.randomBytes(6).toString('hex')}`
    const began = performance.now()
    this.members = await this.#leases.join({ id, address: this.address, load: load(), lifetime: lifetime / 1000 })
    this.id = id
    this.#prolong(began + lifetime)
    this.emit('joined')
  }

  /** @param {number} until */
  #prolong (until) {
    this.#until = until
    clearTimeout(this.#end)
    this.#end = setTimeout(() => this.#lose(), until - performance.now()).unref()
  }

  #lose () {
    clearTimeout(this.#end)
    if (this.#until === 0) return
    this.#until = 0
    this.#options.warn(`The storage did not hear of this server for ${this.#options.lifetime} ms: it gives up its databases and joins again`)
    this.emit('lost')
  }

  async #beat () {
    const { signal } = this.#closed
    while (!signal.aborted) {
      await wait(BEAT, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      // A process that was stopped wakes up in here.
      if (!this.isAlive) this.#lose()
      await (this.#until === 0 ? this.#joinAgain() : this.#sayAlive()).catch(error => this.#options.warn(`Heartbeat: ${error.message}`))
      this.emit('beat')
    }
  }

  /** Learns who is there now. */
  async refresh () { if (this.isAlive) await this.#sayAlive() }

  async #sayAlive () {
    const began = performance.now()
    const { id } = this
    const members = await this.#leases.beat(id, { load: this.#options.load(), lifetime: this.#options.lifetime / 1000 })
    if (!this.isAlive) return this.#lose()
    this.members = members
    this.#prolong(began + this.#options.lifetime)
  }

  async #joinAgain () {
    const before = this.id
    // Leaving frees at once what it had.
    if (before !== '') await this.#leases.leave(before)
    this.id = ''
    if (!this.#closed.signal.aborted) await this.#join()
  }

  /** Is a member no longer. */
  async close () {
    this.#closed.abort()
    clearTimeout(this.#end)
    await this.#beating
    this.#until = 0
    if (this.id !== '') await this.#leases.leave(this.id).catch(() => {})
  }
}

module.exports = { Membership }
