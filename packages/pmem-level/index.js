'use strict'

const { down } = require('./lib/leveldown')
const { PmemLevel } = require('./lib/pmem-level')

module.exports = PmemLevel
module.exports.PmemLevel = PmemLevel
module.exports.down = down
