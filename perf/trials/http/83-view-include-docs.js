'use strict'

module.exports = require('../../lib/http/view').rowsOfView('names', 'include_docs=true')
