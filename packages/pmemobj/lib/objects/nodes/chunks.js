'use strict'

/** Numbers of chunks. Most objects have only the first. */
class Chunks {
  #first = false
  /** @type {Set<number> | undefined} */
  #others

  /** @param {number} number */
  add (number) {
    if (number === 0) this.#first = true
    else (this.#others ??= new Set()).add(number)
  }

  clear () {
    this.#first = false
    this.#others = undefined
  }

  /** @param {(number: number) => void} visit */
  forEach (visit) {
    if (this.#first) visit(0)
    this.#others?.forEach(visit)
  }
}

module.exports = { Chunks }
