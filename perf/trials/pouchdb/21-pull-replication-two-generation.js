'use strict'

const { pullReplication } = require('../../lib/pouchdb/pull')

module.exports = pullReplication('pull-replication-two-generation', 2)
