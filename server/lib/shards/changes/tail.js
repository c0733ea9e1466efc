'use strict'

const { StringDecoder } = require('node:string_decoder')
const { orFailure } = require('../failure')
const { numberOf } = require('../sequence')

/** @typedef {import('../../passing/inner-answer').InnerAnswer} Answer */

/** One change: the number of its sequence, and its row as JSON. @typedef {{ number: number, row: string }} Told */

/** How long one that several may share goes on without a listener, milliseconds: listeners of one answer each ask again at once. */
const LINGER = 5000

/** Rows that wait for one listener at most. */
const MOST = 1000

/**
 * The changes of one database from a sequence on, wherever that is: its owner is followed once, for all who want the
 * same.
 */
class Tail {
  /** @type {Set<Listener>} */
  #listeners = new Set()
  /** @type {Promise<Answer>} */
  #answer
  #onEnd
  #linger
  /** @type {NodeJS.Timeout | undefined} */
  #lingering
  /** The number of the last change that came. */
  #number
  #isOver = false

  /**
   * @param {number} number after which it begins
   * @param {() => Promise<Answer>} open asks for a continuous feed after that
   * @param {() => void} onEnd
   * @param {number} [linger] how long it is followed without a listener, milliseconds
   */
  constructor (number, open, onEnd, linger = 0) {
    this.#number = number
    this.#linger = linger
    this.#onEnd = onEnd
    this.#answer = open().then(orFailure)
    this.#follow()
  }

  /** @returns {Promise<Listener>} @throws where it cannot be followed */
  async listen () {
    clearTimeout(this.#lingering)
    const listener = new Listener(this.#number, () => this.#leave(listener))
    this.#listeners.add(listener)
    try {
      await this.#answer
    } catch (error) {
      this.#leave(listener)
      throw error
    }
    return listener
  }

  /** @param {Listener} listener */
  #leave (listener) {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0 || this.#isOver) return
    if (this.#linger === 0) return this.#close()
    this.#lingering = setTimeout(() => this.#close(), this.#linger).unref()
  }

  async #follow () {
    try {
      const answer = await this.#answer
      const decoder = new StringDecoder('utf8')
      let text = ''
      for (let chunk = await answer.read(); chunk !== null && !this.#isOver; chunk = await answer.read()) {
        const lines = (text + decoder.write(chunk)).split('\n')
        text = /** @type {string} */ (lines.pop())
        this.#tell(lines.filter(line => line.startsWith('{"seq":')))
      }
    } catch {
      // Listeners go on elsewhere, from the last change that they had.
    } finally {
      this.#close()
    }
  }

  /** @param {string[]} rows */
  #tell (rows) {
    if (rows.length === 0) return
    const told = rows.map(row => ({ number: numberOf(row.slice('{"seq":'.length)), row }))
    this.#number = /** @type {Told} */ (told.at(-1)).number
    for (const listener of this.#listeners) listener.hear(told)
  }

  /** A feed ends where the database goes, or the server. */
  #close () {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#lingering)
    this.#onEnd()
    for (const listener of this.#listeners) listener.end()
    this.#answer.then(answer => answer.close(), () => {})
  }
}

/** One who listens to a tail, at their own pace. */
class Listener {
  #leave
  /** @type {Told[]} */
  #waiting = []
  #isOver = false
  /** @type {(() => void) | null} */
  #wake = null
  /** It did not keep up: what it has not had is asked for again. */
  isBehind = false
  /** The number of the change after which it hears all. */
  after

  /** @param {number} after @param {() => void} leave */
  constructor (after, leave) {
    this.after = after
    this.#leave = leave
  }

  /** @param {Told[]} told */
  hear (told) {
    if (this.#waiting.length + told.length > MOST) {
      this.isBehind = true
      return this.end()
    }
    this.#waiting.push(...told)
    this.#wakeUp()
  }

  /** The changes that have come, waiting for one. @returns {Promise<Told[] | null>} null: none comes any more */
  async next () {
    while (this.#waiting.length === 0 && !this.#isOver) await /** @type {Promise<void>} */ (new Promise(resolve => { this.#wake = resolve }))
    if (this.#waiting.length === 0) return null
    return this.#waiting.splice(0)
  }

  end () {
    if (this.#isOver) return
    this.#isOver = true
    this.#leave()
    this.#wakeUp()
  }

  #wakeUp () {
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }
}

/** By what is wanted of which database, of each server. @type {WeakMap<object, Map<string, Tail>>} */
const shared = new WeakMap()

/**
 * Listens to what happens, along with others who want the same.
 *
 * @param {object} service
 * @param {string | null} key the same for who wants the same; null: nobody else does
 * @param {number} number of the last change that the first one had
 * @param {() => Promise<Answer>} open
 * @returns {Promise<Listener>}
 */
function listen (service, key, number, open) {
  if (key === null) return new Tail(number, open, () => {}).listen()
  let tails = shared.get(service)
  if (tails === undefined) shared.set(service, tails = new Map())
  const all = tails
  let tail = all.get(key)
  if (tail === undefined) all.set(key, tail = new Tail(number, open, () => all.delete(key), LINGER))
  return tail.listen()
}

module.exports = { listen }
