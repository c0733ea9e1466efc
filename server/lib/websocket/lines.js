'use strict'

const LINE_END = 10

/** Splits bytes that come in pieces into lines, and reports when the lines of a piece are sent. */
class Lines {
  #onLine
  /** The beginning of a line. @type {Buffer[]} */
  #rest = []
  /** @type {Buffer} */
  #last = Buffer.alloc(0)

  /** @param {(line: Buffer) => ((done: () => void) => void) | null} onLine returns a function that sends the line, or null if there is nothing to send */
  constructor (onLine) { this.#onLine = onLine }

  /** The last line that was not empty. */
  get last () { return this.#last.toString() }

  /** @param {Buffer} piece @param {() => void} taken is called when there is room for more */
  add (piece, taken) {
    let start = 0
    let send = null
    for (let end; (end = piece.indexOf(LINE_END, start)) !== -1; start = end + 1) {
      send?.(() => {})
      send = this.#line(piece.subarray(start, end))
    }
    if (start < piece.length) this.#rest.push(piece.subarray(start))
    if (send === null) taken()
    else send(taken)
  }

  /** @param {Buffer} end */
  #line (end) {
    const line = this.#rest.length === 0 ? end : Buffer.concat([...this.#rest, end])
    this.#rest = []
    if (line.length > 0) this.#last = line
    return this.#onLine(line)
  }

  /** Passes on a last line that has no line end. */
  end () { if (this.#rest.length > 0) this.#line(Buffer.alloc(0))?.(() => {}) }
}

module.exports = { Lines }
