'use strict'

/** Parts that may wait: one to be taken when the one before is written. */
const ROOM = 1

/**
 * The queue between the maker of rows and their writer. The one that is ahead waits.
 *
 * @template T
 */
class RunQueue {
  /** @type {T[]} */
  #parts = []
  #ended = false
  /** @type {any} */
  #error
  #closed = false
  #wakeReader = () => {}
  #wakeWriter = () => {}

  /** @param {(put: (part: T) => Promise<void>) => unknown} make puts all parts, and waits each time */
  constructor (make) {
    this.#run(make)
  }

  /** @param {(put: (part: T) => Promise<void>) => unknown} make */
  async #run (make) {
    try {
      await make(part => this.#put(part))
    } catch (error) {
      this.#error = error
    }
    this.#ended = true
    this.#wakeReader()
  }

  /** @param {T} part */
  async #put (part) {
    if (this.#closed) return
    this.#parts.push(part)
    this.#wakeReader()
    while (this.#parts.length > ROOM && !this.#closed) await new Promise(resolve => { this.#wakeWriter = () => resolve(undefined) })
  }

  /** Nothing is wanted any more: what is put is lost, and nobody waits. */
  close () {
    this.#closed = true
    this.#parts = []
    this.#wakeWriter()
  }

  /** @returns {AsyncGenerator<T>} */
  async * [Symbol.asyncIterator] () {
    for (;;) {
      const part = this.#parts.shift()
      if (part !== undefined) {
        this.#wakeWriter()
        yield part
      } else if (this.#ended) {
        if (this.#error !== undefined) throw this.#error
        return
      } else {
        await new Promise(resolve => { this.#wakeReader = () => resolve(undefined) })
      }
    }
  }
}

module.exports = { RunQueue }
