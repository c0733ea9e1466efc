'use strict'

const { shownGiven, stripCredentials } = require('./lib/request/endpoint')
const { Replicator } = require('./lib/jobs/replicator')
const { defaults } = require('./lib/request/replicator-settings')

module.exports = { Replicator, defaults, shownGiven, stripCredentials }
