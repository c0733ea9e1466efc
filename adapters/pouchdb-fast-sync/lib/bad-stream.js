'use strict'

/** A stream that no honest and sound server sends. */
class BadStream extends Error {}

module.exports = { BadStream }
