'use strict'

const { randomUUID } = require('node:crypto')
const { BETWEEN } = require('../layout')

/** Names that are remembered; then threads begin again. */
const MOST = 200_000

/**
 * The names of terms that threads of the query server have sent for an index. They send each once, as long as they are told the
 * same session.
 */
class Dictionaries {
  session = randomUUID()
  /** @type {Map<string, string[]>} */
  #names = new Map()
  #count = 0

  get isFull () { return this.#count > MOST }

  /**
   * Gives terms their names. They have to come in the order in which a thread sends them.
   *
   * @param {import('./table').SentTerms} terms
   */
  complete (terms) {
    const { dictionary, base, more } = terms
    let names = this.#names.get(dictionary)
    if (names === undefined) this.#names.set(dictionary, names = [])
    if (names.length !== base) throw new Error('Terms of a thread are missing')
    if (more !== null) for (const name of more.split(BETWEEN)) names.push(name)
    this.#count += names.length - base
    Object.assign(terms, { names })
  }
}

module.exports = { Dictionaries }
