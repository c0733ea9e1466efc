'use strict'

module.exports = require('../../lib/http/rows').rowsOf('_all_docs', 'rows')
