'use strict'

const LINE_END = 10

/** Gives lines of bytes that come in pieces, and says of a piece when its lines are sent. */
class Lines {
  #onLine
  /** The beginning of a line. @type {Buffer[]} */
  #rest = []
  /** @type {Buffer} */
  #last = Buffer.alloc(0)

  /** @param {(line: Buffer) => ((done: () => void) => void) | null} onLine returns what sends a line; null where that takes no time */
  constructor (onLine) { this.#onLine = onLine }

  /** The last line that had something in it. */
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

  /** Gives a last line that does not end. */
  end () { if (this.#rest.length > 0) this.#line(Buffer.alloc(0))?.(() => {}) }
}

module.exports = { Lines }
