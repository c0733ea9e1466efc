'use strict'

const crypto = require('node:crypto')
const { decodeNumber, encodeNumber } = require('@potoroo/document-store')

/** Counts changes of what the records are: an index of another layout is built again. */
const INDEX_LAYOUT = 6

/** UTF-16 units of a field or a term in a key; a longer one ends in a digest. */
const LONGEST = 256

/** Stands between terms of a list. */
const BETWEEN = '\x7f'

/** Above every text that ends a key. */
const LAST = '\u{10ffff}'

/**
 * The keys of the records of one index, after its prefix:
 *
 *   a record                  postings that came in small batches, behind those of the same record: it is written in place of that
 *   b term doc                blocks of postings, whose last document that is: see ../postings/group.js
 *   d doc                     what a document is in the index: JSON [id, stored fields, values to sort and count by], without what is empty at the end: see
 *                             document-builder.js
 *   f doc                     its terms and numbers, by which it is taken out again: see forward.js
 *   i id                      its number
 *   n field \0 number doc     a number, in the order of numbers
 *   p record                  some terms, by their numbers: see ../postings/records.js
 *   q term doc                the positions of the same
 *   s field                   JSON [documents that have the field, terms that they have there]
 *   t field \0 term           the number of a term
 *   v record                  field \0 term of each of the terms of a record, one behind the other, between `BETWEEN`; none of one that is gone
 *
 * Documents are numbered as they come, from 1. A document that changes has another number then, so that what is of
 * a number never changes. So are terms: common ones come early, and the numbers of a document's terms are close to each other.
 * Identifiers are no terms: as those of the field `_id` they are read from their own records.
 */
class IndexLayout {
  /** @param {string} prefix */
  constructor (prefix) {
    this.prefix = prefix
    this.documents = `${prefix}d`
    this.ids = `${prefix}i`
  }

  /** @param {string} field @param {string} term both as `keyPart` has them */
  term (field, term) { return this.termOf(`${field}\0${term}`) }
  /** @param {string} term `field \0 term` */
  termOf (term) { return `${this.prefix}t${term}` }
  /** @param {string} field */
  terms (field) { return `${this.prefix}t${field}\0` }
  /** @param {number} record */
  record (record) { return `${this.prefix}p${encodeNumber(record)}` }
  /** @param {number} record */
  late (record) { return `${this.prefix}a${encodeNumber(record)}` }
  /** @param {number} record */
  names (record) { return `${this.prefix}v${encodeNumber(record)}` }
  /** @param {number} term */
  blocks (term) { return `${this.prefix}b${encodeNumber(term)}` }
  /** @param {number} term */
  blocksEnd (term) { return `${this.blocks(term)}\x7f` }
  /** @param {number} term @param {number} doc */
  block (term, doc) { return this.blocks(term) + encodeNumber(doc) }
  /** @param {number} term @param {number} doc */
  positions (term, doc) { return `${this.prefix}q${encodeNumber(term)}${encodeNumber(doc)}` }
  /** The last document of a record of blocks. @param {string} key @param {number} term */
  lastOf (key, term) { return decodeNumber(key.slice(this.blocks(term).length)) }
  /** @param {number} doc */
  document (doc) { return this.documents + encodeNumber(doc) }
  /** @param {number} doc */
  forward (doc) { return `${this.prefix}f${encodeNumber(doc)}` }
  /** @param {string} id */
  id (id) { return this.ids + id }
  /** @param {string} field */
  numbers (field) { return `${this.prefix}n${field}\0` }
  /** @param {string} field @param {string} number as `orderedNumber` has it @param {number} doc */
  number (field, number, doc) { return this.numbers(field) + number + encodeNumber(doc) }
  /** @param {string} field */
  statistics (field) { return `${this.prefix}s${field}` }
}

/**
 * Makes a text one that may stand in a key: without the characters that separate there, and not too long.
 * Characters 0 and 127 stand between parts of keys, and between terms of a list.
 *
 * @param {string} text
 */
function keyPart (text) {
  const clean = /[\0\x7f\ud800-\udfff]/.test(text) ? text.toWellFormed().replace(/[\0\x7f]/g, '\ufffd') : text
  if (clean.length <= LONGEST) return clean
  return `${clean.slice(0, LONGEST).toWellFormed()}${LAST}${crypto.createHash('md5').update(clean).digest('base64')}`
}

const view = new DataView(new ArrayBuffer(8))

/**
 * Encodes a number so that the texts have the order of the numbers: 16 hexadecimal digits.
 *
 * @param {number} number not NaN
 */
function orderedNumber (number) {
  view.setFloat64(0, number === 0 ? 0 : number)
  const bits = view.getBigUint64(0)
  const ordered = bits >> 63n === 1n ? ~bits & 0xffffffffffffffffn : bits | (1n << 63n)
  return ordered.toString(16).padStart(16, '0')
}

module.exports = { BETWEEN, INDEX_LAYOUT, IndexLayout, LAST, decodeNumber, keyPart, orderedNumber }
