'use strict'

/** PouchDB edits attachments by its own way, with the document. */
function refuse () { throw new TypeError('Pages edit attachments with their documents') }

module.exports = { putAttachment: refuse, removeAttachment: refuse }
