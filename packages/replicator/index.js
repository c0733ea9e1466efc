'use strict'

const { shownGiven, stripCredentials } = require('./lib/endpoint')
const { Replicator } = require('./lib/replicator')
const { defaults } = require('./lib/settings')

module.exports = { Replicator, defaults, shownGiven, stripCredentials }
