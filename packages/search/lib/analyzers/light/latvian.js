'use strict'

/**
 * Endings, the first that fits goes: with how many vowels the word has more than, and whether it softens the consonant.
 *
 * @type {[string, number, boolean][]}
 */
const endings = [
  ['ajiem', 3, false], ['ajai', 3, false], ['ajam', 2, false], ['ajām', 2, false], ['ajos', 2, false], ['ajās', 2, false],
  ['iem', 2, true], ['ajā', 2, false], ['ais', 2, false], ['ai', 2, false], ['ei', 2, false], ['ām', 1, false], ['am', 1, false],
  ['ēm', 1, false], ['īm', 1, false], ['im', 1, false], ['um', 1, false], ['us', 1, true], ['as', 1, false], ['ās', 1, false],
  ['es', 1, false], ['os', 1, true], ['ij', 1, false], ['īs', 1, false], ['ēs', 1, false], ['is', 1, false], ['ie', 1, false],
  ['u', 1, true], ['a', 1, true], ['i', 1, true], ['e', 1, false], ['ā', 1, false], ['ē', 1, false], ['ī', 1, false],
  ['ū', 1, false], ['o', 1, false], ['s', 0, false], ['š', 0, false]
]

/** @param {string} word */
function vowels (word) { return word.replace(/[^aeiouāēīū]/g, '').length }

/** Consonants that an ending softened, as they were, and which go with what they had before. @type {[RegExp, string][]} */
const softened = [
  [/(p|b|m|v)j$/, '$1'], [/(š|ž)ņ$/, '$1ņ'], [/šņ$/, 'sn'], [/žņ$/, 'zn'], [/šļ$/, 'sl'], [/žļ$/, 'zl'], [/ļņ$/, 'ln'], [/ļļ$/, 'll'],
  [/č$/, 'c'], [/ļ$/, 'l'], [/ņ$/, 'n']
]

/** @param {string} word */
function hardened (word) {
  const found = softened.find(([ending]) => ending.test(word))
  return found === undefined ? word : word.replace(found[0], found[1])
}

/**
 * Stems a Latvian word lightly: endings of cases, and the consonants that they soften.
 *
 * @param {string} word in lower case
 * @see Kreslins: A stemming algorithm for Latvian. Loughborough University, 1996
 */
function stem (word) {
  const found = endings.find(([ending, least]) => word.endsWith(ending) && word.length >= ending.length + 3 && vowels(word) > least)
  if (found === undefined) return word
  const rest = word.slice(0, -found[0].length)
  return found[2] ? hardened(rest) : rest
}

module.exports = { stem }
