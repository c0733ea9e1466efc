'use strict'

const { DocumentBuilder } = require('./document-builder')
const { analyzer } = require('../analyzers/analyzer')
const { facetField } = require('./hidden-fields')
const { TermTable } = require('./terms/table')
const { WordTable } = require('./terms/word-table')

/** Units of documents that are sent at once, except for one that is longer: many, since terms that they share are sent once. */
const PART = 2 * 1024 * 1024

/**
 * Makes documents of what index functions gave, in a thread of the query server: `{ documents, emits, terms, built }`.
 *
 * @typedef {import('./document-builder').BuiltDocument} BuiltDocument
 * @typedef {{ dialect: 'search' | 'nouveau', analyzer: any, session?: string }} EncoderOptions session: see terms/dictionaries.js
 *
 * @param {EncoderOptions} options analyzer: what it is made of
 */
function makeEncoder ({ dialect, analyzer: spec, session }) {
  if (last === null || session === undefined || session !== last.session) {
    last = { session, texts: new Texts(analyzer(spec, { dialect: dialect === 'nouveau' ? 'nouveau' : 'clouseau' })) }
  }
  last.texts.table.clear()
  return new Encoder(dialects[dialect], last.texts)
}

/** The texts of the session that asked last. @type {{ session: string | undefined, texts: Texts } | null} */
let last = null

/** Adds texts to documents, whose terms it remembers. */
class Texts {
  table = new TermTable()
  #analyze
  /** @type {Map<(word: string) => string | null, WordTable>} */
  #words = new Map()

  /** @param {import('../..').Analyzer} analyze */
  constructor (analyze) { this.#analyze = analyze }

  /** @param {DocumentBuilder} builder @param {string} name of the field @param {string} text */
  add (builder, name, text) {
    const termOf = this.#analyze.termOf?.(name)
    if (termOf === undefined) return builder.addText(name, this.#analyze(text, name))
    let words = this.#words.get(termOf)
    if (words === undefined) this.#words.set(termOf, words = new WordTable(this.table, termOf))
    builder.addWords(name, text, words)
  }
}

class Encoder {
  #apply
  #texts
  #table
  #builder
  /** @type {BuiltDocument[]} */
  #built = []
  #units = 0
  #emits = 0

  /** @param {Apply} apply @param {Texts} texts */
  constructor (apply, texts) {
    this.#apply = apply
    this.#texts = texts
    this.#table = texts.table
    this.#builder = new DocumentBuilder(texts.table)
  }

  /** @param {Array<Array<[any, any]> | null>} views of one function */
  add ([rows]) {
    if (rows === null) this.#builder = new DocumentBuilder(this.#table)
    for (const [given] of rows ?? []) this.#apply(this.#builder, given, this.#texts)
    this.#emits += rows?.length ?? 0
  }

  /** @param {(part: any) => void} send */
  end (send) {
    const built = this.#builder.finish()
    this.#builder = new DocumentBuilder(this.#table)
    this.#built.push(built)
    this.#units += built.units
    if (this.#units >= PART) send(this.rest())
  }

  rest () {
    const { terms } = this.#table
    this.#table.send()
    const part = { documents: this.#built.length, emits: this.#emits, terms, built: this.#built }
    this.#built = []
    this.#units = this.#emits = 0
    this.#builder = new DocumentBuilder(this.#table)
    return part
  }
}

/**
 * @typedef {(builder: DocumentBuilder, given: any[], texts: Texts) => void} Apply what a function gave is checked in the
 *   sandbox, where strangers may reach: it is no more than JSON here
 */

/** @param {unknown} value */
function isYes (value) { return value === true || value === 'true' || value === 'yes' }

/** @type {Record<string, Apply>} */
const dialects = {
  /** @see https://docs.couchdb.org/en/stable/ddocs/search.html#index-functions */
  search (builder, [name, value, options], texts) {
    if (typeof name !== 'string') return
    if (options?.index !== false) addSearched(builder, name, value, options, texts)
    if (isYes(options?.store)) builder.store(name, value)
  },

  /** @see https://docs.couchdb.org/en/stable/ddocs/nouveau.html#index-functions */
  nouveau (builder, [type, name, value, options], texts) {
    if (typeof name !== 'string') return
    builder.addType(name, type)
    if (type === 'text' && typeof value === 'string') texts.add(builder, name, value)
    if (type === 'string' && typeof value === 'string') builder.addTerm(name, value)
    if (type === 'double' && typeof value === 'number') builder.addNumber(name, value)
    if (type === 'string' || (type === 'double' && typeof value === 'number')) builder.addValue(name, value)
    if (type === 'stored' || isYes(options?.store)) builder.store(name, value)
  }
}

/** @param {DocumentBuilder} builder @param {string} name @param {unknown} value @param {any} options @param {Texts} texts */
function addSearched (builder, name, value, options, texts) {
  if (typeof value === 'number') builder.addNumber(name, value)
  else if (typeof value === 'string') texts.add(builder, name, value)
  else if (typeof value === 'boolean') builder.addTerm(name, String(value))
  else return
  builder.addValue(name, value)
  if (isYes(options?.facet)) builder.addTerm(facetField(name), String(value))
  if (typeof options?.boost === 'number' && options.boost > 0) builder.boost(name, options.boost)
}

module.exports = { makeEncoder }
