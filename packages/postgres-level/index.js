'use strict'

const { PostgresLevel } = require('./lib/postgres-level')

module.exports = PostgresLevel
module.exports.PostgresLevel = PostgresLevel
