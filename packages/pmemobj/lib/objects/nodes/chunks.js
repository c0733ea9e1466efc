'use strict'

/** No number. */
const NONE = -1

/** Numbers of chunks. There is mostly one. */
class Chunks {
  #first = NONE
  /** @type {Set<number> | undefined} */
  #others

  /** @param {number} number */
  add (number) {
    if (this.#first === NONE) this.#first = number
    else if (this.#first !== number) (this.#others ??= new Set()).add(number)
  }

  clear () {
    this.#first = NONE
    this.#others = undefined
  }

  /** @param {(number: number) => void} visit */
  forEach (visit) {
    if (this.#first !== NONE) visit(this.#first)
    this.#others?.forEach(visit)
  }
}

module.exports = { Chunks }
