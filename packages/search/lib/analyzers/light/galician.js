'use strict'

/** Plurals, the first that fits is replaced: with how many letters must be left, and words that are none. @type {[RegExp, string, number][]} */
const plurals = [
  [/ns$/, 'n', 1], [/ós$/, 'ón', 3], [/ões$/, 'ón', 3], [/ães$/, 'án', 1], [/ais$/, 'al', 3], [/áis$/, 'al', 2], [/éis$/, 'el', 2],
  [/eis$/, 'el', 2], [/óis$/, 'ol', 2], [/ois$/, 'ol', 2], [/uis$/, 'ul', 2], [/les$/, 'l', 2], [/(?<=[rnsz])es$/, '', 3], [/ces$/, 'z', 2], [/s$/, '', 2]
]

/** Genders and the last vowel. */
const LAST = /(?<=.{3})[aoe]$/

/** @param {string} word */
function singular (word) {
  const found = plurals.find(([ending, , least]) => {
    const at = word.search(ending)
    return at >= least
  })
  return found === undefined ? word : word.replace(found[0], found[1])
}

/**
 * Stems a Galician word lightly: plural, gender, and accents.
 *
 * @param {string} word in lower case
 */
function stem (word) {
  return singular(word).replace(LAST, '').normalize('NFD').replace(/[\u0300\u0301]/g, '').normalize()
}

module.exports = { stem }
