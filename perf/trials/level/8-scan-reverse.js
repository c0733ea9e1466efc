'use strict'

module.exports = require('../../lib/level/scan').scan('scan in reverse', { reverse: true })
