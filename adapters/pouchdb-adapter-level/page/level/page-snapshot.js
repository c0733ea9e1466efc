'use strict'

const { notOpen } = require('./transaction')

/** The state after a commit, for those who read it. */
class PageSnapshot {
  #view
  #forget
  #readers = 0
  #isClosed = false

  /** @param {import('./view').View} view @param {() => void} forget called once it is closed and nobody reads it */
  constructor (view, forget) {
    this.#view = view
    this.#forget = forget
  }

  /**
   * Reads it. If it is closed meanwhile, it is kept to the end.
   *
   * @template T
   * @param {(view: import('./view').View) => Promise<T>} read
   * @throws LEVEL_SNAPSHOT_NOT_OPEN
   */
  async during (read) {
    if (this.#isClosed) throw notOpen('Snapshot is not open', undefined, 'LEVEL_SNAPSHOT_NOT_OPEN')
    this.#readers++
    try {
      return await read(this.#view)
    } finally {
      this.#readers--
      this.#end()
    }
  }

  async close () {
    this.#isClosed = true
    this.#end()
  }

  #end () {
    if (this.#isClosed && this.#readers === 0) this.#forget()
  }
}

module.exports = { PageSnapshot }
