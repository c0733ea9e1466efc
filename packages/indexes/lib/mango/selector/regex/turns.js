'use strict'

/**
 * Work of several askers: each has one piece under way at most, and the next is of whoever has waited longest since
 * their last.
 *
 * @template T
 */
class Turns {
  /** Askers who wait or have something under way, in the order of their turns. @type {Map<unknown, { waiting: T[], isServed: boolean }>} */
  #askers = new Map()
  #length = 0

  /** Pieces that wait. */
  get length () { return this.#length }

  /** @param {unknown} asker @returns {number} pieces of theirs that wait */
  lengthOf (asker) { return this.#askers.get(asker)?.waiting.length ?? 0 }

  /** @param {unknown} asker @param {T} piece */
  add (asker, piece) {
    const known = this.#askers.get(asker)
    if (known === undefined) this.#askers.set(asker, { waiting: [piece], isServed: false })
    else known.waiting.push(piece)
    this.#length++
  }

  /** Takes the next piece, which is under way until `end`. @returns {{ asker: unknown, piece: T } | undefined} */
  next () {
    for (const [asker, known] of this.#askers) {
      if (known.isServed) continue
      known.isServed = true
      this.#length--
      return { asker, piece: /** @type {T} */ (known.waiting.shift()) }
    }
    return undefined
  }

  /** Pieces that `next` would give, one after the other. */
  get due () { return [...this.#askers.values()].filter(({ isServed }) => !isServed).length }

  /** @param {unknown} asker whose piece is done */
  end (asker) {
    const known = /** @type {{ waiting: T[], isServed: boolean }} */ (this.#askers.get(asker))
    this.#askers.delete(asker)
    if (known.waiting.length > 0) this.#askers.set(asker, { waiting: known.waiting, isServed: false })
  }
}

module.exports = { Turns }
