'use strict'

module.exports = require('../../lib/http/view').rowsOfView('ages', 'group=true', { rows: 90, unit: 'request', size: 1000 })
