'use strict'

/** @typedef {(word: string) => string} Stemmer */

/** Stems that are remembered for each language at most: text repeats its words. */
const REMEMBERED = 50_000

/** Languages that are in @orama/stemmers, and what it calls them where that differs. */
const orama = new Set(('arabic armenian bulgarian danish dutch finnish french german greek hindi hungarian indonesian irish italian norwegian ' +
  'portuguese romanian russian spanish swedish turkish').split(' '))

/** @type {Record<string, string>} */
const oramaNames = { hindi: 'indian' }

/** Languages that only snowball-stemmers has; `porter` is what Lucene takes for English. */
const snowball = ['basque', 'catalan', 'porter']

/** Light stemmers of our own for languages that Snowball has not. */
/** @type {Record<string, () => Stemmer>} */
const own = {
  czech: () => require('./light/czech').stem,
  galician: () => require('./light/galician').stem,
  latvian: () => require('./light/latvian').stem,
  polish: () => require('./light/polish').stem
}

/** @param {string} language @returns {Stemmer} */
function load (language) {
  if (orama.has(language)) return require(`@orama/stemmers/${oramaNames[language] ?? language}`).stemmer
  if (Object.hasOwn(own, language)) return own[language]()
  if (!snowball.includes(language)) throw new TypeError(`No stemmer of ${language}`)
  const stemmer = require('snowball-stemmers').newStemmer(language)
  return word => stemmer.stem(word)
}

/** @type {Map<string, Stemmer>} */
const stemmers = new Map()

/** @param {Stemmer} stem @returns {Stemmer} */
function remember (stem) {
  /** @type {Map<string, string>} */
  const stems = new Map()
  return word => {
    let found = stems.get(word)
    if (found !== undefined) return found
    found = stem(word)
    if (stems.size >= REMEMBERED) stems.clear()
    stems.set(word, found)
    return found
  }
}

/**
 * Loads the stemmer of a language.
 *
 * @param {string} language
 * @returns {Stemmer} of words in lower case
 * @see https://snowballstem.org/algorithms/
 */
function stemmerOf (language) {
  let stemmer = stemmers.get(language)
  if (stemmer === undefined) stemmers.set(language, stemmer = remember(load(language)))
  return stemmer
}

module.exports = { stemmerOf }
