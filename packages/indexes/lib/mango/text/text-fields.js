'use strict'

const { Turn } = require('@potoroo/document-store')
const { DocumentBuilder } = require('@potoroo/search')
const { pathName, valuesOf } = require('./document-values')

/**
 * The fields that a document has in a text index of Mango. A field's name is its path and its type, `name.first:string`; an
 * element of a list has `[]` for its place, and `list.[]:length` is how many there are. `$default` has the strings of all
 * fields, and `$fieldnames` the names.
 *
 * @typedef {object} TextOptions
 * @property {Set<string> | null} fields those that are indexed; null: all
 * @property {boolean} hasDefault
 * @property {boolean} hasLengths
 * @property {import('@potoroo/search').Analyzer} analyze
 *
 * @typedef {Array<[field: string, as: string]>} Texts fields that a string has words in; as: whose analyzer they have
 */

const DEFAULT = '$default'
const NAMES = '$fieldnames'
const SPACE = 32
const LOW_SURROGATE = /[\udc00-\udfff]/

/** Values of a document, and UTF-16 units of them with their names: one with more is not in an index, as if a function gave too many rows. */
const MOST_VALUES = 100_000
const MOST_UNITS = 16 * 1024 * 1024

/** UTF-16 units of a text that are analyzed at once. */
const PIECE = 32 * 1024

/** @param {string[]} path @param {string} type */
function fieldName (path, type) { return `${pathName(path)}:${type}` }

/** Gathers the fields of one document. */
class TextFields {
  #options
  #longest
  #builder = new DocumentBuilder()
  /** @type {Set<string>} */
  #names = new Set()
  #values = 0
  #units = 0
  #turn = new Turn()

  /** @param {TextOptions} options */
  constructor (options) {
    this.#options = options
    this.#longest = longestOf(options.fields)
  }

  /** Whether the document has more than an index takes. */
  get isTooMuch () { return this.#values > MOST_VALUES || this.#units > MOST_UNITS }

  /** @param {any} doc @returns {Promise<import('@potoroo/search').BuiltDocument | undefined>} undefined: it has none of the fields, or too many values */
  async build (doc) {
    for (const { path, value } of valuesOf(doc)) {
      const added = this.#add(path, value)
      if (added !== undefined) await added
      if (this.isTooMuch) return undefined
      if (this.#turn.isLong) await this.#turn.end()
    }
    for (const name of this.#names) {
      this.#builder.addTerm(NAMES, name)
      if (this.#turn.isLong) await this.#turn.end()
    }
    return this.#names.size === 0 ? undefined : this.#finish()
  }

  async #finish () {
    const steps = this.#builder.steps()
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      if (this.#turn.isLong) await this.#turn.end()
    }
  }

  /** @param {string} path @param {any} value a list: its length @returns {void | Promise<void>} */
  #add (path, value) {
    if (Array.isArray(value)) return this.#addLength(`${path}:length`, value.length)
    // To look a long name up costs time.
    if (path.length > this.#longest) return
    const { fields, hasDefault } = this.#options
    const name = `${path}:${value === null ? 'null' : typeof value}`
    const isIn = fields === null || fields.has(name)
    if (isIn) this.#addValue(name, value)
    if (typeof value !== 'string') return
    /** @type {Texts} */
    const texts = isIn ? [[name, name]] : []
    if (fields?.has(`${path}:text`)) texts.unshift([this.#named(`${path}:text`), DEFAULT])
    if (isIn && hasDefault) texts.push([DEFAULT, DEFAULT])
    return this.#addTexts(texts, value)
  }

  /** Lengths are of no type that a definition could name. @param {string} name @param {number} length */
  #addLength (name, length) {
    if (this.#options.hasLengths) this.#builder.addNumber(this.#named(name), length)
  }

  /** @param {string} name */
  #named (name) {
    this.#values++
    this.#units += name.length
    this.#names.add(name)
    return name
  }

  /** @param {string} name @param {string | number | boolean | null} value */
  #addValue (name, value) {
    this.#named(name)
    if (typeof value === 'number') this.#builder.addNumber(name, value)
    else if (typeof value !== 'string') return this.#builder.addTerm(name, String(value ?? true))
    this.#builder.addValue(name, value)
  }

  /** @param {Texts} texts @param {string} value @returns {void | Promise<void>} a promise where it is long */
  #addTexts (texts, value) {
    this.#units += value.length
    if (value.length > PIECE) return this.#addLong(texts, value)
    for (const [name, as] of texts) this.#builder.addText(name, this.#options.analyze(value, as))
  }

  /** Analyzers that find words find them in pieces, too. @param {Texts} texts @param {string} value */
  async #addLong (texts, value) {
    const { analyze } = this.#options
    for (const [name, as] of texts) {
      const isWhole = analyze.termOf?.(as) === undefined
      for (let from = 0, to = 0; from < value.length; from = to) {
        to = isWhole ? value.length : pieceEnd(value, from)
        this.#builder.addText(name, analyze(value.slice(from, to), as))
        if (this.#turn.isLong) await this.#turn.end()
      }
    }
  }
}

/** @param {Set<string> | null} fields */
function longestOf (fields) {
  let longest = fields === null ? Infinity : 0
  for (const { length } of fields ?? []) longest = Math.max(longest, length)
  return longest
}

/**
 * Returns where a piece of a text ends: behind a space, or within a word where there is none for long.
 *
 * @param {string} text
 * @param {number} from
 */
function pieceEnd (text, from) {
  const most = from + PIECE
  if (most >= text.length) return text.length
  for (let at = most; at > from + PIECE / 2; at--) if (text.charCodeAt(at - 1) <= SPACE) return at
  return LOW_SURROGATE.test(text[most]) ? most + 1 : most
}

module.exports = { DEFAULT, MOST_UNITS, MOST_VALUES, NAMES, TextFields, fieldName }
