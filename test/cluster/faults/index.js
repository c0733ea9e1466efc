'use strict'

const faults = [...require('./servers').faults, ...require('./engine').faults, ...require('./network').faults]

module.exports = { faults }
