'use strict'

/** The words that Lucene leaves out of English, and Clouseau of standard text too. */
const english = 'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(' ')

/** The words of texts that mix English with East Asia's languages, after Lucene's CJKAnalyzer. */
const cjk = [...english.filter(word => word !== 'an'), 's', 't', 'www']

/** Languages whose list is taken from @orama/stopwords. */
const orama = new Set('armenian danish dutch finnish french german greek indonesian italian norwegian portuguese russian spanish swedish'.split(' '))

/** The others are in `stopword`, under these names. */
/** @type {Record<string, string>} */
const codes = {
  arabic: 'ara',
  basque: 'eus',
  brazilian: 'porBr',
  bulgarian: 'bul',
  catalan: 'cat',
  czech: 'ces',
  galician: 'glg',
  hindi: 'hin',
  hungarian: 'hun',
  irish: 'gle',
  japanese: 'jpn',
  latvian: 'lav',
  persian: 'fas',
  polish: 'pol',
  romanian: 'ron',
  thai: 'tha',
  turkish: 'tur'
}

/** @param {string} language @returns {string[]} */
function load (language) {
  if (language === 'english') return english
  if (language === 'cjk') return cjk
  if (orama.has(language)) return require(`@orama/stopwords/${language}`).stopwords
  return require('stopword')[codes[language]]
}

/** @type {Map<string, ReadonlySet<string>>} */
const sets = new Map()

/**
 * Returns the words of a language that are left out: Snowball's list for most.
 *
 * @param {string} language
 * @returns {ReadonlySet<string>} in lower case
 */
function stopWordsOf (language) {
  let words = sets.get(language)
  if (words === undefined) sets.set(language, words = new Set(load(language)))
  return words
}

module.exports = { stopWordsOf }
