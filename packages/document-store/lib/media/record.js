'use strict'

const { decodeHash, encodeHash } = require('../revision-tree/revision')
const { decodeTree } = require('../revision-tree/encode')
const { leavesOf } = require('../revision-tree/leaves')

/**
 * The layout of the records of documents and changes.
 *
 * Document, at `d id`:
 *
 *   flag sequence ' ' winner ' ' rest [ ' ' origin ] '\n' attachments '\n' body
 *
 *   flag         '0' live, '1' deleted: of the winner
 *   sequence     decimal, of the last change
 *   winner rest  without the space between them the revision tree: see
 *                revision-tree/encode.js. A document with one revision has an empty rest
 *   origin       time [ ',' user ] of the last change: milliseconds in base 36, and the user's name, encoded as
 *                hashes are. Documents that layout 2 wrote have none
 *   attachments  '' or JSON { name: { contentType, digest, length, revpos } }; in a database with access by document
 *                '\t' and who may see the revision follow, if it is not for administrators alone: see access-list.js
 *   body         JSON object without underscore members
 *
 * Another revision, at `r id \0 rev`, is a payload: attachments '\n' body.
 *
 * Change, at `s sequence`, says all that `_changes` must say without a second read:
 *
 *   flag leaf { ',' leaf } ' ' id          the winner is the first leaf
 *
 * None of flag, sequence, tree and JSON text holds a newline, and no revision a space.
 */

const LIVE = '0'
const DELETED = '1'
const DELETED_CODE = 49
const NEWLINE = 10

/** A document record, taken apart no further than its reader needs. */
class DocumentRecord {
  #text
  #winner
  #rest
  #payload
  /** @type {import('../revision-tree/encode').Tree | null} */
  #revisions = null
  /** @type {import('../revision-tree/encode').Node[] | null} */
  #leaves = null

  /** @param {string} text */
  constructor (text) {
    this.#text = text
    this.#winner = text.indexOf(' ') + 1
    this.#rest = text.indexOf(' ', this.#winner) + 1
    this.#payload = text.indexOf('\n', this.#rest) + 1
  }

  get deleted () { return this.#text.charCodeAt(0) === DELETED_CODE }
  get seq () { return Number(this.#text.slice(1, this.#winner - 1)) }

  /** The winner, as stored (encoded). */
  get winner () { return this.#text.slice(this.#winner, this.#rest - 1) }
  get rev () { return decodeHash(this.winner) }

  /** The text that follows the winner in the tree's text: '' where it is alone. */
  get rest () {
    const origin = this.#origin
    return this.#text.slice(this.#rest, (origin > this.#rest ? origin : this.#payload) - 1)
  }

  /** The place where the origin begins; the rest or before if there is none. */
  get #origin () { return this.#text.lastIndexOf(' ', this.#payload - 1) + 1 }

  /** Time and user of the last change as stored; '' where they are not known. */
  get origin () {
    const origin = this.#origin
    return origin > this.#rest ? this.#text.slice(origin, this.#payload - 1) : ''
  }

  get tree () { return this.winner + this.rest }
  /** The revision tree; to decode it takes long where there are very many. */
  get revisions () { return (this.#revisions ??= decodeTree(this.tree, this.deleted)) }
  /** The leaves of the tree, the winner first. To find them takes a look at each revision: it is done once. */
  get leaves () { return (this.#leaves ??= leavesOf(this.revisions)) }

  get payload () { return this.#text.slice(this.#payload) }

  /** The attachments' JSON text, '' for none. */
  get attachments () {
    if (this.#text.charCodeAt(this.#payload) === NEWLINE) return ''
    return withoutAccess(this.#text.slice(this.#payload, this.#text.indexOf('\n', this.#payload)))
  }

  /** Says who may see the winner: see access-list.js. */
  get access () { return accessOf(this.payload) }

  get body () { return this.#text.slice(this.#text.indexOf('\n', this.#payload) + 1) }

  /** UTF-16 units of the whole record. */
  get size () { return this.#text.length }
}

/**
 * Whether a document record's winner is live, without taking it apart.
 *
 * @param {string} text
 */
function isLive (text) {
  return text.charCodeAt(0) !== DELETED_CODE
}

/**
 * @param {boolean} deleted
 * @param {number} seq
 * @param {string} winner encoded
 * @param {string} rest what follows the winner in the tree's text
 * @param {string} origin of the last change; '' where it is not known
 * @param {string} payload
 */
function encodeDocument (deleted, seq, winner, rest, origin, payload) {
  return `${deleted ? DELETED : LIVE}${seq} ${winner} ${rest}${origin === '' ? '' : ' '}${origin}\n${payload}`
}

/** The origin that was encoded last: many changes of a millisecond have the same. */
let last = { time: 0, user: /** @type {string | null} */ (null), text: '0' }

/** @param {number} time milliseconds @param {string | null} user */
function encodeOrigin (time, user) {
  if (time !== last.time || user !== last.user) {
    const text = time.toString(36)
    last = { time, user, text: user === null ? text : `${text},${encodeHash(user.toWellFormed())}` }
  }
  return last.text
}

/**
 * @param {string} text
 * @returns {{ time: number, user: string | null }} a time of 0 where it is not known
 */
function decodeOrigin (text) {
  if (text === '') return { time: 0, user: null }
  const comma = text.indexOf(',')
  if (comma === -1) return { time: parseInt(text, 36), user: null }
  return { time: parseInt(text.slice(0, comma), 36), user: decodeHash(text.slice(comma + 1)) }
}

/** @param {string} attachments @param {string} body @param {string} [access] */
function encodePayload (attachments, body, access = '') {
  return access === '' ? `${attachments}\n${body}` : `${attachments}\t${access}\n${body}`
}

/**
 * The attachments' JSON text in a payload, '' for none.
 *
 * @param {string} payload
 */
function attachmentsOf (payload) {
  return payload.charCodeAt(0) === NEWLINE ? '' : withoutAccess(payload.slice(0, payload.indexOf('\n')))
}

/** JSON text as it is made here has no tab. @param {string} line */
function withoutAccess (line) {
  const tab = line.lastIndexOf('\t')
  return tab === -1 ? line : line.slice(0, tab)
}

/**
 * Says who may see a revision, by its payload: '' is administrators alone.
 *
 * @param {string} payload
 */
function accessOf (payload) {
  const line = payload.slice(0, payload.indexOf('\n'))
  const tab = line.lastIndexOf('\t')
  return tab === -1 ? '' : line.slice(tab + 1)
}

/** @param {string} payload */
function bodyOf (payload) {
  return payload.slice(payload.indexOf('\n') + 1)
}

/** @param {string[]} leaves encoded, the winner first @param {boolean} deleted @param {string} id */
function encodeChange (deleted, leaves, id) {
  return `${deleted ? DELETED : LIVE}${leaves.length === 1 ? leaves[0] : leaves.join(',')} ${id}`
}

/**
 * @param {string} text
 * @returns {{ id: string, deleted: boolean, leaves: string[] }} the leaves decoded, the winner first
 */
function decodeChange (text) {
  const space = text.indexOf(' ')
  const leaves = decodeHash(text.slice(1, space))
  return {
    id: text.slice(space + 1),
    deleted: text.charCodeAt(0) === DELETED_CODE,
    leaves: leaves.includes(',') ? text.slice(1, space).split(',').map(decodeHash) : [leaves]
  }
}

module.exports = {
  DocumentRecord, accessOf, isLive, encodeDocument, encodeOrigin, decodeOrigin, encodePayload, attachmentsOf, bodyOf, encodeChange, decodeChange
}
