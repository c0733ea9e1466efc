'use strict'

module.exports = require('../../lib/level/writers').putBy(100)
