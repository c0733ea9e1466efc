'use strict'

const { Turn } = require('@potoroo/document-store')
const { DocumentBuilder } = require('@potoroo/search')
const { typeOf } = require('../selector/type-of')
const { ELEMENT, pathName, valuesOf } = require('./document-values')

/**
 * The fields that a document has in a text index of Mango. A field's name is its path and its type, `name.first:string`; an
 * element of a list has `[]` for its place, and `list.[]:length` is how many there are. `$default` has the strings of all
 * fields, and `$fieldnames` the names. It tells all types of the values that a path has in a document, if the definition names
 * the path with any type: `$exists` and `$ne` look for them there.
 *
 * @typedef {object} TextOptions
 * @property {Set<string> | null} fields those that are indexed; null: all
 * @property {Set<string> | null} paths of them, see `pathsOf`
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

/**
 * The name in `$fieldnames` of values of a type.
 *
 * @param {string[]} path
 * @param {string} type
 */
function typeName (path, type) { return type === 'array' ? fieldName([...path, ELEMENT], 'length') : fieldName(path, type) }

/** The paths of the fields of a definition. @param {Set<string> | null} fields */
function pathsOf (fields) { return fields && new Set(Array.from(fields, name => name.replace(/:\w+$/, ''))) }

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
    for (const { paths, value } of valuesOf(doc)) {
      const added = this.#add(paths, value)
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

  /** @param {string[]} paths @param {any} value @returns {void | Promise<void>} */
  #add (paths, value) {
    /** @type {Texts} */
    const texts = []
    for (const path of paths) {
      if (Array.isArray(value)) this.#addLength(path, value.length)
      // To look a long name up costs time.
      else if (path.length <= this.#longest) this.#addAs(path, value, texts)
    }
    if (texts.length === 0) return
    if (this.#options.hasDefault && texts.some(([name, as]) => name === as)) texts.push([DEFAULT, DEFAULT])
    return this.#addTexts(texts, value)
  }

  /** @param {string} path @param {any} value @param {Texts} texts adds to it */
  #addAs (path, value, texts) {
    const { fields } = this.#options
    const type = typeOf(value)
    const name = `${path}:${type}`
    const isIn = type !== 'object' && (fields === null || fields.has(name))
    if (isIn) this.#addValue(name, value)
    else if (this.#tells(path)) this.#told(name)
    if (type !== 'string') return
    if (isIn) texts.push([name, name])
    if (fields?.has(`${path}:text`)) texts.push([this.#named(`${path}:text`), DEFAULT])
  }

  /** Lengths are of no type that a definition could name. @param {string} path @param {number} length */
  #addLength (path, length) {
    const name = `${path}.${ELEMENT}:length`
    if (this.#options.hasLengths) this.#builder.addNumber(this.#named(name), length)
    else if (this.#tells(path)) this.#told(name)
  }

  /** Whether the types of all values at a path are told. @param {string} path */
  #tells (path) {
    const { paths } = this.#options
    return paths === null || (path.length <= this.#longest && paths.has(path))
  }

  /** @param {string} name of values that are not in the index themselves */
  #told (name) { if (!this.#names.has(name)) this.#named(name) }

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

module.exports = { DEFAULT, MOST_UNITS, MOST_VALUES, NAMES, PIECE, TextFields, fieldName, pathsOf, typeName }
