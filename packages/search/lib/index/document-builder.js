'use strict'

const { TYPES, typeTerm } = require('./hidden-fields')
const { keyPart, orderedNumber } = require('./layout')
const { TermTable } = require('./terms/table')
const { eachWord } = require('../analyzers/tokenizers/standard')
const { encodeLength } = require('../postings/norm')

/** Positions of a field: what is behind them is not found. */
const MOST_POSITIONS = 2 ** 23

/** Units of a token beside those of other things. */
const TOKEN = 8

/** Units of a field, or a number: what is kept of each while a batch of documents is written. */
const FIELD = 128

/** UTF-16 units of a text by which documents may be sorted and counted. */
const LONGEST_VALUE = 256

/**
 * A document as an index takes it.
 *
 * @typedef {object} BuiltDocument
 * @property {import('./terms/table').Terms} terms of this document and perhaps others
 * @property {Array<[field: string, length: number, norm: number, from: number, to: number]>} fields from, to: tokens of `terms`
 * @property {Array<[field: string, term: string]>} whole fields with one term
 * @property {Array<[field: string, number: string]>} numbers as `orderedNumber` has them
 * @property {Record<string, any>} stored what queries may give back: a value, or several
 * @property {Record<string, any>} values what queries may sort by and count
 * @property {number} units a measure of its size
 *
 * @typedef {{ term: string, position: number, start: number, end: number }} Token
 */

/** Gathers what is to be indexed of one document. */
class DocumentBuilder {
  #table
  #isShared
  /** The tokens of each field, from where to where. @type {Map<string, Field>} */
  #fields = new Map()
  /** By field and number, each once. @type {Map<string, [string, string]>} */
  #numbers = new Map()
  #stored = Object.create(null)
  #values = Object.create(null)
  /** How much more a field is worth than another. @type {Map<string, number>} */
  #boosts = new Map()
  /** @type {Set<string>} */
  #types = new Set()
  #units = 0

  /** @param {TermTable} [table] of several documents; who has made it finishes it */
  constructor (table) {
    this.#table = table ?? new TermTable()
    this.#isShared = table !== undefined
  }

  /**
   * Adds the terms of a text. A field may have several texts, one behind the other.
   *
   * @param {string} name of the field
   * @param {Token[]} tokens
   */
  addText (name, tokens) {
    const field = this.#field(name)
    const from = this.#table.count
    addTokens(this.#table, field, tokens)
    field.parts.push([from, this.#table.count])
  }

  /**
   * The same of the words of a text, by the standard tokenizer.
   *
   * @param {string} name of the field
   * @param {string} text
   * @param {import('./terms/word-table').WordTable} words of the table
   */
  addWords (name, text, words) {
    const field = this.#field(name)
    const from = this.#table.count
    words.begin(field.next, MOST_POSITIONS)
    eachWord(text, words)
    field.next = words.next
    field.parts.push([from, this.#table.count])
  }

  /** @param {string} name */
  #field (name) {
    const part = keyPart(name)
    let field = this.#fields.get(part)
    if (field === undefined) this.#fields.set(part, field = { parts: [], next: 0, isSorted: true, whole: new Set() })
    return field
  }

  /** Adds a text that is a term as a whole. A field has each once, and others there make it no longer, as in Lucene. @param {string} name @param {string} value */
  addTerm (name, value) {
    const field = this.#field(name)
    if (field.whole.has(value)) return
    field.whole.add(value)
    this.addText(name, [{ term: value, position: 0, start: 0, end: value.length }])
  }

  /** Says of which type a field is. @param {string} name @param {string} type */
  addType (name, type) {
    const term = typeTerm(type, name)
    if (this.#types.has(term)) return
    this.#types.add(term)
    this.addTerm(TYPES, term)
  }

  /** @param {string} name @param {number} value finite */
  addNumber (name, value) {
    const number = orderedNumber(value)
    const field = keyPart(name)
    this.#numbers.set(`${field}\0${number}`, [field, number])
    this.#units += FIELD
  }

  /** @param {string} name @param {any} value that is given back */
  store (name, value) { this.#units += gather(this.#stored, name, value) }

  /** @param {string} name @param {any} value to sort by, or to count; a long text is left out */
  addValue (name, value) {
    if (typeof value !== 'string' || value.length <= LONGEST_VALUE) this.#units += gather(this.#values, name, value)
  }

  /**
   * Lets a field count as if it was shorter: Lucene's boosts of its earlier relevance divide the root of the length.
   *
   * @param {string} name
   * @param {number} boost
   */
  boost (name, boost) {
    const part = keyPart(name)
    this.#boosts.set(part, (this.#boosts.get(part) ?? 1) * boost)
  }

  /** @returns {BuiltDocument} */
  finish () {
    const steps = this.steps()
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
    }
  }

  /** Does the same field by field, so that others may run in between. @returns {Generator<void, BuiltDocument>} */
  * steps () {
    /** @type {BuiltDocument['fields']} */
    const fields = []
    for (const [name, field] of this.#fields) {
      const finished = this.#finished(name, field)
      // A field without terms is none: the idf of others does not count it.
      if (finished[1] > 0) fields.push(finished)
      yield
    }
    if (!this.#isShared) this.#table.finish()
    return { terms: this.#table.terms, fields, whole: [], numbers: [...this.#numbers.values()], stored: { ...this.#stored }, values: { ...this.#values }, units: this.#units }
  }

  /** @param {string} name @param {Field} field @returns {BuiltDocument['fields'][number]} */
  #finished (name, { parts, isSorted, whole }) {
    const table = this.#table
    let [[from, to]] = parts
    if (parts.length > 1) {
      from = table.count
      for (const [start, end] of parts) table.repeat(start, end)
      to = table.count
    }
    if (!isSorted) table.sort(from, to)
    this.#units += FIELD + TOKEN * (to - from)
    return [name, to - from, this.#norm(name, whole.size === parts.length ? 1 : to - from), from, to]
  }

  /** @param {string} name @param {number} length */
  #norm (name, length) {
    const boost = this.#boosts.get(name) ?? 1
    return encodeLength(boost === 1 ? length : Math.max(1, Math.min(2 ** 31 - 1, Math.round(length / boost ** 2))))
  }
}

/** @typedef {{ parts: Array<[from: number, to: number]>, next: number, isSorted: boolean, whole: Set<string> }} Field next: where its next text begins; whole: its texts that are terms */

/** @param {TermTable} table @param {Field} field @param {Token[]} tokens of a text; it stands behind those before */
function addTokens (table, field, tokens) {
  const base = field.next
  let last = 0
  for (let i = 0; i < tokens.length; i++) {
    const { term, position } = tokens[i]
    const place = base + position
    if (place >= MOST_POSITIONS) continue
    if (place < last) field.isSorted = false
    last = place
    table.add(term, place)
    if (place >= field.next) field.next = place + 1
  }
}

/** Gathers several values of a name in a list. @param {any} object @param {string} name @param {any} value */
function gather (object, name, value) {
  const before = object[name]
  if (before === undefined) object[name] = value
  else if (Array.isArray(before)) before.push(value)
  else object[name] = [before, value]
  return name.length + (typeof value === 'string' ? value.length : 8)
}

module.exports = { DocumentBuilder }
