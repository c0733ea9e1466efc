'use strict'

/** Requests that begin in one turn of the event loop. */
const MOST = 32

/**
 * Spreads the requests of HTTP/2 over turns of the event loop. One read of a connection may bring a thousand, and a
 * flood resets each at once: a request that was reset before its turn is dropped.
 *
 * @param {(req: any, res: any) => void} handle
 * @returns {(req: any, res: any) => void}
 */
function inTurns (handle) {
  const turns = new Turns(handle)
  return (req, res) => turns.add(req, res)
}

/** Requests of one server that wait for a turn. */
class Turns {
  #handle
  /** @type {Array<[any, any]>} */
  #waiting = []
  /** Requests that have begun in this turn. */
  #begun = 0
  #isScheduled = false

  /** @param {(req: any, res: any) => void} handle */
  constructor (handle) {
    this.#handle = handle
  }

  /** @param {any} req @param {any} res */
  add (req, res) {
    if (this.#begun < MOST && this.#waiting.length === 0) this.#begin(req, res)
    else this.#waiting.push([req, res])
    this.#schedule()
  }

  /** @param {any} req @param {any} res */
  #begin (req, res) {
    if (isReset(res)) return
    this.#begun++
    this.#handle(req, res)
  }

  #schedule () {
    if (this.#isScheduled || (this.#begun === 0 && this.#waiting.length === 0)) return
    this.#isScheduled = true
    setImmediate(() => this.#turn())
  }

  #turn () {
    this.#isScheduled = false
    this.#begun = 0
    while (this.#begun < MOST && this.#waiting.length > 0) {
      const [req, res] = /** @type {[any, any]} */ (this.#waiting.shift())
      this.#begin(req, res)
    }
    this.#schedule()
  }
}

/** A stream that has closed before it was answered was reset by its client. @param {any} res */
function isReset ({ stream }) { return stream === undefined || stream.closed || stream.destroyed }

module.exports = { inTurns }
