'use strict'

const { pullReplication } = require('../../lib/pouchdb/pull')

module.exports = pullReplication('pull-replication-one-generation', 1)
