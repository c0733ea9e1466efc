'use strict'

/** More than are open at the same time as a rule. */
const MOST = 64

/**
 * Handles that were closed, to be used again. V8 frees handles in its slow collections only, so that new
 * ones for each short read would make those longer and longer.
 */
class SpareHandles {
  /** @type {unknown[]} */
  #spare = []
  /** @type {unknown} */
  #closed

  /** @returns {unknown} undefined: a new one has to be made */
  take () { return this.#spare.pop() }

  /**
   * Takes a handle that was closed, once.
   *
   * @param {unknown} handle
   * @returns {unknown} a handle that stays closed, for whoever had that one
   */
  put (handle) {
    if (this.#closed === undefined) this.#closed = handle
    else if (handle !== this.#closed && this.#spare.length < MOST) this.#spare.push(handle)
    return this.#closed
  }
}

module.exports = { SpareHandles }
