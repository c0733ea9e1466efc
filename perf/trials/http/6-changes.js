'use strict'

module.exports = require('../../lib/http/rows').rowsOf('_changes', 'results')
