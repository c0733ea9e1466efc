'use strict'

const { isUtf8 } = require('node:buffer')
const { BareScanner, NOT } = require('./bare-scanner')
const { BareText } = require('./bare-text')
const { carryText } = require('./carried-text')
const { setOwn } = require('./set-own')

/**
 * Documents that come as `JSON.stringify` writes them are stored as they come: they are looked at byte by byte, their
 * bodies are cut out of the text, and no objects are made of them. Such a document is bare: it has its special members, and
 * carries its body as text. Whatever is written in another way, or has attachments, is left to a parser.
 */

const [QUOTE, COMMA, UNDERSCORE, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [34, 44, 95, 91, 93, 123, 125]

const [ID, REV, REVISIONS, DELETED] = ['"_id"', '"_rev"', '"_revisions"', '"_deleted"'].map(name => Buffer.from(name))

/** Text around documents in an answer of `_bulk_get`. */
const [RESULTS, RESULT, OK, END] = ['{"results":[', '{"id":', ',"docs":[{"ok":', '}]}'].map(text => Buffer.from(text))

class BareReader {
  #scanner
  #bytes

  /** @param {Buffer} bytes of UTF-8 */
  constructor (bytes) {
    this.#bytes = bytes
    this.#scanner = new BareScanner(bytes)
  }

  /** @returns {{ docs: Record<string, any>[], [name: string]: any } | undefined} */
  request () {
    const scanner = this.#scanner
    /** @type {Record<string, any>} */
    const value = {}
    let at = 0
    do {
      const start = at + 1
      const from = scanner.nameAt(start, 0)
      if (from === NOT) return undefined
      const name = scanner.text(start + 1, from - 2)
      at = name === 'docs' ? this.#documents(from, value) : scanner.endOfValue(from)
      if (at === NOT) return undefined
      if (name !== 'docs') setOwn(value, name, JSON.parse(scanner.text(from, at)))
    } while (this.#bytes[at] === COMMA)
    return this.#bytes[at] === CLOSE_OBJECT && scanner.isEnd(at + 1) ? /** @type {any} */ (value) : undefined
  }

  /** @returns {Record<string, any> | undefined} */
  one () {
    /** @type {Record<string, any>[]} */
    const docs = []
    const end = this.#document(0, docs)
    return end !== NOT && this.#scanner.isEnd(end) ? docs[0] : undefined
  }

  /** @param {number} start @param {Record<string, any>} value gets `docs` */
  #documents (start, value) {
    const bytes = this.#bytes
    /** @type {Record<string, any>[]} */
    const docs = value.docs = []
    if (bytes[start] !== OPEN_ARRAY) return NOT
    let at = start
    do {
      at = this.#document(at + 1, docs)
      if (at === NOT) return NOT
    } while (bytes[at] === COMMA)
    return bytes[at] === CLOSE_ARRAY ? at + 1 : NOT
  }

  /** @param {number} start @param {Record<string, any>[]} docs gets it */
  #document (start, docs) {
    const bytes = this.#bytes
    const scanner = this.#scanner
    if (bytes[start] !== OPEN_OBJECT) return NOT
    const first = scanner.names
    const doc = {}
    const special = []
    const ranges = []
    let at = start
    do {
      const name = at + 1
      const value = scanner.nameAt(name, first)
      at = value === NOT ? NOT : scanner.endOfValue(value)
      if (at === NOT) return NOT
      if (bytes[name + 1] === UNDERSCORE) {
        const taken = this.#special(doc, name, value, at)
        if (taken === '') return NOT
        special.push(taken)
      } else if (ranges.length > 0 && ranges[ranges.length - 1] === name - 1) ranges[ranges.length - 1] = at
      else ranges.push(name, at)
    } while (bytes[at] === COMMA)
    if (bytes[at] !== CLOSE_OBJECT) return NOT
    scanner.leave(first)
    carryText(doc, new BareText(scanner, ranges, special))
    docs.push(doc)
    return at + 1
  }

  /**
   * Sets a member that is not of the body.
   *
   * @param {Record<string, any>} doc
   * @param {number} start of its name
   * @param {number} from of its value
   * @param {number} end
   * @returns {string} its name, '' of one that is left to a parser
   */
  #special (doc, start, from, end) {
    const scanner = this.#scanner
    const code = this.#bytes[from]
    if (code === QUOTE && scanner.stands(start, REV)) {
      doc._rev = scanner.string(from, end)
      return '_rev'
    }
    if (code === QUOTE && scanner.stands(start, ID) && this.#bytes[from + 1] !== UNDERSCORE) {
      doc._id = scanner.string(from, end)
      return '_id'
    }
    if (code === OPEN_OBJECT && scanner.stands(start, REVISIONS)) {
      doc._revisions = JSON.parse(scanner.text(from, end))
      return '_revisions'
    }
    if (!scanner.stands(start, DELETED)) return ''
    doc._deleted = JSON.parse(scanner.text(from, end))
    return '_deleted'
  }

  /** @returns {BareResult[] | undefined} */
  results () {
    const scanner = this.#scanner
    /** @type {BareResult[]} */
    const results = []
    let at = scanner.past(RESULTS, 0)
    while (at !== NOT) {
      at = this.#result(at, results)
      if (at === NOT) return undefined
      if (this.#bytes[at++] !== COMMA) break
    }
    return this.#bytes[at - 1] === CLOSE_ARRAY && this.#bytes[at] === CLOSE_OBJECT && scanner.isEnd(at + 1) ? results : undefined
  }

  /** @param {number} start @param {BareResult[]} results gets it */
  #result (start, results) {
    const scanner = this.#scanner
    const id = scanner.past(RESULT, start)
    if (id === NOT || this.#bytes[id] !== QUOTE) return NOT
    const behind = scanner.endOfString(id)
    const from = behind === NOT ? NOT : scanner.past(OK, behind)
    const end = from === NOT || this.#bytes[from] !== OPEN_OBJECT ? NOT : this.#outline(from, results)
    return end === NOT ? NOT : scanner.past(END, end)
  }

  /**
   * Goes past a document whose members are not needed yet.
   *
   * @param {number} start
   * @param {BareResult[]} results gets it
   */
  #outline (start, results) {
    const scanner = this.#scanner
    const bytes = this.#bytes
    const first = scanner.names
    let [id, rev] = ['', '']
    let isBare = true
    let at = start
    do {
      const name = at + 1
      const value = scanner.nameAt(name, first)
      at = value === NOT ? NOT : scanner.endOfValue(value)
      if (at === NOT) return NOT
      if (bytes[name + 1] !== UNDERSCORE) continue
      if (bytes[value] === QUOTE && scanner.stands(name, ID)) id = scanner.string(value, at)
      else if (bytes[value] === QUOTE && scanner.stands(name, REV)) rev = scanner.string(value, at)
      else if (!scanner.stands(name, REVISIONS) && !scanner.stands(name, DELETED)) isBare = false
    } while (bytes[at] === COMMA)
    if (bytes[at] !== CLOSE_OBJECT) return NOT
    scanner.leave(first)
    results.push({ id, rev, isBare, text: scanner.text(start, at + 1), doc: () => this.#documentAt(start) })
    return at + 1
  }

  /** @param {number} start @returns {Record<string, any> | undefined} */
  #documentAt (start) {
    /** @type {Record<string, any>[]} */
    const docs = []
    this.#document(start, docs)
    return docs[0]
  }
}

/**
 * Reads `{ "docs": [document] }`, with any other members, where it is written like that.
 *
 * @param {Buffer} bytes
 * @returns {{ docs: Record<string, any>[], [name: string]: any } | undefined} undefined: it is left to `parseJson`
 */
function readBare (bytes) {
  if (bytes[0] !== OPEN_OBJECT || !isUtf8(bytes)) return undefined
  const value = new BareReader(bytes).request()
  return value?.docs === undefined ? undefined : value
}

/**
 * Reads a document by itself, where it is written like that.
 *
 * @param {Buffer} bytes
 * @returns {Record<string, any> | undefined} undefined: it is left to `parseJson`
 */
function readBareDocument (bytes) {
  return bytes[0] === OPEN_OBJECT && isUtf8(bytes) ? new BareReader(bytes).one() : undefined
}

/**
 * Reads an answer of `_bulk_get`, `{ "results": [{ "id", "docs": [{ "ok": document }] }] }`, where it is written like that and has
 * one document for each.
 *
 * @param {Buffer} bytes
 * @returns {BareResult[] | undefined}
 *
 * @typedef {object} BareResult
 * @property {string} id of the document; '' of one that has none
 * @property {string} rev the same
 * @property {boolean} isBare whether it has no other special members than those that bare documents have
 * @property {string} text of the document
 * @property {() => Record<string, any> | undefined} doc the same, bare; undefined of one that is left to a parser
 */
function readBareResults (bytes) {
  return bytes[0] === OPEN_OBJECT && isUtf8(bytes) ? new BareReader(bytes).results() : undefined
}

module.exports = { readBare, readBareDocument, readBareResults }
