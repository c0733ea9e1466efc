'use strict'

const { Replicator } = require('./lib/replicator')

module.exports = { Replicator }
