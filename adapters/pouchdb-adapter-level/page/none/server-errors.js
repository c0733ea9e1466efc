'use strict'

/** A page is no server. */
const serverErrors = {}

module.exports = { serverErrors }
