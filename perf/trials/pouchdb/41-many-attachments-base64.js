'use strict'

const { manyAttachments } = require('../../lib/pouchdb/attachments')

module.exports = manyAttachments('many-attachments-base64', {})
