'use strict'

const { isObject } = require('../check/payload')
const { attachmentsOf, bodyOf, DocumentRecord, encodeChange, encodeDocument, encodePayload } = require('../media/record')
const { encodeRevision } = require('../revision-tree/revision')
const { encodeTree } = require('../revision-tree/encode')
const { leavesOf } = require('../revision-tree/leaves')

/**
 * @import { Tree } from '../revision-tree/encode'
 */

/** The body of a deleted revision of which only that is known. */
const TOMBSTONE = encodePayload('', '{}')

/**
 * Takes a document's record apart.
 *
 * @param {string} text
 * @returns {{ record: DocumentRecord, tree: import('../revision-tree/encode').Tree } | null} null where it is damaged
 */
function readDocument (text) {
  try {
    const record = new DocumentRecord(text)
    const tree = record.revisions
    const isSame = encodeTree(tree) === record.tree &&
      text === encodeDocument(record.deleted, record.seq, record.winner, record.rest, record.origin, record.payload)
    const isSound = isSame && leavesOf(tree)[0]?.rev === record.rev && isPayload(record.payload) && Number.isSafeInteger(record.seq)
    return isSound ? { record, tree } : null
  } catch {
    return null
  }
}

/**
 * Whether a revision's attachments and body are what they have to be.
 *
 * @param {string} payload
 */
function isPayload (payload) {
  try {
    return payload.includes('\n') && isObject(bodyOf(payload)) && isAttachments(attachmentsOf(payload))
  } catch {
    return false
  }
}

/** @param {string} text */
function isAttachments (text) {
  return text === '' || (isObject(text) && Object.values(JSON.parse(text)).every(isInfo))
}

/** @param {any} info as it is stored */
function isInfo (info) {
  return typeof info === 'object' && info !== null && typeof info.digest === 'string' && Number.isSafeInteger(info.length)
}

/**
 * @param {import('../revision-tree/encode').Tree} tree
 * @param {number} seq
 * @param {string} origin time and user of the last change; '' where they are not known
 * @param {string} payload the winner's
 * @returns {string} the record of a document
 */
function writeDocument (tree, seq, origin, payload) {
  const [winner] = leavesOf(tree)
  const encoded = encodeRevision(winner.rev)
  return encodeDocument(winner.deleted, seq, encoded, encodeTree(tree).slice(encoded.length), origin, payload)
}

/**
 * Returns the change that says what a document is.
 *
 * @param {string} id
 * @param {Tree} tree
 */
function changeOf (id, tree) {
  const leaves = leavesOf(tree)
  return encodeChange(leaves[0].deleted, leaves.map(({ rev }) => encodeRevision(rev)), id)
}

module.exports = { TOMBSTONE, changeOf, isPayload, readDocument, writeDocument }
