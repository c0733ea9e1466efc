'use strict'

const { isShard, parseMoment } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')

/** A sequence as `formatSequence` makes it. */
const SEQUENCE = /^"?(\d{1,16})-([0-9a-f]{12})"?$/

/** Smaller numbers are sequences: see document-store's `Moment`. Nothing is kept of times before it. */
const LEAST_TIME = 1e11

/**
 * Reads the moment that a request asks for.
 *
 * @param {{ name: string, instanceId: string, shards?: string[] }} database
 * @param {unknown} at a time (ISO 8601, or milliseconds), or an update sequence
 * @returns {number} milliseconds or a sequence, which the document store tells apart
 * @throws bad_request where it is neither, or a sequence of another database
 */
function readMoment (database, at) {
  const match = typeof at === 'string' ? SEQUENCE.exec(at) : null
  if (match !== null && match[2] !== database.instanceId.slice(0, 12)) throw badRequest('`at` is an update sequence of another database')
  // In a query string a plus sign is a space.
  const place = parseMoment(match === null ? typeof at === 'string' ? at.replace(' ', '+') : at : Number(match[1]))
  if ('time' in place) return Math.max(LEAST_TIME, place.time)
  if (isShard(database.name) || database.shards !== undefined) throw badRequest('`at` must be a time: a database of several shards has no sequence of all of them')
  return place.seq
}

module.exports = { readMoment }
