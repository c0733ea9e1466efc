'use strict'

/**
 * Keys and stores of a database of pouchdb-adapter-leveldb. Every key is, in UTF-8,
 *
 *   'ÿ' store 'ÿ' key
 *
 *   store                key → value
 *   document-store       id → JSON { id, seq, rev_tree, rev_map, winningRev, deleted }
 *   by-sequence          16 decimal digits → JSON of one revision: its body with _id, _rev, _deleted
 *                        and _attachments { name: { content_type, digest, length, revpos } }
 *   attach-store         digest → JSON { refs }
 *   attach-binary-store  digest → the content; nothing where it is empty
 *   local-store          id with _local/ → JSON
 *   meta-store           _local_uuid, _local_doc_count, _local_last_update_seq → JSON
 *
 * rev_tree is pouchdb-merge's; rev_map leads from a revision to its key in by-sequence.
 *
 * @see https://github.com/apache/pouchdb/tree/master/packages/node_modules/sublevel-pouchdb
 */
const MARK = '\xff'

const store = (/** @type {string} */ name) => MARK + name + MARK

const DOCUMENTS = store('document-store')
const SEQUENCES = store('by-sequence')
const BINARIES = store('attach-binary-store')
const LOCALS = store('local-store')
const META = store('meta-store')

/** @param {number} seq */
function sequenceKey (seq) {
  return SEQUENCES + String(seq).padStart(16, '0')
}

/** @param {string} key */
function sequenceOf (key) {
  return Number(key.slice(SEQUENCES.length))
}

/**
 * Returns the range of the sequences after one; older formats kept meta values behind them, from `_` on.
 * @param {number} seq
 */
function sequencesAfter (seq) {
  return { gt: sequenceKey(seq), lt: SEQUENCES + ':' }
}

/**
 * Returns the range of all that a store has, given its prefix.
 * @param {string} prefix
 */
function everything (prefix) {
  return { gte: prefix, lt: prefix.slice(0, -1) + '\u0100' }
}

module.exports = { DOCUMENTS, SEQUENCES, BINARIES, LOCALS, META, sequenceKey, sequenceOf, sequencesAfter, everything }
