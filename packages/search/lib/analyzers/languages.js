'use strict'

const { bigrams } = require('./filters/bigrams')
const { arabic, greek, hindi, persian, romanian } = require('./filters/scripts')
const { asciiDigits, eliding, irishMutations, mapping, stopping, turkishLowerCase, withoutApostrophe, withoutPossessive } = require('./filters/words')
const { stemmerOf } = require('./stemmers')
const { stopWordsOf } = require('./stop-words')
const { lowerCase } = require('./tokenizers/lower-case')
const { segmentTokens } = require('./tokenizers/segments')
const { standardTokens } = require('./tokenizers/standard')

/** @typedef {import('../..').Token} Token */
/** @typedef {(text: string) => Token[]} Analyze */
/** @typedef {(tokens: Token[]) => Token[]} Filter */

/**
 * The parts of a language's analyzer: `tokens` splits, standard if not said, and `lower` puts into lower case; `letters` bring
 * letters into one form, of words and of patterns; `before` comes before stop words; `stem` is the stemmer's name and `stop` the
 * list's, the language's own if not said, and null for none.
 *
 * @typedef {{ tokens?: Analyze, lower?: (text: string) => string, letters?: Filter[], before?: Filter[], stem?: string | null,
 *   stop?: string | null }} Language
 */

/** @type {Record<string, Language>} */
const languages = {
  arabic: { letters: [asciiDigits, arabic] },
  armenian: {},
  basque: {},
  brazilian: { stem: 'portuguese' },
  bulgarian: {},
  catalan: { before: [eliding('d l m n s t')] },
  chinese: { tokens: segmentTokens('zh'), stem: 'porter', stop: null },
  cjk: { before: [bigrams], stem: null },
  czech: {},
  danish: {},
  dutch: {},
  english: { before: [withoutPossessive], stem: 'porter' },
  finnish: {},
  french: { before: [eliding('l m t qu n s j d c jusqu quoiqu lorsqu puisqu')] },
  galician: {},
  german: {},
  greek: { letters: [greek] },
  hindi: { letters: [asciiDigits, hindi] },
  hungarian: {},
  indonesian: {},
  irish: { tokens: text => irishMutations(text, standardTokens(text)), before: [eliding('d m b')] },
  italian: { before: [eliding('c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d')] },
  japanese: { tokens: segmentTokens('ja'), stem: null },
  latvian: {},
  norwegian: {},
  persian: { tokens: text => standardTokens(text.replaceAll('\u200c', ' ')), letters: [asciiDigits, arabic, persian], stem: null },
  polish: {},
  portuguese: {},
  romanian: { letters: [romanian] },
  russian: { letters: [mapping(term => term.replaceAll('ё', 'е'))] },
  spanish: {},
  swedish: {},
  thai: { tokens: segmentTokens('th'), letters: [asciiDigits], stem: null },
  turkish: { tokens: text => standardTokens(turkishLowerCase(text)), lower: turkishLowerCase, before: [withoutApostrophe] }
}

/**
 * Brings a list of words into the form in which the filters before it have the text.
 *
 * @param {Iterable<string>} words
 * @param {Filter[]} before
 */
function prepared (words, before) {
  const tokens = Array.from(words, term => ({ term, position: 0, start: 0, end: term.length }))
  return new Set(before.reduce((each, filter) => filter(each), tokens).map(({ term }) => term))
}

/**
 * Returns a language's analyzer: words in lower case without the language's stop words, stemmed.
 *
 * @param {string} name a key of `languages`
 * @param {Iterable<string>} [stopWords] instead of the language's
 * @returns {{ analyze: Analyze, termOf: ((word: string) => string | null) | undefined }} termOf: what becomes of a word of the standard tokenizer, wherever it
 *   stands; null: it is left out
 */
function languageAnalyzer (name, stopWords) {
  const { tokens = standardTokens, letters = [], before = [], stem = name, stop = name } = languages[name]
  const listed = stopWords ?? (stop === null ? [] : stopWordsOf(stop))
  const filters = [...letters, ...before, stopping(prepared(listed, [...letters, ...before]))]
  if (stem !== null) filters.push(mapping(stemmerOf(stem)))
  const filtered = (/** @type {Token[]} */ all) => filters.reduce((each, filter) => filter(each), all)
  const isWordByWord = tokens === standardTokens && !before.includes(bigrams)
  return {
    analyze: text => filtered(tokens(text)),
    termOf: isWordByWord ? word => filtered([{ term: word, position: 0, start: 0, end: word.length }])[0]?.term ?? null : undefined
  }
}

/**
 * Brings a pattern's text into the form in which a language's analyzer has its words: lower case, and one form of letters.
 *
 * @param {string} name a key of `languages`
 * @returns {(text: string) => string}
 */
function languageNormalizer (name) {
  const { lower = lowerCase, letters = [] } = languages[name]
  return text => {
    const term = lower(text).normalize()
    return letters.reduce((tokens, filter) => filter(tokens), [{ term, position: 0, start: 0, end: 0 }])[0].term
  }
}

module.exports = { languageAnalyzer, languageNormalizer, languages }
