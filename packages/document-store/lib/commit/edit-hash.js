'use strict'

const crypto = require('node:crypto')
const { couchHash } = require('./couch-hash')

/**
 * The hash of an edit: equal edits of equal parents get equal hashes.
 *
 * @param {boolean} deleted
 * @param {string | null} parent revision, null for the first
 * @param {Record<string, Attachment>} attachments by name, as stored
 * @param {string} body JSON text without white space
 * @param {true | 'couchdb'} kind `couchdb`: the same edit is the same revision in CouchDB
 * @param {Terms} [terms]
 * @returns {string}
 *
 * @typedef {import('./couch-hash').Terms} Terms
 * @typedef {import('./couch-hash').Attachment} Attachment
 */
function editHash (deleted, parent, attachments, body, kind, terms) {
  return kind === 'couchdb' ? couchHash(deleted, parent, attachments, body, terms) : ownHash(deleted, parent, attachments, body)
}

/**
 * Hashes a text of all that a revision depends on.
 *
 * @param {boolean} deleted
 * @param {string | null} parent
 * @param {Record<string, Attachment>} attachments
 * @param {string} body
 */
function ownHash (deleted, parent, attachments, body) {
  const names = Object.keys(attachments).sort()
  const identity = names.map((name) => JSON.stringify([name, attachments[name].contentType, attachments[name].digest])).join()
  return crypto.hash('md5', `${deleted ? 1 : 0}${parent ?? ''}\n${identity}\n${body}`)
}

/**
 * The hash of an edit in a database with access by document. A user who may see a document is told the hashes of its earlier
 * revisions, and could otherwise try what was in them. With the id in it, nobody learns one by writing the same to a document of their own.
 *
 * @param {string} key a secret of the database
 * @param {string} id
 * @param {string} hash as `editHash` gives it
 */
function keyedHash (key, id, hash) { return crypto.createHmac('sha256', key).update(`revision\n${id}\n${hash}`).digest('hex').slice(0, 32) }

module.exports = { editHash, keyedHash }
