'use strict'

/**
 * The byte layout of keys. Every key of a database begins with the database's prefix, then one
 * letter for the store, then:
 *
 *   a  digest              attachment: its length, its content's key, its reference count
 *   b  principal / …       what somebody may see, in a database with access by document: see access/access-rows.js
 *   c  content ! number    one chunk of an attachment's content (the only binary values)
 *   d  id                  document record: see record.js
 *   g  id                  who saw a document and no longer may: see access/access-rows.js
 *   h  id \0 sequence      version of a document that another one has replaced: see history/version.js
 *   i  …                   the indexes' rows: see @potoroo/indexes, lib/rows/row-layout.js
 *   l  id                  local document, id without `_local/`
 *   m  name                meta
 *   n  principal / id      local document of one user, in a database with access by document
 *   p  purge sequence      purge: JSON [id, [revision, …]]
 *   r  id \0 revision      body of a revision that is not the winner
 *   s  sequence            change record: see record.js
 *   t  partition           totals of a partition: see partition-totals.js
 *   u  content             marks content that no document refers to: not yet, or no longer
 *
 * Numbers are written as a letter for the count of digits ('a' for one) and the decimal digits,
 * so that they sort by value and stay short. In a revision's hash everything but [\w.~-] is
 * percent-encoded, so it never holds a separator. All keys are UTF-8, ordered by byte.
 */

const { isStorable } = require('../commit/storable')

const ORIGIN = 96

/** @type {{ gte?: string, lt?: string }} */
const NO_BOUNDS = Object.freeze({})

/** @param {number} number a whole number, 0 or more */
function encodeNumber (number) {
  const digits = String(number)
  return String.fromCharCode(ORIGIN + digits.length) + digits
}

/** @param {string} text as `encodeNumber` gives it */
function decodeNumber (text) {
  return Number(text.slice(1))
}

/**
 * The least string after every string that begins with `prefix`, which ends in ASCII.
 *
 * @param {string} prefix
 */
function after (prefix) {
  const last = prefix.length - 1
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1)
}

class Layout {
  /** @param {string} prefix in front of every key; ASCII */
  constructor (prefix) {
    this.prefix = prefix
    this.attachments = prefix + 'a'
    this.access = prefix + 'b'
    this.chunks = prefix + 'c'
    this.documents = prefix + 'd'
    this.gone = prefix + 'g'
    this.versions = prefix + 'h'
    this.indexes = prefix + 'i'
    this.locals = prefix + 'l'
    this.metas = prefix + 'm'
    this.ownLocals = prefix + 'n'
    this.purges = prefix + 'p'
    this.revisions = prefix + 'r'
    this.sequences = prefix + 's'
    this.partitions = prefix + 't'
    this.uploads = prefix + 'u'
    this.state = this.metas + 'state'
    /** All of them, in the order of keys. */
    this.stores = [
      this.attachments, this.access, this.chunks, this.documents, this.gone, this.versions, this.indexes, this.locals,
      this.metas, this.ownLocals, this.purges, this.revisions, this.sequences, this.partitions, this.uploads
    ]
  }

  /** @param {string} digest */
  attachment (digest) { return this.attachments + digest }
  /**
   * Returns what the keys of all chunks of a content begin with.
   *
   * @param {string} content
   */
  contentChunks (content) { return this.chunks + content + '!' }

  /** @param {string} content @param {number} number */
  chunk (content, number) { return this.contentChunks(content) + encodeNumber(number) }
  /** @param {string} id */
  document (id) { return this.documents + id }

  /**
   * For reading: a key under which nothing is where nothing can be stored under the id.
   *
   * @param {string} id
   */
  readable (id) { return isStorable(id) ? this.documents + id : this.documents }

  /** @param {string} id without `_local/` @param {string | null} space whose: a principal; null: the database's */
  localIn (id, space) { return space === null ? this.locals + id : `${this.ownLocals}${space}/${id}` }

  /** @param {string} name */
  meta (name) { return this.metas + name }
  /** @param {string} name */
  partition (name) { return this.partitions + name }
  /** @param {number} number */
  purge (number) { return this.purges + encodeNumber(number) }
  /** @param {string} id @param {string} rev */
  revision (id, rev) { return this.revisions + id + '\0' + rev }
  /** Returns what the keys of the documents that a principal may see begin with: then comes the id. @param {string} principal */
  seenIds (principal) { return `${this.access}${principal}/d` }
  /** Returns what the keys of their changes begin with: then comes the sequence, as a number. @param {string} principal */
  seenChanges (principal) { return `${this.access}${principal}/s` }
  /** @param {string} id */
  former (id) { return this.gone + id }
  /** @param {number} number */
  sequence (number) { return this.sequences + encodeNumber(number) }
  /** Returns what the keys of a document's versions begin with. @param {string} id */
  versionsOf (id) { return this.versions + id + '\0' }
  /** @param {string} id @param {number} seq of the change that made it */
  version (id, seq) { return this.versionsOf(id) + encodeNumber(seq) }
  /** @param {string} content */
  upload (content) { return this.uploads + content }

  /**
   * The content that a marker names.
   *
   * @param {string} key
   */
  contentOf (key) { return key.slice(this.uploads.length) }

  /**
   * The number in the key of a chunk of this content.
   *
   * @param {string} key
   * @param {string} content
   */
  chunkNumberOf (key, content) { return Number(key.slice(this.contentChunks(content).length + 1)) }

  /**
   * The id in a document's or a local document's key.
   *
   * @param {string} key
   */
  idOf (key) { return key.slice(this.documents.length) }

  /**
   * The sequence in a change's key.
   *
   * @param {string} key
   */
  sequenceOf (key) { return decodeNumber(key.slice(this.sequences.length)) }

  /**
   * `{ content, number }` of a chunk's key.
   *
   * @param {string} key
   */
  chunkOf (key) {
    const at = key.lastIndexOf('!')
    return { content: key.slice(this.chunks.length, at), number: decodeNumber(key.slice(at + 1)) }
  }

  /**
   * The purge sequence in a purge's key.
   *
   * @param {string} key
   */
  purgeOf (key) { return Number(key.slice(this.purges.length + 1)) }

  /**
   * `{ id, rev }` of a revision's key.
   *
   * @param {string} key
   */
  revisionOf (key) {
    const at = key.lastIndexOf('\0')
    return { id: key.slice(this.revisions.length, at), rev: key.slice(at + 1) }
  }

  /**
   * `{ id, seq }` of a version's key.
   *
   * @param {string} key
   */
  versionOf (key) {
    const at = key.lastIndexOf('\0')
    return { id: key.slice(this.versions.length, at), seq: decodeNumber(key.slice(at + 1)) }
  }

  /**
   * The range of all of one store, given one of this layout's prefixes.
   *
   * @param {string} store
   */
  range (store) { return { gte: store, lt: after(store) } }

  /** The range of everything in the database. */
  all () { return this.prefix === '' ? NO_BOUNDS : this.range(this.prefix) }
}

module.exports = { Layout, decodeNumber, encodeNumber, after }
