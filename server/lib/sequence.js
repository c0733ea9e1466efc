'use strict'

const { createError } = require('@potoroo/errors')

/** How much of a database's instance id goes into its sequences. */
const LENGTH = 12

/**
 * A sequence as clients see it: `N-<instance>`, opaque like CouchDB's. The instance tells a
 * database from an earlier one of the same name, whose sequences mean nothing any more.
 *
 * @param {{ instanceId: string }} database
 * @param {number} sequence
 * @returns {string}
 */
function formatSequence (database, sequence) {
  return `${sequence}-${database.instanceId.slice(0, LENGTH)}`
}

/**
 * A client's `since` as a number. A sequence of another instance is 0: from the start.
 *
 * @param {{ instanceId: string }} database
 * @param {string | number} text `12`, `12-9f…`, also in JSON's quotes
 * @returns {number}
 * @throws bad_request when it is nothing of the kind
 */
function parseSequence (database, text) {
  if (typeof text === 'number' && Number.isSafeInteger(text) && text >= 0) return text
  const match = /^"?(\d{1,16})(?:-([^"]*))?"?$/.exec(String(text).trim())
  if (match === null) throw createError('BAD_REQUEST', { reason: 'Malformed sequence supplied in \'since\' parameter.' })
  const [, number, instance] = match
  if (instance !== undefined && instance !== database.instanceId.slice(0, LENGTH)) return 0
  return Number(number)
}

module.exports = { formatSequence, parseSequence }
