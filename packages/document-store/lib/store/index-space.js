'use strict'

const { afterRead, nextPage } = require('../reading/cursor')

/**
 * The space in which indexes keep their rows: in the database's own level, below its prefix, so that they go
 * when the database goes. Batches are atomic. On LevelDB they are not flushed by themselves: its log is in
 * order, so what a power cut takes is the latest, and an index knows how far it had come.
 */
class IndexSpace {
  #core

  /** @param {import('./core').Core} core */
  constructor (core) {
    this.#core = core
    this.prefix = core.layout.indexes
    this.keyspace = core.keyspace.unsynced()
  }

  assertOpen () { this.#core.assertOpen() }

  /**
   * Reads the next page of an iterator of the keyspace; CLOSED if the store was closed meanwhile.
   *
   * @param {any} iterator
   * @param {number} size
   */
  nextPage (iterator, size) { return nextPage(this.#core, iterator, size) }

  /**
   * Lets others have their turn, now and then, after entries that were read at once.
   *
   * @param {number} length how many
   * @returns {void | Promise<void>} a promise where it is time
   */
  afterRead (length) { return afterRead(this.#core, length) }

  /**
   * Registers what has to end before the store is closed.
   *
   * @param {() => Promise<void>} close
   * @returns {() => Promise<void>} does it, once
   */
  hold (close) { return this.#core.hold(close) }
}

module.exports = { IndexSpace }
