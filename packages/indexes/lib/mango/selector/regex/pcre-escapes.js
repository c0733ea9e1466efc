'use strict'

const HORIZONTAL = '\\t \\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000'
const VERTICAL = '\\n\\v\\f\\r\\x85\\u2028\\u2029'
const SPACE = '\\t\\n\\v\\f\\r '

/** Escapes that mean something else in JavaScript, or nothing. @type {Record<string, string>} */
const ESCAPES = {
  d: '\\d',
  D: '\\D',
  w: '\\w',
  W: '\\W',
  b: '\\b',
  B: '\\B',
  n: '\\n',
  r: '\\r',
  t: '\\t',
  f: '\\f',
  s: `[${SPACE}]`,
  S: `[^${SPACE}]`,
  h: `[${HORIZONTAL}]`,
  H: `[^${HORIZONTAL}]`,
  v: `[${VERTICAL}]`,
  V: `[^${VERTICAL}]`,
  N: '[^\\n]',
  R: `(?:\\r\\n|[${VERTICAL}])`,
  A: '(?<![\\s\\S])',
  z: '(?![\\s\\S])',
  Z: '(?=\\n?(?![\\s\\S]))',
  E: '',
  a: '\\x07',
  e: '\\x1b'
}

/** The same within a class. @type {Record<string, string>} */
const IN_CLASS = {
  d: '\\d', D: '\\D', w: '\\w', W: '\\W', n: '\\n', r: '\\r', t: '\\t', f: '\\f', s: SPACE, S: '\\S', h: HORIZONTAL, v: VERTICAL, b: '\\x08', a: '\\x07', e: '\\x1b'
}

/** Classes within classes. @type {Record<string, string>} */
const POSIX = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: SPACE,
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
  cntrl: '\\x00-\\x1f\\x7f',
  print: '\\x20-\\x7e',
  graph: '\\x21-\\x7e',
  ascii: '\\x00-\\x7f'
}

/** A character as it is. @param {string} char */
function escape (char, inClass = false) {
  if (inClass ? /[\\\]^[-]/.test(char) : /[\\^$.*+?()[\]{}|/]/.test(char)) return `\\${char}`
  return char
}

/**
 * A character by its number: `\x41`, `\x{1f600}`, `\o{101}`, `\0`, `\cA`.
 *
 * @param {(expression: RegExp) => string[] | null} take
 * @returns {string | null}
 */
function codePoint (take) {
  const hex = take(/x\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{0,2})/y)
  if (hex !== null) return numbered(Number.parseInt(hex[1] ?? (hex[2] || '0'), 16))
  const octal = take(/o\{([0-7]{1,7})\}|(0[0-7]{0,2})/y)
  if (octal !== null) return numbered(Number.parseInt(octal[1] ?? octal[2], 8))
  const control = take(/c([\x20-\x7e])/y)
  return control === null ? null : numbered(control[1].toUpperCase().charCodeAt(0) ^ 64)
}

/** @param {number} number */
function numbered (number) { return `\\u{${number.toString(16)}}` }

/** @param {(expression: RegExp) => string[] | null} take @returns {string | null} */
function classEscape (take) {
  const known = take(/p\{(\^?)(\w+&?)\}|P\{(\^?)(\w+&?)\}|[pP]([A-Z])/y)
  if (known !== null) return property(known)
  const octal = take(/[1-7][0-7]{0,2}/y)
  if (octal !== null) return numbered(Number.parseInt(octal[0], 8))
  const simple = take(/[^HVNRXBA]/y)
  return simple === null ? null : IN_CLASS[simple[0]] ?? escape(simple[0], true)
}

/** `\p{L}`, `\P{^Greek}`, `\pL` @param {string[]} match */
function property (match) {
  const [whole, caret, name, otherCaret, otherName, letter] = match
  const negated = (whole[0] === 'P') !== ((caret ?? otherCaret) === '^')
  const value = name ?? otherName ?? letter
  const said = value === 'L&' ? 'LC' : /^[A-Z][a-z]?$|^Any$/.test(value) ? value : `Script=${value}`
  return `\\${negated ? 'P' : 'p'}{${said}}`
}

module.exports = { ESCAPES, POSIX, classEscape, codePoint, escape, property }
