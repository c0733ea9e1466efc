'use strict'

const { groupSource } = require('./group-source')
const { ID } = require('./hidden-fields')
const { IndexLayout, LAST, decodeNumber, keyPart } = require('./layout')
const { TERMS, UNKNOWN, decodeTerm, decodeTerms, joined, recordOf } = require('../postings/records')
const { Columns, NONE } = require('../postings/columns')

/**
 * @typedef {import('../postings/records').Term} Term
 * @typedef {{ term: string, number: number }} FoundTerm a term and its number, of the field `_id` that of the document
 * @typedef {{ id: string, stored: Record<string, any>, values: Record<string, any> }} DocumentRecord
 * @typedef {import('@potoroo/document-store').DocumentStore['indexSpace']} IndexSpace
 */

/** Entries of the level that are read at once. */
const PAGE = 256

/** The records of an index at one moment. */
class IndexReader {
  #space
  #snapshot
  #layout
  /** @type {Map<string, Promise<[number, number]>>} */
  #statistics = new Map()
  /** @type {Map<string, Promise<Term>>} */
  #terms = new Map()

  /**
   * @param {IndexSpace} space
   * @param {string} prefix of the index's keys
   * @param {any} snapshot
   * @param {number} documents how many there are
   */
  constructor (space, prefix, snapshot, documents) {
    this.#space = space
    this.#snapshot = snapshot
    this.#layout = new IndexLayout(prefix)
    this.documents = documents
  }

  /** How many documents have a field, and how many terms they have there. @param {string} field */
  statistics (field) {
    let known = this.#statistics.get(field)
    if (known === undefined) this.#statistics.set(field, known = this.#readStatistics(field))
    return known
  }

  /** @param {string} field @returns {Promise<[number, number]>} */
  async #readStatistics (field) {
    if (field === ID) return [this.documents, this.documents]
    const text = await this.#get(this.#layout.statistics(keyPart(field)))
    return text === undefined ? [0, 0] : JSON.parse(text)
  }

  /** @param {string} key @returns {Promise<string | undefined>} */
  #get (key) { return this.#space.keyspace.get(key, this.#snapshot) }

  /** A query that has a term asks for it more than once. @param {string} field @param {string} term @returns {Promise<Term>} */
  term (field, term) {
    const name = `${field}\0${term}`
    let known = this.#terms.get(name)
    if (known === undefined) this.#terms.set(name, known = this.#readTerm(field, term))
    return known
  }

  /** @param {string} field @param {string} term @returns {Promise<Term>} */
  async #readTerm (field, term) {
    const text = await this.#get(field === ID ? this.#layout.id(term) : this.#layout.term(keyPart(field), keyPart(term)))
    if (text === undefined) return UNKNOWN
    const [found] = await this.found(field, [Number(text)])
    return found
  }

  /**
   * Reads terms that were found.
   *
   * @param {string} field
   * @param {number[]} numbers
   * @returns {Promise<Term[]>} aligned
   */
  async found (field, numbers) {
    if (field === ID) return numbers.map(termOfDocument)
    const keys = [...numbers.map(number => this.#layout.record(recordOf(number))), ...numbers.map(number => this.#layout.late(recordOf(number)))]
    const records = await this.#space.keyspace.getMany(keys, this.#snapshot)
    const termIn = (/** @type {number} */ number, /** @type {string | undefined} */ record) => decodeTerm(number, decodeTerms(record)[number % TERMS])
    return numbers.map((number, i) => joined(termIn(number, records[i]), termIn(number, records[numbers.length + i])))
  }

  /** The records of a term's blocks, without its tail. It has to be closed. @param {number} term its number */
  groups (term) { return groupSource({ space: this.#space, layout: this.#layout, snapshot: this.#snapshot, term }) }

  /** The positions of a record of blocks. @param {number} term its number @param {number} last the record's last document @returns {Promise<string>} */
  async positions (term, last) { return /** @type {string} */ (await this.#get(this.#layout.positions(term, last))) }

  /** @template T @param {T & { close (): Promise<void> }} iterator */
  #open (iterator) { return { iterator, release: this.#space.hold(() => iterator.close()) } }

  /**
   * The terms of a field, from one on, page by page. The caller may go on elsewhere: it is given `seek`.
   *
   * @param {string} field
   * @param {string} from
   * @returns {{ next (): Promise<FoundTerm[]>, seek (term: string): void, close (): Promise<void> }}
   */
  terms (field, from) {
    const { ids } = this.#layout
    const start = field === ID ? ids : this.#layout.terms(keyPart(field))
    const end = field === ID ? `${ids}${LAST}` : `${start.slice(0, -1)}\x01`
    const { iterator, release } = this.#open(this.#space.keyspace.entries({ gte: start + from.toWellFormed(), lt: end, snapshot: this.#snapshot }))
    return {
      next: async () => (await this.#space.nextPage(iterator, PAGE)).map((/** @type {[string, string]} */ [key, number]) => ({ term: key.slice(start.length), number: Number(number) })),
      seek: term => iterator.seek(start + term.toWellFormed()),
      close: release
    }
  }

  /**
   * The documents with numbers of a range, page by page, in the order of the numbers.
   *
   * @param {string} field
   * @param {{ gte?: string, gt?: string, lte?: string, lt?: string }} range as `orderedNumber` has them
   * @returns {AsyncGenerator<number[]>}
   */
  async * numbers (field, { gte = '', gt, lte, lt }) {
    const start = this.#layout.numbers(keyPart(field))
    const low = gt === undefined ? gte : `${gt}\x7f`
    const high = lt ?? (lte === undefined ? '\x7f' : `${lte}\x7f`)
    const digits = start.length + 16
    yield * this.#keys({ gte: start + low, lt: start + high }, key => decodeNumber(key.slice(digits)))
  }

  /**
   * Documents in the order of their ids, page by page.
   *
   * @param {string} from
   * @returns {AsyncGenerator<Array<{ id: string, doc: number }>>}
   */
  async * ids (from) {
    const start = this.#layout.ids
    const { iterator, release } = this.#open(this.#space.keyspace.entries({ gte: start + from.toWellFormed(), lt: `${start}\u{10ffff}`, snapshot: this.#snapshot }))
    try {
      for (;;) {
        const entries = await this.#space.nextPage(iterator, PAGE)
        if (entries.length === 0) return
        yield entries.map((/** @type {[string, string]} */ [key, doc]) => ({ id: key.slice(start.length), doc: Number(doc) }))
      }
    } finally {
      await release()
    }
  }

  /** All documents, page by page. @returns {AsyncGenerator<number[]>} */
  all () {
    const start = this.#layout.documents
    return this.#keys({ gte: start, lt: `${start}\x7f` }, key => decodeNumber(key.slice(start.length)))
  }

  /** @param {{ gte: string, lt: string }} range @param {(key: string) => number} read @returns {AsyncGenerator<number[]>} */
  async * #keys (range, read) {
    const { iterator, release } = this.#open(this.#space.keyspace.keys({ ...range, snapshot: this.#snapshot }))
    try {
      for (;;) {
        const keys = await this.#space.nextPage(iterator, PAGE)
        if (keys.length === 0) return
        yield keys.map(read)
      }
    } finally {
      await release()
    }
  }

  /** @param {number[]} docs @returns {Promise<DocumentRecord[]>} aligned */
  async records (docs) {
    const texts = await this.#space.keyspace.getMany(docs.map(doc => this.#layout.document(doc)), this.#snapshot)
    return texts.map((/** @type {string | undefined} */ text) => {
      const [id, stored = {}, values = {}] = JSON.parse(/** @type {string} */ (text))
      return { id, stored, values }
    })
  }
}

const one = new Columns()

/** The term that an identifier would be. @param {number} doc @returns {Term} */
function termOfDocument (doc) {
  one.clear().add(doc, 1)
  one.addPosition(0)
  return { number: 0, df: 1, blocks: 0, tail: one.tail(NONE, 0) }
}

module.exports = { IndexReader }
