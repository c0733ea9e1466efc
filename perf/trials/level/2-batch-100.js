'use strict'

module.exports = require('../../lib/level/batch').batchOf(100)
