'use strict'

/** Pages store attachments as they come: PouchDB has no way to give one that is compressed already. */
async function encodeAttachments () {}

module.exports = { encodeAttachments }
