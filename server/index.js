'use strict'

const { potoroo } = require('./lib/dispatch/middleware')
const { serve } = require('./lib/start/serve')

module.exports = potoroo
module.exports.potoroo = potoroo
module.exports.serve = serve
