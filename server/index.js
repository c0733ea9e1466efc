'use strict'

const { potoroo } = require('./lib/app')
const { serve } = require('./lib/serve')

module.exports = potoroo
module.exports.potoroo = potoroo
module.exports.serve = serve
