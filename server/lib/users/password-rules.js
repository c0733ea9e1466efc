'use strict'

const { badRequest, createError } = require('@potoroo/errors')

const REFUSED = 'Password does not conform to requirements.'

/** Characters of a password that expressions are tried on: some take more than linear time. */
const LONGEST = 1024

/** The rules as they were last read. @type {{ text: string, rules: Rule[] | null }} */
let known = { text: '', rules: [] }

/** @typedef {{ pattern: RegExp, reason: string }} Rule */

/**
 * Whether a new password is as `password_regexp` says: a list, in Erlang's writing, of regular
 * expressions that all have to match, each with or without a reason to be told:
 * `[{".{10,}", "Min length is 10 chars."}, "[A-Z]+"]`.
 *
 * @param {string} password
 * @param {string} text of the setting
 * @throws bad_request with the reason; forbidden where the setting cannot be read
 */
function requireStrong (password, text) {
  if (text !== known.text) known = { text, rules: readRules(text) }
  if (known.rules === null) throw createError('FORBIDDEN', { reason: 'Server cannot hash passwords at this time.' })
  for (const { pattern, reason } of known.rules) {
    if (password.length > LONGEST || !pattern.test(password)) throw badRequest(reason)
  }
}

/** @param {string} text @returns {Rule[] | null} null where it is no such list */
function readRules (text) {
  if (text.trim() === '') return []
  try {
    const list = new TermReader(text).read()
    return Array.isArray(list) ? list.map(readRule) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** @param {any} term @returns {Rule} */
function readRule (term) {
  const [source, reason] = term instanceof Tuple ? term.parts : [term]
  if (typeof source !== 'string') throw new SyntaxError('a rule is a text, or a tuple that begins with one')
  const reasoned = typeof reason === 'string' && reason !== ''
  const [, flags = '', pattern] = /** @type {RegExpExecArray} */ (/^(?:\(\?([ims]+)\))?(.*)$/s.exec(source))
  return { pattern: new RegExp(pattern, flags), reason: reasoned ? `${REFUSED} ${reason}` : REFUSED }
}

class Tuple {
  /** @param {any[]} parts */
  constructor (parts) { this.parts = parts }
}

/** @type {Record<string, string>} */
const ESCAPES = { n: '\n', r: '\r', t: '\t', s: ' ', e: '\x1b', d: '\x7f', b: '\b', f: '\f', v: '\v' }

/** Reads lists, tuples and texts of Erlang. */
class TermReader {
  #text
  #at = 0

  /** @param {string} text */
  constructor (text) { this.#text = text }

  read () {
    const term = this.#term()
    this.#skip()
    if (this.#at < this.#text.length && this.#text.slice(this.#at).trim() !== '.') throw new SyntaxError('something follows')
    return term
  }

  /** @returns {any} */
  #term () {
    this.#skip()
    const first = this.#text[this.#at++]
    if (first === '[') return this.#parts(']')
    if (first === '{') return new Tuple(this.#parts('}'))
    if (first === '"') return this.#string()
    throw new SyntaxError('no list, tuple or text')
  }

  /** @param {string} end */
  #parts (end) {
    /** @type {any[]} */
    const parts = []
    this.#skip()
    if (this.#text[this.#at] === end) return this.#pass(parts)
    for (;;) {
      parts.push(this.#term())
      this.#skip()
      if (this.#text[this.#at] === end) return this.#pass(parts)
      if (this.#text[this.#at++] !== ',') throw new SyntaxError('no comma')
    }
  }

  /** @param {any[]} parts */
  #pass (parts) {
    this.#at++
    return parts
  }

  #string () {
    let text = ''
    for (;;) {
      const next = this.#text[this.#at++]
      if (next === undefined) throw new SyntaxError('no end of a text')
      if (next === '"') return text
      text += next === '\\' ? this.#escaped() : next
    }
  }

  #escaped () {
    const next = this.#text[this.#at++] ?? ''
    return Object.hasOwn(ESCAPES, next) ? ESCAPES[next] : next
  }

  #skip () {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }
}

module.exports = { requireStrong }
