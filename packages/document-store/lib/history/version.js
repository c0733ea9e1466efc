'use strict'

const { decodeHash } = require('../revision-tree/revision')
const { decodeOrigin } = require('../media/record')

/**
 * The layout of a version of a document that another one has replaced, at `h id \0 sequence`, the sequence of the
 * change that made it:
 *
 *   flag until ' ' time ' ' winner ' ' origin [ '\n' payload ]
 *
 *   flag    '0' live, '1' deleted
 *   until   decimal, the sequence of the change that replaced it
 *   time    of that change: milliseconds in base 36
 *   winner  the revision that won, encoded
 *   origin  time and user of the change that made it: see media/record.js
 *   payload of the winner; not there if the next version has the same winner
 *
 * @typedef {object} Version what a document was from one change to the next
 * @property {number} seq of the change that made it
 * @property {number} time of that change; 0 where it is not known
 * @property {string | null} user who made it
 * @property {boolean} deleted
 * @property {string} rev that won
 * @property {string | null} payload null if the next version has the same
 * @property {number} until the sequence from which on it was another one; Infinity of the present one
 * @property {number} untilTime when that was
 */

/**
 * @param {import('../media/record').DocumentRecord} record of the version that is replaced
 * @param {number} until
 * @param {number} time
 * @param {boolean} isRepeated whether the next version has the same winner
 */
function encodeVersion (record, until, time, isRepeated) {
  const head = `${record.deleted ? 1 : 0}${until} ${time.toString(36)} ${record.winner} ${record.origin}`
  return isRepeated ? head : `${head}\n${record.payload}`
}

/** @param {number} seq @param {string} text @returns {Version} */
function decodeVersion (seq, text) {
  const line = text.indexOf('\n')
  const [until, untilTime, winner, origin] = (line === -1 ? text : text.slice(0, line)).split(' ')
  return {
    seq,
    ...decodeOrigin(origin),
    deleted: until.charCodeAt(0) === 49,
    rev: decodeHash(winner),
    payload: line === -1 ? null : text.slice(line + 1),
    until: Number(until.slice(1)),
    untilTime: parseInt(untilTime, 36)
  }
}

/**
 * Returns the version that a document has now.
 *
 * @param {import('../media/record').DocumentRecord} record
 * @returns {Version & { payload: string }}
 */
function presentVersion (record) {
  const { seq, deleted, rev, payload } = record
  return { seq, ...decodeOrigin(record.origin), deleted, rev, payload, until: Infinity, untilTime: Infinity }
}

module.exports = { decodeVersion, encodeVersion, presentVersion }
