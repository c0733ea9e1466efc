'use strict'

/** How often the other side is asked whether it is there, milliseconds. */
const PULSE = 1000

/** How many questions may stay without an answer. */
const MOST = 4

/**
 * Ends a session whose other side says nothing any more: half-open connections stay open for hours.
 *
 * @param {import('node:http2').Http2Session} session
 */
function keepPulse (session) {
  let unanswered = 0
  const timer = setInterval(() => {
    if (unanswered++ >= MOST) session.destroy()
    else if (!session.destroyed) session.ping(() => { unanswered = 0 })
  }, PULSE).unref()
  session.once('close', () => clearInterval(timer))
}

module.exports = { keepPulse }
