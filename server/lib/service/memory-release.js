'use strict'

const { releaseMemory } = require('@potoroo/storage')

/** Milliseconds between two looks. */
const EVERY = 5000

/** Bytes that the process has grown by since memory was given back last. */
const GROWTH = 64 * 2 ** 20

/** To give memory back takes no more than this part of the time. */
const SHARE = 1 / 1000

/**
 * Gives memory back that was freed: the C library keeps what thousands of buffers of an attack or
 * of long attachments have left between others.
 */
class MemoryRelease {
  #timer
  #release
  #sizeOf
  #before
  #notBefore = 0

  /**
   * @param {object} [options]
   * @param {() => boolean} [options.release]
   * @param {() => number} [options.sizeOf] bytes of the process
   */
  constructor ({ release = releaseMemory, sizeOf = process.memoryUsage.rss } = {}) {
    this.#release = release
    this.#sizeOf = sizeOf
    this.#before = sizeOf()
    this.#timer = setInterval(() => this.look(), EVERY).unref()
  }

  /** @returns {boolean} whether it was time to give some back */
  look () {
    const start = performance.now()
    if (start < this.#notBefore || this.#sizeOf() < this.#before + GROWTH) return false
    this.#release()
    const end = performance.now()
    this.#notBefore = end + (end - start) / SHARE
    this.#before = this.#sizeOf()
    return true
  }

  stop () { clearInterval(this.#timer) }
}

module.exports = { MemoryRelease }
