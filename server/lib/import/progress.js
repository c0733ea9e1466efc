'use strict'

const { SingleBar } = require('cli-progress')
const { count, duration } = require('./words')

/** Milliseconds between lines, where no bar can be drawn. */
const BETWEEN_LINES = 5000

/** How far an import is: a bar on a terminal, lines elsewhere. */
class Progress {
  #stream
  #name
  /** @type {SingleBar | null} */
  #bar = null
  #startedAt = Date.now()
  #saidAt = Date.now()

  /**
   * @param {any} stream standard error
   * @param {string} name of the database
   */
  constructor (stream, name) {
    this.#stream = stream
    this.#name = name
    if (!stream.isTTY) return
    this.#bar = new SingleBar({ stream, format: '{name} [{bar}] {percentage} % | {documents} documents | {rate}/s | {left}', hideCursor: true, clearOnComplete: true })
    this.#bar.start(1, 0, { name, documents: '0', rate: '0', left: '' })
  }

  /** @param {{ documents: number, done: number, left: number }} state */
  update (state) {
    const payload = this.#describe(state)
    if (this.#bar !== null) {
      this.#bar.setTotal(Math.max(1, state.done + state.left))
      this.#bar.update(state.done, payload)
    } else if (Date.now() - this.#saidAt >= BETWEEN_LINES) {
      this.#saidAt = Date.now()
      const share = Math.floor(100 * state.done / Math.max(1, state.done + state.left))
      this.#stream.write(`${this.#name}: ${share} %, ${payload.documents} documents, ${payload.rate}/s, ${payload.left}\n`)
    }
  }

  /** @param {{ documents: number, done: number, left: number }} state */
  #describe ({ documents, done, left }) {
    const seconds = (Date.now() - this.#startedAt) / 1000
    return {
      documents: count(documents),
      rate: count(Math.round(documents / Math.max(seconds, 0.001))),
      left: done === 0 ? '' : `about ${duration(seconds * left / done)} left`
    }
  }

  /** @param {string} message something that happened on the way */
  say (message) {
    if (this.#bar !== null) this.#stream.write('\r\x1b[K')
    this.#stream.write(`${this.#name}: ${message}\n`)
  }

  stop () { this.#bar?.stop() }
}

module.exports = { Progress }
