'use strict'

const { badRequest } = require('@potoroo/errors')

/** How much of a database's instance id goes into its sequences. */
const LENGTH = 12

/**
 * A sequence as clients see it: `N-<instance>`, opaque like CouchDB's. The instance tells a
 * database from an earlier one of the same name, whose sequences mean nothing any more.
 *
 * @param {{ instanceId: string }} database
 * @param {number | string} sequence a text of a member's part of a database: that is made already
 * @returns {string}
 */
function formatSequence (database, sequence) {
  if (typeof sequence === 'string') return sequence
  return `${sequence}-${database.instanceId.slice(0, LENGTH)}`
}

/** Ours, that of a member's part of a database, one of several shards (see shards/sequence.js), and a CouchDB's: an Erlang term in base64. */
const SEQUENCE = /^"?(?:(\d{1,16})-([0-9a-f]{12})|(?:\d+-)?[gs][\w-]{10,}|a-[\w~-]{22,})"?$/

/**
 * A client's `since` as a number. A sequence of another instance, or of a CouchDB that the database was
 * copied from, is 0: from the start. A bare number says nothing of its database: only 0 means something.
 *
 * @param {{ instanceId: string, isOfMember?: boolean }} database of a member's part the text itself says it: see document-store
 * @param {string | number} text `12-9f…`, also in JSON's quotes; `0`
 * @returns {any} a number
 * @throws bad_request when it is nothing of the kind
 */
function parseSequence (database, text) {
  if (typeof text === 'number' && Number.isSafeInteger(text) && text >= 0) return database.isOfMember ? 0 : text
  if (text === '0') return 0
  const match = SEQUENCE.exec(String(text).trim())
  if (match === null) throw badRequest('Malformed sequence supplied in \'since\' parameter.')
  if (database.isOfMember) return String(text)
  const [, number, instance] = match
  return instance === database.instanceId.slice(0, LENGTH) ? Number(number) : 0
}

module.exports = { formatSequence, parseSequence }
