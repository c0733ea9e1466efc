'use strict'

const { after } = require('@potoroo/collation')
const { decodeNumber: decodeCount, encodeNumber: encodeCount } = require('@potoroo/document-store')

/** @typedef {import('@potoroo/document-store').DocumentStore['indexSpace']} IndexSpace */

/**
 * The keys of indexes, after the database's prefix for them:
 *
 *   b index id                   the rows that a document has in an index: see row-list.js. For many, '\n' and how
 *                                many parts the list stands in
 *   c index part id              a part of such a list
 *   l fields                     why an index of these was learned: see ../adaptive/learned-index.js
 *   n signature                  an index: JSON { index, seq, purgeSeq, counts, external, active,
 *                                collations, sums, unfinished }: its number, how far it has come, of each of its
 *                                views how many rows it has, how many bytes rows, and rows with their
 *                                lists, have, the name of the collation that their keys are encoded in,
 *                                the salts of those that have sums, by view, and the documents that have
 *                                some of their rows and not all
 *   r index view key id \0 more  a row; more is empty, or tells apart what one document emits more
 *                                than once under one key. In an index of partitions that of its
 *                                document, `name:`, stands before the key
 *   s index view level row       a sum of rows, which are named by the first of them, without its index
 *                                and view: see sum-node.js. The level is a digit
 *   t index …                  a text index's records: see @potoroo/search's layout.js
 *   x index                      an index that was dropped and is not cleared yet
 *
 * Numbers (index, view, more) are a letter for the count of digits and the digits, as those of the
 * document store. A row's value is the JSON text of what was emitted, or nothing for null. The
 * emitted key, where it cannot be had from the row's, comes before as JSON text, between '\t' and '\n'; where
 * the row's key was cut, too, between '\n' and '\n': see row.js. A
 * sum's value is JSON [count, { reducer: value }], or nothing where it is not known.
 */
class RowLayout {
  /** @param {string} prefix */
  constructor (prefix) {
    this.lessons = prefix + 'l'
    this.names = prefix + 'n'
    this.dropped = prefix + 'x'
    this.rows = prefix + 'r'
    this.sums = prefix + 's'
    this.lists = prefix + 'b'
    this.parts = prefix + 'c'
    this.texts = prefix + 't'
  }

  /** @param {string} signature */
  name (signature) { return this.names + signature }
  /** @param {string} key */
  signatureOf (key) { return key.slice(this.names.length) }

  /** @param {string[]} fields */
  lesson (fields) { return this.lessons + JSON.stringify(fields) }

  /** @param {number} index */
  drop (index) { return this.dropped + encodeCount(index) }
  /** @param {string} key */
  droppedOf (key) { return decodeCount(key.slice(this.dropped.length)) }

  /** @param {number} index @param {number} part @param {string} id */
  partOf (index, part, id) { return this.partsOf(index) + encodeCount(part) + id }

  /**
   * The keys of an index's rows, of the lists of them, of parts of lists, and of sums begin with these.
   * @param {number} index
   */
  rowsOf (index) { return this.rows + encodeCount(index) }
  /** @param {number} index */
  listsOf (index) { return this.lists + encodeCount(index) }
  /** @param {number} index */
  partsOf (index) { return this.parts + encodeCount(index) }
  /** @param {number} index */
  textsOf (index) { return this.texts + encodeCount(index) }
  /** @param {number} index */
  sumsOf (index) { return this.sums + encodeCount(index) }

  /**
   * Returns the beginnings of the keys of all records of an index.
   * @param {number} index
   */
  allOf (index) { return [this.rowsOf(index), this.listsOf(index), this.partsOf(index), this.sumsOf(index), this.textsOf(index)] }
}

/**
 * Returns the range of all keys that begin with `prefix`.
 * @param {string} prefix
 */
function rangeOf (prefix) { return { gte: prefix, lt: after(prefix) } }

module.exports = { RowLayout, encodeCount, rangeOf }
