'use strict'

/** Runs tasks of an index one at a time. Its store is not closed meanwhile. */
class OneByOne {
  #space
  #last = Promise.resolve()

  /** @param {import('../rows/row-layout').IndexSpace} space */
  constructor (space) { this.#space = space }

  /**
   * @template T
   * @param {() => Promise<T>} task
   * @returns {Promise<T>}
   */
  async run (task) {
    const running = this.#last.then(task)
    const settled = running.then(() => {}, () => {})
    this.#last = settled
    const release = this.#space.hold(() => settled)
    try {
      return await running
    } finally {
      await release()
    }
  }
}

module.exports = { OneByOne }
