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
  /** @type {Array<[any, any]>} */
  const waiting = []
  let begun = 0
  let isScheduled = false

  /** @param {any} req @param {any} res */
  function begin (req, res) {
    if (isReset(res)) return
    begun++
    handle(req, res)
  }

  function turn () {
    isScheduled = false
    begun = 0
    while (begun < MOST && waiting.length > 0) {
      const [req, res] = /** @type {[any, any]} */ (waiting.shift())
      begin(req, res)
    }
    schedule()
  }

  function schedule () {
    if (isScheduled || (begun === 0 && waiting.length === 0)) return
    isScheduled = true
    setImmediate(turn)
  }

  return (req, res) => {
    if (begun < MOST && waiting.length === 0) begin(req, res)
    else waiting.push([req, res])
    schedule()
  }
}

/** A stream that has closed before it was answered was reset by its client. @param {any} res */
function isReset ({ stream }) { return stream === undefined || stream.closed || stream.destroyed }

module.exports = { inTurns }
