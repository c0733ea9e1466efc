'use strict'

const { unreadable } = require('./query-error')

/**
 * A word of a query. `at` is the character where it begins, from 0.
 *
 * @typedef {object} Token
 * @property {'name' | 'text' | 'number' | 'parameter' | 'mark' | 'end'} kind
 * @property {any} value
 * @property {number} at
 */

const FORMS = /** @type {Array<[Token['kind'] | 'space', RegExp]>} */ ([
  ['space', /\s+/uy],
  ['parameter', /\$[1-9]/uy],
  ['name', /[\p{L}_][\p{L}\p{N}\p{M}_$]*/uy],
  ['number', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/uy],
  ['text', /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/suy],
  ['mark', /\.\.|\^\?|<=|>=|!=|==|&&|\|\||[.[\](){}?*,:/\\=<>~&|+\-%!@$]/uy]
])

const ESCAPES = /** @type {Record<string, string>} */ ({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' })

/**
 * @param {string} query
 * @returns {Token[]} the last is the end
 * @throws query_parse_error
 */
function tokensOf (query) {
  /** @type {Token[]} */
  const tokens = []
  for (let at = 0; at < query.length;) {
    const { kind, text } = tokenAt(query, at)
    if (kind !== 'space') tokens.push({ kind, value: valueOf(kind, text), at })
    at += text.length
  }
  tokens.push({ kind: 'end', value: 'the end', at: query.length })
  return tokens
}

/** @param {string} query @param {number} at */
function tokenAt (query, at) {
  for (const [kind, form] of FORMS) {
    form.lastIndex = at
    const [text] = form.exec(query) ?? []
    if (text !== undefined) return { kind, text }
  }
  const isText = query[at] === '"' || query[at] === "'"
  throw unreadable(isText ? 'A text does not end that begins' : `There is a ${JSON.stringify(String.fromCodePoint(/** @type {number} */ (query.codePointAt(at))))} that means nothing`, at)
}

/** @param {string} kind @param {string} text */
function valueOf (kind, text) {
  if (kind === 'number') return Number(text)
  if (kind === 'parameter') return Number(text[1])
  if (kind !== 'text') return text
  return text.slice(1, -1).replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_, code, letter) => code === undefined ? ESCAPES[letter] ?? letter : String.fromCharCode(parseInt(code, 16)))
}

module.exports = { tokensOf }
