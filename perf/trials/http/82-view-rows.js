'use strict'

module.exports = require('../../lib/http/view').rowsOfView('names', 'sorted=true')
