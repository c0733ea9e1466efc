'use strict'

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** Milliseconds for which a client may go on sending a body that was refused. */
const PATIENCE = 30_000

/**
 * Reads the rest of a body without use, after the request was refused before its body was whole. If the connection were closed
 * at once, its client would meet a reset and not read the answer. A client that sends for too long is cut off.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res not ended yet
 */
function discardBody (req, res) {
  if (req.complete || req.httpVersionMajor !== 1) return
  res.once('finish', () => {
    if (req.complete) return
    const timer = setTimeout(() => req.socket.destroy(), PATIENCE).unref()
    req.once('close', () => clearTimeout(timer))
  })
}

module.exports = { discardBody }
