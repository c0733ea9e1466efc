'use strict'

/**
 * Makes of rows what the host is sent. The thread loads a module that has `makeEncoder (options)`, so that
 * the host has nothing to do with rows but to store them.
 *
 * @typedef {object} RowEncoder
 * @property {(views: Array<Array<[any, any]> | null>) => void} add takes rows of a document, for each function;
 *   null: it has none, nor those that came before
 * @property {(send: (part: RowPart) => void) => void} end the document has no more; sends what has come together
 * @property {() => RowPart | undefined} rest what is not sent yet
 *
 * @typedef {{ documents: number, emits: number, [name: string]: any }} RowPart what a message can hold; documents: how many
 *   of them have their last rows in it; emits: how many rows
 */

const PLUS = '+'

/** Takes what the prelude says of rows (see prelude-map.js) to an encoder. Anything else is told at the end. */
class RowGatherer {
  #encoder
  #functions
  #send
  #isSound = true
  #goesOn = false

  /**
   * @param {RowEncoder} encoder
   * @param {number} functions how many there are
   * @param {(part: RowPart) => void} send
   */
  constructor (encoder, functions, send) {
    this.#encoder = encoder
    this.#functions = functions
    this.#send = send
  }

  /** @param {string} json a piece */
  take (json) {
    if (!this.#isSound) return
    try {
      for (const item of JSON.parse(json)) this.#takeItem(item)
    } catch {
      // A function that changes what JSON is made with gets an error.
      this.#isSound = false
    }
  }

  /** @param {unknown} item */
  #takeItem (item) {
    if (item === 0) {
      this.#goesOn = true
      return
    }
    if (!Array.isArray(item) || item.length !== this.#functions || !item.every(areRows)) throw new TypeError('These are no rows')
    this.#encoder.add(item)
    if (!this.#goesOn) this.#encoder.end(this.#send)
    this.#goesOn = false
  }

  /**
   * @param {string | undefined} text the prelude's answer; undefined where the engine broke
   * @returns {{ text?: string, part?: RowPart }} the same without the rows
   */
  finish (text) {
    if (text === undefined) return { part: this.#encoder.rest() }
    const start = text.indexOf('\n') + 1
    if (text[start] !== PLUS) return { text }
    this.take(text.slice(start + 1))
    return { text: `${text.slice(0, start + 1)}${this.#isSound}`, part: this.#encoder.rest() }
  }
}

/** @param {unknown} rows */
function areRows (rows) {
  return rows === null || (Array.isArray(rows) && rows.every(row => Array.isArray(row) && row.length === 2))
}

module.exports = { RowGatherer }
