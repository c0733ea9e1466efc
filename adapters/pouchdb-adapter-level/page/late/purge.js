'use strict'

const { later } = require('./load')

/** Purges, and tells what was purged. */
const purge = later('purge')
const purges = later('purges')

module.exports = { purge, purges }
