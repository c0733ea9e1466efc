'use strict'

module.exports = require('../../lib/level/scan').scan('scan', { reverse: false })
