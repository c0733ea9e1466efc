'use strict'

/**
 * All that clients saw, by one clock.
 *
 * @typedef {object} Operation
 * @property {number} client
 * @property {string} database
 * @property {string} document
 * @property {'read' | 'write'} kind
 * @property {number} start nanoseconds
 * @property {number} end
 * @property {'ok' | 'conflict' | 'unknown'} outcome a read without an answer is not recorded
 * @property {number} from the value whose revision a write named; 0 where it named none
 * @property {number} value each write has its own; 0: the document is not there
 * @property {boolean} deleted
 * @property {string} [rev] of what was read or written
 *
 * @typedef {{ start: number, end: number, database: string, sequence: number }} Reading of a database's update sequence
 * @typedef {{ feed: string, database: string, seq: string | number, id: string, revs: string[], deleted: boolean }} Row of a feed
 */
class History {
  /** @type {Operation[]} */
  operations = []
  /** @type {Reading[]} */
  readings = []
  /** @type {Row[]} in the order in which each feed had them */
  rows = []
  /** `503` → how many answers had it; `none`: without an answer @type {Map<string, number>} */
  answers = new Map()
  /** Answers that nobody should get. @type {string[]} */
  odd = []
  #value = 0

  /** Nanoseconds of a clock that never goes back. */
  get now () { return Number(process.hrtime.bigint()) }

  /** A value that no other write has. */
  get nextValue () { return ++this.#value }

  /** @param {import('./connection').Answer | null} answer */
  count (what, answer) {
    const name = String(answer?.status ?? 'none')
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1)
    if (answer === null) return
    if (answer.body.unparsable !== undefined) this.#note(`${what}: ${answer.status} ${answer.body.unparsable}`)
    else if (answer.status >= 500 && answer.status !== 503) this.#note(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
    else if (answer.status === 503 && answer.headers['retry-after'] === undefined) this.#note(`${what}: 503 without Retry-After ${JSON.stringify(answer.body)}`)
    else if (answer.status === 507 || [401, 403, 400, 405, 412].includes(answer.status)) this.#note(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }

  #note (text) {
    if (this.odd.length < 1000) this.odd.push(text)
  }
}

module.exports = { History }
