'use strict'

const { isObject } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { foldAscii } = require('./filters/fold')
const { mapping, stopping } = require('./filters/words')
const { languageAnalyzer, languageNormalizer, languages } = require('./languages')
const { stopWordsOf } = require('./stop-words')
const { classicTokens } = require('./tokenizers/classic')
const { emailTokens } = require('./tokenizers/email')
const { lowerCase } = require('./tokenizers/lower-case')
const { keywordTokens, letterTokens, whitespaceTokens } = require('./tokenizers/simple')
const { standardTokens } = require('./tokenizers/standard')

/** @typedef {import('../..').Token} Token */
/** @typedef {import('../..').Analyzer} Analyzer */
/** @typedef {import('../..').AnalyzerSpec} AnalyzerSpec */
/** @typedef {import('../..').AnalyzerOptions} AnalyzerOptions */
/** @typedef {(text: string) => Token[]} Analyze */
/** @typedef {((word: string) => string | null) | undefined} TermOf what becomes of each word of the standard tokenizer, undefined: other words count */
/** @typedef {{ analyze: Analyze, termOf: TermOf }} Made */
/** @typedef {Made & { normalize: (text: string) => string }} Single an analyzer of one kind */

const fold = mapping(foldAscii)

/** Analyzers that know no language and leave nothing out. @type {Record<string, Analyze>} */
const plain = {
  keyword: keywordTokens,
  simple: letterTokens,
  simple_asciifolding: text => fold(letterTokens(text)),
  whitespace: whitespaceTokens
}

/** Analyzers that know no language, and leave English stop words out, or those that are given. @type {Record<string, Analyze>} */
const general = { classic: classicTokens, email: emailTokens, standard: standardTokens }

/** Fields that every analyzer takes as they are. */
const whole = new Set(['_id', '_partition'])

/**
 * Returns what brings the text of a pattern into the form of an analyzer's terms.
 *
 * @param {string} name
 * @returns {(text: string) => string}
 */
function normalizerOf (name) {
  if (name === 'keyword' || name === 'whitespace') return text => text
  if (Object.hasOwn(languages, name)) return languageNormalizer(name)
  return name === 'simple_asciifolding' ? text => foldAscii(lowerCase(text)) : text => lowerCase(text).normalize()
}

/** In the words of Nouveau, or of Clouseau. @param {unknown} name @param {AnalyzerOptions} options */
function unknown (name, { dialect }) {
  const shown = typeof name === 'string' ? name : JSON.stringify(name)
  if (dialect === 'nouveau') return badRequest(`${shown} is not a valid analyzer name`)
  return createError('BAD_REQUEST', { error: 'unknown_error', reason: `no_such_analyzer: ${shown}` })
}

/** @param {unknown} words @returns {string[] | undefined} */
function givenStopWords (words) {
  return Array.isArray(words) ? words.filter(word => typeof word === 'string') : undefined
}

/**
 * @param {string} name
 * @param {string[] | undefined} stopWords
 * @param {AnalyzerOptions} options
 * @returns {Made}
 */
function make (name, stopWords, { dialect = 'clouseau' }) {
  if (Object.hasOwn(plain, name)) return { analyze: plain[name], termOf: undefined }
  if (Object.hasOwn(languages, name)) return languageAnalyzer(name, stopWords)
  const tokens = general[name]
  const isWhole = dialect === 'nouveau' && name === 'standard'
  const words = stopWords ?? (isWhole ? [] : [...stopWordsOf('english')])
  const left = new Set(words)
  const stop = stopping(left)
  return { analyze: words.length === 0 ? tokens : text => stop(tokens(text)), termOf: name === 'standard' ? word => left.has(word) ? null : word : undefined }
}

/** Analyzers without words of their own are made once. @type {Map<string, Single>} */
const made = new Map()

/**
 * @param {AnalyzerSpec} spec
 * @param {AnalyzerOptions} options
 * @returns {Single}
 * @throws {import('@potoroo/errors').CouchError} BAD_REQUEST
 */
function single (spec, options) {
  /** @type {Record<string, any>} */
  const { name, stopwords } = isObject(spec) ? spec : { name: spec }
  if (!isAnalyzerName(name)) throw unknown(name, options)
  const stopWords = givenStopWords(stopwords)
  const normalize = normalizerOf(name)
  if (stopWords !== undefined) return { ...make(name, stopWords, options), normalize }
  const key = `${options.dialect} ${name}`
  let found = made.get(key)
  if (found === undefined) made.set(key, found = { ...make(name, undefined, options), normalize })
  return found
}

/**
 * Makes an analyzer that chooses by field. An unknown name means the default in Clouseau, and standard if the default is
 * unknown; Nouveau refuses both.
 *
 * @param {Record<string, any>} spec
 * @param {AnalyzerOptions} options
 * @returns {Analyzer}
 * @throws {import('@potoroo/errors').CouchError} BAD_REQUEST
 */
function perField (spec, options) {
  const isKnown = (/** @type {any} */ each) => options.dialect === 'nouveau' || isAnalyzerName(isObject(each) ? each.name : each)
  const fallback = single(isKnown(spec.default) ? spec.default ?? 'standard' : 'standard', options)
  /** @type {Map<string, Single>} */
  const fields = new Map()
  for (const [field, each] of Object.entries(isObject(spec.fields) ? spec.fields : {})) {
    if (isKnown(each)) fields.set(field, single(each, options))
  }
  return byField(field => fields.get(field) ?? fallback)
}

/** The identifier and the partition are one term, whatever the analyzer. @type {Single} */
const identity = { analyze: keywordTokens, termOf: undefined, normalize: text => text }

/** @param {(field: string) => Single} singleOf @returns {Analyzer} */
function byField (singleOf) {
  const of = (field = '') => whole.has(field) ? identity : singleOf(field)
  /** @type {Analyzer} */
  const analyze = (text, field) => of(field).analyze(text)
  analyze.normalize = (text, field) => of(field).normalize(text)
  analyze.termOf = field => of(field).termOf
  return analyze
}

/** @param {unknown} name @returns {name is string} whether there is an analyzer of that name; `perfield` is none */
function isAnalyzerName (name) {
  return typeof name === 'string' && [plain, general, languages].some(table => Object.hasOwn(table, name))
}

/**
 * Makes an analyzer: what turns a field's text into the terms that are found.
 *
 * @param {AnalyzerSpec} spec a name, or `{ name, stopwords }`, or `{ name: 'perfield', default, fields }`
 * @param {AnalyzerOptions} [options] `dialect`: `nouveau`'s standard analyzer leaves no stop words out
 * @returns {Analyzer} `_id` and `_partition` are one term
 * @throws {import('@potoroo/errors').CouchError} BAD_REQUEST where there is none of that name
 * @see https://docs.couchdb.org/en/stable/ddocs/search.html#analyzers
 */
function analyzer (spec, options = {}) {
  if (isObject(spec) && spec.name === 'perfield') return perField(spec, options)
  const only = single(spec, options)
  return byField(() => only)
}

module.exports = { analyzer, isAnalyzerName }
