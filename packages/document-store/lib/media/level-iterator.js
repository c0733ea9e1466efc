'use strict'

const { fromLevel } = require('./level-errors')

/**
 * An iterator of the level's entries or keys, with the store's own errors.
 *
 * @template T
 */
class LevelIterator {
  #iterator

  /** @param {any} iterator abstract-level's */
  constructor (iterator) { this.#iterator = iterator }

  /** @param {number} size @returns {Promise<T[]>} the next ones: at most that many, none at the end */
  async nextv (size) {
    try {
      return await this.#iterator.nextv(size)
    } catch (error) {
      throw fromLevel(error)
    }
  }

  /** @returns {Promise<T[]>} all that is left */
  async all () {
    try {
      return await this.#iterator.all()
    } catch (error) {
      throw fromLevel(error)
    }
  }

  /**
   * Leaves out the next ones, where the level does that in logarithmic time.
   *
   * @param {number} count
   * @returns {boolean} false: they are to be read
   */
  skip (count) {
    try {
      return typeof this.#iterator.skip === 'function' && this.#iterator.skip(count)
    } catch (error) {
      throw fromLevel(error)
    }
  }

  /** Goes to a place in the range. @param {string} key */
  seek (key) { this.#iterator.seek(key) }

  /** @returns {Promise<void>} */
  close () { return this.#iterator.close() }
}

module.exports = { LevelIterator }
