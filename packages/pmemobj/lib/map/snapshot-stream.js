'use strict'

const { Readable } = require('node:stream')
const binding = require('../binding/binding')
const { SnapshotWalk } = require('./snapshot-walk')

/**
 * A snapshot of a pool, written out as bytes. The snapshot is taken at once, and let go when the
 * stream has ended or was destroyed. Between two chunks the event loop runs, whatever reads.
 */
class SnapshotStream extends Readable {
  #walk
  #chunks
  #onProgress
  #estimate
  #bytes = 0

  /**
   * @param {unknown} pool handle
   * @param {import('../..').DumpOptions} options a backup's are among them
   * @param {(walk: SnapshotWalk, options: import('../..').DumpOptions) => Generator<Buffer>} format
   */
  constructor (pool, options, format) {
    const { onProgress, signal } = options
    if (onProgress !== undefined && typeof onProgress !== 'function') throw new TypeError('onProgress must be a function')
    super({ signal })
    this.#onProgress = onProgress
    this.#walk = new SnapshotWalk(pool, options)
    this.#estimate = binding.stats(pool).used
    this.#chunks = format(this.#walk, options)
  }

  /** How far it has come, as `onProgress` gets it. */
  get progress () {
    return { ...this.#walk.progress, bytes: this.#bytes, estimate: this.#estimate }
  }

  _read () {
    setImmediate(() => this.#next())
  }

  #next () {
    if (this.destroyed) return
    try {
      const { value = null } = this.#chunks.next()
      if (value !== null) this.#bytes += value.length
      this.#onProgress?.(this.progress)
      this.push(value)
    } catch (error) {
      this.destroy(error)
    }
  }

  /** @param {Error | null} error @param {(error?: Error | null) => void} callback */
  _destroy (error, callback) {
    // Undefined where the constructor has thrown.
    this.#walk?.close()
    callback(error)
  }
}

module.exports = { SnapshotStream }
