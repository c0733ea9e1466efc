'use strict'

/**
 * Whether a function might change the document that it is given. CouchDB freezes documents, so that a
 * function that sets `doc.n` reads the old value still; freezing takes as long as all the rest, and most
 * functions only read. If the source leaves a doubt, the answer is yes. A function that hides a change
 * from this (in the name of a method that it makes up) sees it; so do the others of its design document.
 */

/** Names that stand for a change, or through which one can be made unseen. */
const WORDS = new RegExp(`\\b(?:${[
  'delete', 'push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin',
  'Object(?!\\s*\\.\\s*(?:keys|values|entries)\\b)', 'Reflect', 'eval', 'Function', 'require', 'this', 'globalThis', 'with',
  'call', 'apply', 'bind', 'constructor', 'prototype', '__\\w+__'
].join('|')})\\b`)

/** A name in a member, or the end of one by brackets or of a pattern. */
const TARGET = '(?:\\.\\s*[\\p{ID_Continue}$#]+|[\\])}])'
const ASSIGNMENT = '(?:[-+*/%&|^]|\\*\\*|<<|>>>?|&&|\\|\\||\\?\\?)?=(?![=>])'

const CHANGES = [
  WORDS,
  // Names in disguise.
  /\\u/,
  new RegExp(`${TARGET}\\s*${ASSIGNMENT}`, 'u'),
  new RegExp(`${TARGET}\\s*(?:\\+\\+|--)`, 'u'),
  // ++doc.n and ++of(doc).n, but not i++ < n
  /(?:\+\+|--)\s*(?:[([/]|new\b|[\p{ID_Continue}$]+\s*[.[?(/])/u,
  // for (doc.n of …)
  /\bfor\b(?!\s*\(\s*(?:var\b|let\b|const\b|;|[\p{ID_Continue}$]+\s*(?:[=;]|in\b|of\b)))/u,
  // A method by a name that is computed.
  /\]\s*(?:\(|\?\.|`)/,
  // A comment where one of the above looks for none. Each line begins again: a run of them would cost its square.
  new RegExp(`(?:^|\\*/)[^\\S\\n\\r\\u2028\\u2029]*${ASSIGNMENT}`, 'm'),
  /\*\/\s*(?:[\p{ID_Continue}$#]+\s*=(?!=)|\+\+|--|\(|\[)/u,
  /\.\s*\/[/*]/
]

/** `const { a, b } = `: it only names things. */
const DECLARATION = /\b(?:var|let|const)\s*(?:\{[^{}[\]=]*\}|\[[^{}[\]=]*\])\s*=(?!=)/g

/**
 * @param {string} source
 * @returns {boolean}
 */
function mayChange (source) {
  const rest = source.replace(DECLARATION, ' ; ')
  return CHANGES.some(pattern => pattern.test(rest))
}

module.exports = { mayChange }
