'use strict'

const { QueryServer } = require('./lib/query-server')

module.exports = { QueryServer }
