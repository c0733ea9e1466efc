'use strict'

const { conflicts } = require('./lib/nodes/document-node')
const { openDocuments } = require('./lib/open-documents')

module.exports = { conflicts, openDocuments }
