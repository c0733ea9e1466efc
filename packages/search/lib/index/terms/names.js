'use strict'

const { BETWEEN } = require('../layout')
const { TERMS, recordOf } = require('../../postings/records')

/** The names of terms that come or go in a batch, by their records: see ../layout.js. */
class TermNames {
  /** record → names of its terms that change: place → name, empty: it is gone @type {Map<number, Map<number, string>>} */
  #changes = new Map()

  /** @param {number} number of a term @param {string} name empty: it is gone */
  set (number, name) {
    const record = recordOf(number)
    let names = this.#changes.get(record)
    if (names === undefined) this.#changes.set(record, names = new Map())
    names.set(number % TERMS, name)
  }

  /** The records that change, in order. */
  get records () { return [...this.#changes.keys()].sort((a, b) => a - b) }

  /**
   * @param {number} record
   * @param {string | undefined} before what it has
   * @param {(name: string, number: number) => void} onGone is told of terms that are gone
   * @returns {string} what it becomes; empty: no term is left
   */
  changed (record, before, onGone) {
    const names = before === undefined ? [] : before.split(BETWEEN)
    for (const [place, name] of /** @type {Map<number, string>} */ (this.#changes.get(record))) {
      if (name === '') onGone(names[place], TERMS * record + place)
      while (names.length < place) names.push('')
      names[place] = name
    }
    return names.some(name => name !== '') ? names.join(BETWEEN) : ''
  }
}

module.exports = { TermNames }
