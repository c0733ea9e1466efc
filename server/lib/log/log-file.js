'use strict'

const fs = require('node:fs')
const path = require('node:path')
const pino = require('pino')

/** Characters that may wait for a slow disk. */
const MOST_WAITING = 64 * 1024 * 1024

/**
 * A file that is written to without waiting for it. Lines that it cannot take, since the disk is full or
 * the file has gone, are lost: a log must not stop a server. That is said once.
 */
class LogFile {
  #file
  #stream
  #complained = false
  /** The file before the last reopening. */
  #former = Promise.resolve()

  /**
   * @param {string} file made where there is none, for its owner to read; so is its folder
   * @throws where it cannot be opened
   */
  constructor (file) {
    this.#file = file
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    this.#stream = this.#open()
  }

  #open () {
    const stream = pino.destination({ dest: fs.openSync(this.#file, 'a', 0o600), sync: false, maxLength: MOST_WAITING })
    stream.on('error', error => this.#complain(error))
    stream.on('drop', () => this.#complain(new Error('the disk does not keep up')))
    return stream
  }

  /** @param {any} error */
  #complain (error) {
    if (this.#complained) return
    this.#complained = true
    process.stderr.write(`potoroo: the log loses lines: ${error.message}\n`)
  }

  /** @param {string} text whole lines */
  write (text) { this.#stream.write(text) }

  /** The file of this name from now on: what rotates logs has renamed the old one. */
  reopen () {
    this.#complained = false
    const old = this.#stream
    try {
      this.#stream = this.#open()
    } catch (error) {
      return this.#complain(error)
    }
    this.#former = this.#finish(old)
  }

  async close () {
    await this.#former
    await this.#finish(this.#stream)
  }

  /** Resolves once what was still to be written is, or cannot be. @param {import('node:events').EventEmitter & { end: () => void }} stream */
  #finish (stream) {
    return /** @type {Promise<void>} */ (new Promise(resolve => {
      for (const event of ['close', 'error']) stream.once(event, () => resolve())
      stream.end()
    }))
  }
}

module.exports = { LogFile }
