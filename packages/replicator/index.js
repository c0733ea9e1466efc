'use strict'

const { AttachmentContent } = require('./lib/replication/attachment-content')
const { openRemote } = require('./lib/remote/open-remote')
const { documentPath } = require('./lib/request/paths')
const { shownGiven, stripCredentials } = require('./lib/request/endpoint')
const { Replicator } = require('./lib/jobs/replicator')
const { defaults } = require('./lib/request/replicator-settings')

module.exports = { AttachmentContent, Replicator, defaults, documentPath, openRemote, shownGiven, stripCredentials }
