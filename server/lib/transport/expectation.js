'use strict'

/**
 * `Expect: 100-continue`: the client is told to go on when a handler begins to read its body, and
 * not before, so that what is refused from the start is not sent.
 *
 * @param {any} req
 * @param {any} res
 */
function continueWhenRead (req, res) {
  const keepsAlive = res.shouldKeepAlive
  // Refused, the client may send its body all the same, or not: nobody can tell it from what
  // follows on this connection.
  res.shouldKeepAlive = false
  const read = req._read
  req._read = function (/** @type {number} */ size) {
    req._read = read
    if (!res.headersSent && !res.destroyed) {
      res.shouldKeepAlive = keepsAlive
      res.writeContinue()
    }
    return read.call(req, size)
  }
}

module.exports = { continueWhenRead }
