'use strict'

const { PmemLevel } = require('./lib/pmem-level')

module.exports = PmemLevel
module.exports.PmemLevel = PmemLevel
