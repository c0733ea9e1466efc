'use strict'

const { once } = require('node:events')

/** Bytes that are gathered before they are written. */
const TOGETHER = 256 * 1024

/** Writes to a stream at its pace, and says what went wrong there. */
class StreamWriter {
  #stream
  /** @type {Buffer[]} */
  #held = []
  #length = 0
  /** @type {Error | null} */
  #error = null
  #signal

  /**
   * @param {import('node:stream').Writable} stream
   * @param {AbortSignal} signal ends a wait for who reads it
   */
  constructor (stream, signal) {
    this.#stream = stream
    this.#signal = signal
    stream.on('error', error => { this.#error = error })
  }

  /** @param {Buffer} bytes */
  async write (bytes) {
    this.#held.push(bytes)
    this.#length += bytes.length
    if (this.#length >= TOGETHER) await this.flush()
  }

  async flush () {
    if (this.#error !== null) throw this.#error
    const all = Buffer.concat(this.#held)
    this.#held = []
    this.#length = 0
    // An error rejects it, too.
    if (!this.#stream.write(all)) await once(this.#stream, 'drain', { signal: this.#signal })
  }

  async end () {
    await this.flush()
    await new Promise((resolve, reject) => this.#stream.once('error', reject).end(resolve))
  }

  destroy () { this.#stream.destroy() }
}

module.exports = { StreamWriter }
