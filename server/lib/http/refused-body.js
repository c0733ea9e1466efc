'use strict'

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** How long a client may go on sending what was refused, milliseconds. */
const PATIENCE = 30_000

/**
 * After a refusal that came before the body was whole: what still comes is thrown away, so that
 * the client gets to read its answer (who closes at once answers with a reset), but not for ever.
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
