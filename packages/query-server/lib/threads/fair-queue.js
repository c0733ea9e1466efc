'use strict'

/**
 * Requests that wait for a thread. Owners take turns, so that one with many requests is no hindrance to one
 * with few; what is done in the background goes after all else.
 *
 * @template {{ owner: string, background?: boolean }} T
 */
class FairQueue {
  /** @type {Turns<T>} */
  #urgent = new Turns()
  /** @type {Turns<T>} */
  #background = new Turns()

  /** @param {T} request */
  push (request) { (request.background === true ? this.#background : this.#urgent).push(request) }

  /**
   * @param {boolean} withBackground whether the next one may be of the background
   * @returns {T | undefined}
   */
  take (withBackground) {
    return this.#urgent.take() ?? (withBackground ? this.#background.take() : undefined)
  }

  /**
   * @param {boolean} withBackground
   * @returns {boolean} whether `take` has one
   */
  has (withBackground) { return this.#urgent.size > 0 || (withBackground && this.#background.size > 0) }

  get size () { return this.#urgent.size + this.#background.size }
}

/**
 * Serves those of an owner in their order, and owner after owner.
 *
 * @template {{ owner: string }} T
 */
class Turns {
  /** The owner whose turn it is comes first. @type {Map<string, T[]>} */
  #waiting = new Map()
  size = 0

  /** @param {T} request */
  push (request) {
    this.size++
    const others = this.#waiting.get(request.owner)
    if (others === undefined) this.#waiting.set(request.owner, [request])
    else others.push(request)
  }

  /** @returns {T | undefined} */
  take () {
    const first = this.#waiting.entries().next()
    if (first.done) return undefined
    const [owner, requests] = first.value
    this.#waiting.delete(owner)
    const request = requests.shift()
    if (requests.length > 0) this.#waiting.set(owner, requests)
    this.size--
    return request
  }
}

module.exports = { FairQueue }
