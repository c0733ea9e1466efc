'use strict'

/** Pages make PouchDB's revisions; those of CouchDB are for its HTTP face. */
function refuse () { throw new TypeError('Pages make no revisions of CouchDB') }

module.exports = { attachmentsTerm: refuse, bodyTerm: refuse, couchHash: refuse }
