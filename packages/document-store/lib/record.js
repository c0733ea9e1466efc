'use strict'

const { decodeHash } = require('./revision')

/**
 * The layout of the records of documents and changes.
 *
 * Document, at `d id`:
 *
 *   flag sequence ' ' tree '\n' attachments '\n' body
 *
 *   flag         '0' live, '1' deleted: of the winner
 *   sequence     decimal, of the last change
 *   tree         the winner, its ancestors newest first, and the other paths: see
 *                revision-tree/encode.js. A document with one revision has just `1-hash`
 *   attachments  '' or JSON { name: { contentType, digest, length, revpos } }
 *   body         JSON object without underscore members
 *
 * Another revision, at `r id \0 rev`, is a payload: attachments '\n' body.
 *
 * Change, at `s sequence`, says all that `_changes` must say without a second read:
 *
 *   flag leaf { ',' leaf } ' ' id          the winner is the first leaf
 *
 * None of flag, sequence, tree and JSON text holds a newline.
 */

const LIVE = '0'
const DELETED = '1'

/** A document record taken apart as far as every reader needs. */
class DocumentRecord {
  constructor (text) {
    const space = text.indexOf(' ')
    const end = text.indexOf('\n', space)
    this.deleted = text.charCodeAt(0) === 49
    this.seq = Number(text.slice(1, space))
    this.tree = text.slice(space + 1, end)
    this.payload = text.slice(end + 1)
    /** UTF-16 units of the whole record. */
    this.size = text.length
  }

  /** The winner, as stored (encoded). */
  get winner () { return winnerOf(this.tree) }
  get rev () { return decodeHash(this.winner) }
}

/** Where the winner's name ends in a tree: at the first separator. */
function winnerOf (tree) {
  for (let i = 0; i < tree.length; i++) {
    const code = tree.charCodeAt(i)
    if (code === 44 || code === 33 || code === 124) return tree.slice(0, i) // , ! |
  }
  return tree
}

function encodeDocument (deleted, seq, tree, payload) {
  return `${deleted ? DELETED : LIVE}${seq} ${tree}\n${payload}`
}

function encodePayload (attachments, body) {
  return `${attachments}\n${body}`
}

/** The attachments' JSON text in a payload, '' for none. */
function attachmentsOf (payload) {
  return payload.charCodeAt(0) === 10 ? '' : payload.slice(0, payload.indexOf('\n'))
}

function bodyOf (payload) {
  return payload.slice(payload.indexOf('\n') + 1)
}

/** @param {string[]} leaves encoded, the winner first */
function encodeChange (deleted, leaves, id) {
  return `${deleted ? DELETED : LIVE}${leaves.length === 1 ? leaves[0] : leaves.join(',')} ${id}`
}

/** @returns {{ id: string, deleted: boolean, leaves: string[] }} the leaves decoded, the winner first */
function decodeChange (text) {
  const space = text.indexOf(' ')
  const leaves = text.slice(1, space)
  return {
    id: text.slice(space + 1),
    deleted: text.charCodeAt(0) === 49,
    leaves: leaves.includes(',') ? leaves.split(',').map(decodeHash) : [decodeHash(leaves)]
  }
}

module.exports = {
  DocumentRecord, winnerOf, encodeDocument, encodePayload, attachmentsOf, bodyOf, encodeChange, decodeChange
}
