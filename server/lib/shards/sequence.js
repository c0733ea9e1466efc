'use strict'

const { badRequest } = require('@potoroo/errors')

/** @typedef {import('@potoroo/document-store').ShardedDatabase} ShardedDatabase */

/**
 * A sequence of a database of several shards: `N-s…`, with the sum of the shards' sequences, and in base64url
 *
 *   6 bytes  the beginning of the instance id
 *   …        the sequence of each shard, in groups of 7 bits, the lowest first, the last one below 128
 */

const INSTANCE = 6

/** A sequence of a shard, as it says it. */
const OF_SHARD = /^"?(\d{1,16})-/

/** Ours, of one in one piece, and a CouchDB's. */
const FORM = /^"?(?:(?:\d+-)?s([\w-]{8,})|\d{1,16}-[0-9a-f]{12}|(?:\d+-)?g[\w-]{10,})"?$/

/** @param {ShardedDatabase} database @param {number[]} sequences of the shards @returns {string} */
function formatVector ({ instanceId }, sequences) {
  const bytes = [...Buffer.from(instanceId.slice(0, 2 * INSTANCE), 'hex')]
  let sum = 0
  for (const sequence of sequences) {
    sum += sequence
    let rest = sequence
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
  }
  return `${sum}-s${Buffer.from(bytes).toString('base64url')}`
}

/**
 * The shards' sequences of a client's `since`; all 0 where it is one of another database.
 *
 * @param {ShardedDatabase} database
 * @param {string} text
 * @returns {number[]}
 * @throws bad_request where it is no sequence
 */
function parseVector (database, text) {
  const match = text === '0' ? [] : FORM.exec(text.trim())
  if (match === null) throw badRequest('Malformed sequence supplied in \'since\' parameter.')
  return decoded(database, match[1]) ?? Array(database.q).fill(0)
}

/** @param {ShardedDatabase} database @param {string | undefined} text @returns {number[] | null} */
function decoded ({ instanceId, q }, text) {
  const bytes = Buffer.from(text ?? '', 'base64url')
  if (bytes.toString('hex', 0, INSTANCE) !== instanceId.slice(0, 2 * INSTANCE)) return null
  const sequences = []
  let [sequence, factor] = [0, 1]
  for (const byte of bytes.subarray(INSTANCE)) {
    sequence += (byte % 128) * factor
    factor *= 128
    if (byte >= 128) continue
    sequences.push(sequence)
    sequence = 0
    factor = 1
  }
  return sequences.length === q && sequences.every(Number.isSafeInteger) ? sequences : null
}

/** @param {string} text a shard's */
function numberOf (text) { return Number(OF_SHARD.exec(text)?.[1] ?? 0) }

/** A sequence as a shard takes it. @param {ShardedDatabase} database @param {number} sequence */
function ofShard ({ instanceId }, sequence) { return `${sequence}-${instanceId.slice(0, 2 * INSTANCE)}` }

module.exports = { formatVector, numberOf, ofShard, parseVector }
