'use strict'

/**
 * Puts text into lower case, each character for itself and as long as it was: a capital I with a dot is one unit, and a sigma
 * at the end of a word is the usual one, as in Lucene.
 *
 * @param {string} text
 */
function lowerCase (text) {
  return /[\u0130\u03a3]/.test(text) ? text.replace(/\u0130/g, 'i').replace(/\u03a3/g, '\u03c3').toLowerCase() : text.toLowerCase()
}

module.exports = { lowerCase }
