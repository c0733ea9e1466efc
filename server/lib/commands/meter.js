'use strict'

const { SingleBar } = require('cli-progress')

/** Milliseconds between lines, where no bar can be drawn. */
const BETWEEN_LINES = 5000

/** How far a command is: a bar on a terminal, a line now and then elsewhere. */
class Meter {
  #stream
  #verb
  /** @type {SingleBar | null} */
  #bar = null
  #saidAt = Date.now()

  /**
   * @param {any} stream standard error
   * @param {string} verb `Backing up`
   */
  constructor (stream, verb) {
    this.#stream = stream
    this.#verb = verb
    if (!stream.isTTY) return
    this.#bar = new SingleBar({ stream, format: '{verb} [{bar}] {words}', hideCursor: true, clearOnComplete: true })
    this.#bar.start(1, 0, { verb, words: '' })
  }

  /**
   * @param {number} done
   * @param {number} total as far as is known; 0 where it is not
   * @param {string} words
   */
  update (done, total, words) {
    if (this.#bar !== null) {
      this.#bar.setTotal(Math.max(total, 1))
      this.#bar.update(total === 0 ? 0 : Math.min(done, total), { verb: this.#verb, words })
    } else if (Date.now() - this.#saidAt >= BETWEEN_LINES) {
      this.#saidAt = Date.now()
      this.#stream.write(`${this.#verb}: ${words}\n`)
    }
  }

  stop () { this.#bar?.stop() }
}

module.exports = { Meter }
