'use strict'

module.exports = require('../../lib/http/view').rowsOfView('ages', 'startkey=20&endkey=80', { rows: 1, unit: 'request' })
