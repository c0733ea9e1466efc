'use strict'

const { carryExact, markedOf } = require('@potoroo/document-store')
const { copyJson } = require('./nodes')

/**
 * The integers of a document that JavaScript's numbers cannot hold, as they were stored: they are written again so, and not as
 * the numbers that programs see.
 */
class Integers {
  /** Their marks, by the number that they have become; null where two have become the same. @type {Map<number, string | null>} */
  #marks = new Map()

  /**
   * Takes those of a stored document.
   *
   * @param {any} stored by `toObject`, exact
   */
  load (stored) {
    this.#marks.clear()
    const marked = markedOf(stored)
    if (marked === stored) return
    const rest = [[stored, marked]]
    for (const [value, mark] of rest) {
      for (const name of Object.keys(value)) {
        if (typeof value[name] === 'object' && value[name] !== null) rest.push([value[name], mark[name]])
        else if (typeof value[name] === 'number' && typeof mark[name] === 'string') this.#add(value[name], mark[name])
      }
    }
  }

  /** @param {number} number @param {string} mark */
  #add (number, mark) {
    const known = this.#marks.get(number)
    this.#marks.set(number, known === undefined || known === mark ? mark : null)
  }

  /** Has a state that is to be stored carry them. @param {Record<string, any>} state */
  carry (state) {
    if (this.#marks.size === 0) return
    carryExact(state, copyJson(state, raw => raw, value => typeof value === 'number' ? this.#marks.get(value) ?? value : value))
  }
}

module.exports = { Integers }
