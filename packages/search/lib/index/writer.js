'use strict'

const { Turn, inTurns } = require('@potoroo/document-store')
const { IndexLayout } = require('./layout')
const { decodeForward, encodeFields, encodeForward } = require('./forward')
const { PostingBatch } = require('./posting-batch')
const { TermNames } = require('./terms/names')
const { TermNumbers } = require('./terms/numbers')
const { termChanges } = require('./terms/changes')
const { TermWriter } = require('./terms/writer')
const { NO_RECORD } = require('../postings/record-writer')

/**
 * @typedef {import('./document-builder').BuiltDocument} BuiltDocument
 * @typedef {import('./terms/writer').Change} Change
 * @typedef {{ next: number, documents: number, terms: number }} Counts next: the number of the document that comes; documents: how many there are;
 *   terms: the number of the term that comes
 * @typedef {{ type: 'put', key: string, value: string | Buffer, valueEncoding?: 'buffer' } | { type: 'del', key: string }} Operation
 * @typedef {{ getMany (keys: string[]): Promise<Array<string | undefined>>, getBinary (keys: string[]): Promise<Array<Buffer | undefined>>, entries (range: any): any }} Keyspace
 */

/** Documents of a batch that does not write all records of its terms again. */
const FEW = 16

/** Keys that are read at once. */
const READ = 512

/** Terms are not numbered beyond that: see forward.js. */
const LAST_TERM = 2 ** 31 - 2

/** Works out what a batch of documents changes in an index. Its caller writes the operations; others write nothing meanwhile. */
class IndexWriter {
  #keyspace
  #layout
  #known
  #batch
  /** Number of a term → documents that have it no longer @type {Map<number, Set<number>>} */
  #removed = new Map()
  /** field → [documents, terms] more than before @type {Map<string, [number, number]>} */
  #statistics = new Map()
  /** Added documents: their number, and what they are. @type {Array<{ doc: number, built: BuiltDocument }>} */
  #added = []
  #names = new TermNames()
  #turn = new Turn()
  /** @type {Operation[]} */
  operations = []
  /** Bytes more than before, about. */
  bytes = 0
  counts

  /**
   * @param {Keyspace} keyspace
   * @param {string} prefix of the index's keys
   * @param {Counts} counts before
   * @param {TermNumbers} [known] what batches before have left there
   */
  constructor (keyspace, prefix, counts, known = new TermNumbers()) {
    this.#keyspace = keyspace
    this.#layout = new IndexLayout(prefix)
    this.#known = known
    this.#batch = new PostingBatch(known, counts.terms)
    this.counts = { ...counts }
  }

  /**
   * Replaces documents, each of which is in the list once; null: it is in the index no longer.
   *
   * @param {Array<{ id: string, built: BuiltDocument | null }>} documents
   * @param {boolean} [fresh] none of them is in the index
   */
  async replace (documents, fresh = false) {
    if (!fresh) await this.#remove(documents.map(({ id }) => id))
    // Documents that were written together are found in the order of their ids, where nothing else orders them.
    const added = documents.filter(({ built }) => built !== null).sort((a, b) => a.id < b.id ? -1 : 1)
    for (const { id, built } of added) {
      const adding = this.#add(id, /** @type {BuiltDocument} */ (built))
      if (adding !== undefined) await adding
      if (this.#turn.isLong) await this.#turn.end()
    }
    this.#batch.sort()
    if (this.#turn.isLong) await this.#turn.end()
    await this.#numberTerms()
    await this.#putTerms()
    await this.#putForwards()
    await this.#putNames()
    await this.#putStatistics()
  }

  /** @param {string} key @param {string} value */
  put (key, value) {
    this.operations.push({ type: 'put', key, value })
    this.bytes += key.length + value.length
  }

  /** @param {string} key @param {string} value that it has */
  del (key, value) {
    this.operations.push({ type: 'del', key })
    this.bytes -= key.length + value.length
  }

  /** @param {string} key @param {string | undefined} before @param {string} value empty: it is removed */
  #replace (key, before, value) {
    if (before !== undefined) this.bytes -= key.length + before.length
    if (value !== '') this.put(key, value)
    else if (before !== undefined) this.operations.push({ type: 'del', key })
  }

  /** @param {string[]} keys @param {(value: string | undefined, i: number) => void | Promise<void>} take */
  async #read (keys, take) {
    for (let at = 0; at < keys.length; at += READ) {
      const values = await this.#keyspace.getMany(keys.slice(at, at + READ))
      for (let i = 0; i < values.length; i++) {
        const taken = take(values[i], at + i)
        if (taken !== undefined) await taken
        if (this.#turn.isLong) await this.#turn.end()
      }
    }
  }

  /** @param {string} field @param {number} documents @param {number} terms */
  #count (field, documents, terms) {
    const before = this.#statistics.get(field)
    this.#statistics.set(field, before === undefined ? [documents, terms] : [before[0] + documents, before[1] + terms])
  }

  /** @param {string[]} ids */
  async #remove (ids) {
    /** @type {number[]} */
    const docs = []
    const layout = this.#layout
    await this.#read(ids.map(id => layout.id(id)), (value, i) => {
      if (value === undefined) return
      docs.push(Number(value))
      this.del(layout.id(ids[i]), value)
    })
    await this.#read(docs.map(doc => layout.forward(doc)), (value, i) => { if (value !== undefined) this.#takeOut(docs[i], value) })
    await this.#read(docs.map(doc => layout.document(doc)), (value, i) => { if (value !== undefined) this.del(layout.document(docs[i]), value) })
    this.counts.documents -= docs.length
  }

  /** @param {number} doc @param {string} text its forward record */
  #takeOut (doc, text) {
    const { fields, numbers, terms } = decodeForward(text)
    for (const [field, length] of fields) this.#count(field, -1, -length)
    for (const number of terms) {
      const docs = this.#removed.get(number)
      if (docs === undefined) this.#removed.set(number, new Set([doc]))
      else docs.add(doc)
    }
    for (const [field, number] of numbers) this.del(this.#layout.number(field, number, doc), '')
    this.del(this.#layout.forward(doc), text)
  }

  /** @param {string} id @param {BuiltDocument} built @returns {void | Promise<void>} a promise of what takes more than a turn */
  #add (id, built) {
    const doc = this.counts.next++
    this.counts.documents++
    this.#batch.begin(doc)
    const added = inTurns(built.fields, ([field, length, norm, from, to]) => {
      this.#count(field, 1, length)
      this.#batch.add(field, norm, built.terms, from, to)
    })
    return added === undefined ? this.#addRest(id, built, doc) : added.then(() => this.#addRest(id, built, doc))
  }

  /** @param {string} id @param {BuiltDocument} built @param {number} doc */
  #addRest (id, built, doc) {
    for (const [field, term] of built.whole) {
      this.#count(field, 1, 1)
      this.#batch.addWhole(field, term)
    }
    this.#added.push({ doc, built })
    this.put(this.#layout.id(id), String(doc))
    this.put(this.#layout.document(doc), encodeDocument(id, built))
    return inTurns(built.numbers, ([field, number]) => this.put(this.#layout.number(field, number, doc), ''))
  }

  /** Finds the numbers of terms of the batch, or gives them some: the commonest have the lowest. */
  async #numberTerms () {
    const { unknown } = this.#batch
    // An index that is empty has no terms to be read.
    const isEmpty = this.counts.terms === 0
    const fresh = isEmpty ? [...unknown] : []
    const take = (/** @type {string | undefined} */ value, /** @type {number} */ i) => {
      if (value === undefined) fresh.push(unknown[i])
      else this.#number(unknown[i], Number(value))
    }
    if (!isEmpty) await this.#read(unknown.map(({ field, term }) => this.#layout.term(field, term)), take)
    fresh.sort((a, b) => this.#batch.count(b.place) - this.#batch.count(a.place))
    for (const each of fresh) {
      this.#number(each, this.#newTerm(each.field, each.term))
      if (this.#turn.isLong) await this.#turn.end()
    }
    this.#batch.remember()
  }

  /** @param {{ field: string, term: string, place: number }} term @param {number} number */
  #number ({ field, term, place }, number) {
    this.#batch.numbers[place] = number
    this.#known.set(field, term, number)
  }

  /** @param {string} field @param {string} term */
  #newTerm (field, term) {
    const number = this.counts.terms++
    if (number > LAST_TERM) throw new Error('The text index has had too many terms')
    this.put(this.#layout.term(field, term), String(number))
    this.#names.set(number, `${field}\0${term}`)
    return number
  }

  async #putTerms () {
    const changes = termChanges(this.#batch, this.#removed)
    const writer = new TermWriter(this.#keyspace, this.#layout, this)
    for (let at = 0; at < changes.records; at += READ) {
      const count = Math.min(READ, changes.records - at)
      const numbers = Array.from({ length: count }, (_, i) => changes.record(at + i))
      const records = await this.#keyspace.getBinary([...numbers.map(number => this.#layout.record(number)), ...numbers.map(number => this.#layout.late(number))])
      for (let i = 0; i < count; i++) {
        const changing = this.#putRecord(writer, numbers[i], changes.of(at + i), records[i], records[count + i])
        if (changing !== undefined) await changing
        if (this.#turn.isLong) await this.#turn.end()
      }
    }
  }

  /** @param {TermWriter} writer @param {number} number @param {Change[]} changes @param {Buffer | undefined} before @param {Buffer | undefined} late @returns {void | Promise<void>} */
  #putRecord (writer, number, changes, before, late) {
    const isLess = changes.some(({ out }) => out !== undefined)
    if (!isLess && before !== undefined && this.#added.length <= FEW) {
      const more = writer.addLate(before, late ?? NO_RECORD, changes, this.#batch)
      if (more !== undefined) return this.#replaceRecord(this.#layout.late(number), late, more)
    }
    const whole = late === undefined ? before : writer.join(before ?? NO_RECORD, late)
    const put = (/** @type {Buffer} */ record) => {
      this.#replaceRecord(this.#layout.record(number), before, record)
      if (late !== undefined) this.#replaceRecord(this.#layout.late(number), late, NO_RECORD)
    }
    if (isLess) return writer.change(whole, changes, this.#batch, gone => this.#names.set(gone, '')).then(put)
    put(writer.add(whole, changes, this.#batch))
  }

  /** @param {string} key @param {Buffer | undefined} before @param {Buffer} record */
  #replaceRecord (key, before, record) {
    this.bytes += (record.length === 0 ? 0 : key.length + record.length) - (before === undefined ? 0 : key.length + before.length)
    if (record.length > 0) this.operations.push({ type: 'put', key, value: record, valueEncoding: 'buffer' })
    else if (before !== undefined) this.operations.push({ type: 'del', key })
  }

  async #putForwards () {
    for (let i = 0; i < this.#added.length; i++) {
      const { doc, built } = this.#added[i]
      /** @type {Array<[string, number]>} */
      const fields = built.fields.map(([field, length]) => [field, length])
      for (const [field] of built.whole) fields.push([field, 1])
      if (this.#turn.isLong) await this.#turn.end()
      const encoded = encodeFields(fields)
      if (this.#turn.isLong) await this.#turn.end()
      this.put(this.#layout.forward(doc), encodeForward({ fields, numbers: built.numbers, terms: this.#batch.numbersOf(i) }, encoded))
      if (this.#turn.isLong) await this.#turn.end()
    }
  }

  /** The names of terms that have come or gone. */
  async #putNames () {
    const { records } = this.#names
    await this.#read(records.map(record => this.#layout.names(record)), (value, i) => {
      this.#replace(this.#layout.names(records[i]), value, this.#names.changed(records[i], value, (name, number) => this.#forget(name, number)))
    })
  }

  /** @param {string} name of a term that no document has any more @param {number} number */
  #forget (name, number) {
    const end = name.indexOf('\0')
    this.#known.delete(name.slice(0, end), name.slice(end + 1))
    this.del(this.#layout.termOf(name), String(number))
  }

  async #putStatistics () {
    const fields = [...this.#statistics.keys()]
    await this.#read(fields.map(field => this.#layout.statistics(field)), (value, i) => {
      const [documents, terms] = value === undefined ? [0, 0] : JSON.parse(value)
      const [more, moreTerms] = /** @type {[number, number]} */ (this.#statistics.get(fields[i]))
      const key = this.#layout.statistics(fields[i])
      if (documents + more === 0) this.operations.push({ type: 'del', key })
      else this.operations.push({ type: 'put', key, value: JSON.stringify([documents + more, terms + moreTerms]) })
    })
  }
}

/** Leaves out what is empty at the end. @param {string} id @param {BuiltDocument} built */
function encodeDocument (id, { stored, values }) {
  const parts = Object.keys(values).length > 0 ? [id, stored, values] : Object.keys(stored).length > 0 ? [id, stored] : [id]
  return JSON.stringify(parts)
}

module.exports = { IndexWriter }
