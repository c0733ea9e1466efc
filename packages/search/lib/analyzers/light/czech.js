'use strict'

/** Endings of cases, the longest first; with how many letters the word must have at least. @type {[number, RegExp][]} */
const cases = [
  [8, /atech$/],
  [7, /(?:ětem|etem|atům)$/],
  [6, /(?:ech|ich|ích|ého|ěmi|emi|ému|ete|eti|iho|ího|ími|imu|ách|ata|aty|ých|ama|ami|ové|ovi|ými)$/],
  [5, /(?:em|es|ém|ím|ům|at|ám|os|us|ým|mi|ou)$/],
  [4, /[aeiouůyáéíýě]$/]
]

/** @param {string} word */
function withoutCase (word) {
  const found = cases.find(([length, ending]) => word.length >= length && ending.test(word))
  return found === undefined ? word : word.replace(found[1], '')
}

/** @param {string} word */
function withoutPossessive (word) { return word.length > 5 ? word.replace(/(?:ov|in|ův)$/, '') : word }

/** Consonants that endings soften are as they were. @type {[RegExp, string][]} */
const softened = [[/čt$/, 'ck'], [/št$/, 'sk'], [/[cč]$/, 'k'], [/[zž]$/, 'h'], [/e(.)$/, '$1'], [/ů(.)$/, 'o$1']]

/** @param {string} word */
function hardened (word) {
  const found = word.length > 1 ? softened.find(([ending]) => ending.test(word)) : undefined
  return found === undefined ? word : word.replace(found[0], found[1])
}

/**
 * Stems a Czech word lightly: cases, possessives, softened consonants.
 *
 * @param {string} word in lower case
 * @see Dolamic, Savoy: Indexing and stemming approaches for the Czech language. Information Processing & Management 45, 2009
 */
function stem (word) { return hardened(withoutPossessive(withoutCase(word))) }

module.exports = { stem }
