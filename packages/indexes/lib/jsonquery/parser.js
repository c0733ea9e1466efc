'use strict'

const { functions } = require('./functions')
const { tooMuch, unreadable } = require('./query-error')
const { tokensOf } = require('./tokens')

/**
 * @typedef {import('./syntax').Node} Node
 * @typedef {import('./tokens').Token} Token
 */

/** UTF-16 units of a query, and its nodes. */
const LONGEST = 8192
const MOST_NODES = 1000

/** Levels of brackets. */
const DEEPEST = 50

/** Operators by how they bind, the loosest first. */
const LEVELS = [['|', '||'], ['&', '&&'], ['=', '==', '!=', '~'], ['<', '<=', '>', '>='], ['+', '-'], ['*', '/', '%']]

/** One spelling of each. @type {Record<string, string>} */
const SPELLINGS = { '||': '|', '&&': '&', '==': '=' }

const WORDS = /** @type {Map<string, any>} */ (new Map(Object.entries({ true: true, false: false, null: null })))

/** Reads a query by descent. */
class Parser {
  #tokens
  #parameters
  #at = 0
  #nodes = 0
  #depth = 0

  /** @param {Token[]} tokens @param {any[]} parameters */
  constructor (tokens, parameters) {
    this.#tokens = tokens
    this.#parameters = parameters
  }

  /** @returns {Node} */
  query () {
    const node = this.#expression()
    if (this.#token.kind !== 'end') throw this.#unexpected()
    return node
  }

  get #token () { return this.#tokens[this.#at] }

  #unexpected (wanted = '') {
    const { value, at } = this.#token
    return unreadable(`There is ${this.#token.kind === 'end' ? value : JSON.stringify(String(value))}${wanted === '' ? '' : ` where ${wanted} has to be,`}`, at)
  }

  /** @param {string[]} marks @returns {string | undefined} the mark that comes next, if it is one of these */
  #peek (...marks) { return this.#token.kind === 'mark' && marks.includes(this.#token.value) ? this.#token.value : undefined }

  /** Takes it, too. @param {string[]} marks */
  #take (...marks) {
    const mark = this.#peek(...marks)
    if (mark !== undefined) this.#at++
    return mark
  }

  /** @param {string} mark */
  #need (mark) { if (this.#take(mark) === undefined) throw this.#unexpected(`a "${mark}"`) }

  /** @param {Token['kind']} kind @returns {any} */
  #needKind (kind) {
    if (this.#token.kind !== kind) throw this.#unexpected(`a ${kind}`)
    return this.#tokens[this.#at++].value
  }

  /** @template {Node} T @param {T} node @returns {T} */
  #node (node) {
    if (++this.#nodes > MOST_NODES) throw tooMuch(`The query has more than ${MOST_NODES} parts`)
    return node
  }

  /** @template T @param {() => T} read what is in brackets @returns {T} */
  #inside (read) {
    if (++this.#depth > DEEPEST) throw unreadable(`There are more than ${DEEPEST} levels of brackets`, this.#token.at)
    const found = read()
    this.#depth--
    return found
  }

  /** @param {number} [level] @returns {Node} */
  #expression (level = 0) {
    if (level === LEVELS.length) return this.#unary()
    let left = this.#expression(level + 1)
    for (;;) {
      const { at } = this.#token
      const mark = this.#take(...LEVELS[level])
      if (mark === undefined) return left
      left = this.#binary(SPELLINGS[mark] ?? mark, left, this.#expression(level + 1), at)
    }
  }

  /** @param {string} op @param {Node} left @param {Node} right @param {number} at @returns {Node} */
  #binary (op, left, right, at) {
    const [text, other] = isText(right) ? [right, left] : isText(left) ? [left, right] : []
    if (op === '~' && text === undefined) throw unreadable('A "~" needs a text on one side,', at)
    const isPattern = text !== undefined && (op === '~' || (op === '=' && !text.isGiven && /[*?]/.test(text.value)))
    if (isPattern) return this.#node({ type: 'match', of: /** @type {Node} */ (other), pattern: text.value, folds: op === '~' })
    return this.#node({ type: 'binary', op, left, right })
  }

  /** @returns {Node} */
  #unary () {
    const op = this.#take('-', '+', '!')
    if (op === undefined) return this.#steps(this.#primary())
    return this.#inside(() => this.#node({ type: 'unary', op, of: this.#unary() }))
  }

  /** @returns {Node} */
  #primary () {
    // A step without what it is applied to is one of the whole, or of the current value.
    if (this.#peek('.', '..') || (this.#at === 0 && this.#peek('[', '?', '^?'))) return this.#node({ type: 'current' })
    const { kind, value } = this.#token
    if (kind === 'name') return this.#named()
    this.#at++
    if (kind === 'text' || kind === 'number') return this.#node({ type: 'literal', value })
    if (kind === 'parameter') return this.#node({ type: 'literal', value: this.#parameter(value), isGiven: true })
    if (kind === 'mark') {
      if (value === '$') return this.#node({ type: 'root' })
      if (value === '@') return this.#node({ type: 'current' })
      if (value === '(') return this.#inside(() => this.#closed(() => this.#expression(), ')'))
      if (value === '{') return this.#inside(() => this.#node({ type: 'object', members: this.#list('}', () => this.#member()) }))
      if (value === '[') return this.#inside(() => this.#node({ type: 'list', items: this.#list(']', () => this.#expression()) }))
    }
    this.#at--
    throw this.#unexpected('a value')
  }

  /** @returns {Node} */
  #named () {
    const { value, at } = this.#tokens[this.#at++]
    if (WORDS.has(value)) return this.#node({ type: 'literal', value: WORDS.get(value) })
    if (value === 'Math' && this.#peek('.')) return this.#call()
    if (this.#peek('(')) throw unreadable('Functions cannot be called, except those of Math: there is one', at)
    return this.#node({ type: 'member', of: { type: 'current' }, name: value })
  }

  /** @returns {Node} */
  #call () {
    this.#at++
    const { at } = this.#token
    const name = this.#needKind('name')
    if (!Object.hasOwn(functions, name)) throw unreadable(`There is no function Math.${name}:`, at)
    this.#need('(')
    return this.#inside(() => this.#node({ type: 'call', name, args: this.#list(')', () => this.#expression()) }))
  }

  /** @param {number} number */
  #parameter (number) {
    const value = this.#parameters[number - 1]
    if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) throw unreadable(`There is no text, number, boolean or null for $${number}`, this.#tokens[this.#at - 1].at)
    return value
  }

  /** @template T @param {() => T} read @param {string} end @returns {T} */
  #closed (read, end) {
    const found = read()
    this.#need(end)
    return found
  }

  /** @template T @param {string} end @param {() => T} read @returns {T[]} */
  #list (end, read) {
    /** @type {T[]} */
    const items = []
    if (this.#take(end)) return items
    do items.push(read())
    while (this.#take(','))
    this.#need(end)
    return items
  }

  #member () {
    const name = this.#token.kind === 'text' ? this.#needKind('text') : this.#needKind('name')
    this.#need(':')
    return { name, by: this.#expression() }
  }

  /** @param {Node} node @returns {Node} */
  #steps (node) {
    for (;;) {
      if (this.#take('.')) {
        node = this.#node(this.#take('*') ? { type: 'values', of: node } : { type: 'member', of: node, name: this.#needKind('name') })
        if (this.#peek('(')) throw unreadable('Methods cannot be called: there is a call', this.#token.at)
      } else if (this.#take('..')) {
        node = this.#take('[') ? this.#inside(() => this.#closed(() => this.#deep(node), ']')) : this.#node({ type: 'search', of: node, name: this.#needKind('name') })
      } else if (this.#take('[')) {
        node = this.#inside(() => this.#closed(() => this.#bracket(node), ']'))
      } else if (this.#depth === 0 && this.#peek('?', '^?')) {
        const distinct = this.#take('?', '^?') === '^?'
        return this.#node({ type: 'filter', of: node, by: this.#inside(() => this.#expression()), distinct, deep: false })
      } else return node
    }
  }

  /** @param {Node} of @returns {Node} */
  #deep (of) {
    if (this.#peek('?', '^?', '=') === undefined) throw this.#unexpected('a "?", "^?" or "="')
    return this.#byEach(of, true)
  }

  /** A filter or a mapping. @param {Node} of @param {boolean} deep @returns {Node} */
  #byEach (of, deep) {
    const mark = this.#take('?', '^?', '=')
    const by = this.#expression()
    return this.#node(mark === '=' ? { type: 'map', of, by, deep } : { type: 'filter', of, by, distinct: mark === '^?', deep })
  }

  /** @param {Node} of @returns {Node} */
  #bracket (of) {
    if (this.#peek('?', '^?', '=')) return this.#byEach(of, false)
    if (this.#peek('/', '\\')) return this.#node({ type: 'sort', of, keys: this.#sortKeys() })
    if (this.#isSlice()) return this.#slice(of)
    if (this.#take('*')) return this.#node({ type: 'values', of })
    const by = [this.#expression()]
    while (this.#take(',')) by.push(this.#expression())
    if (by.length > 1) return this.#node({ type: 'union', of, by })
    const [only] = by
    return this.#node(isText(only) ? { type: 'member', of, name: only.value } : { type: 'index', of, by: only })
  }

  #sortKeys () {
    const keys = []
    for (let mark = this.#take('/', '\\'); mark !== undefined; mark = this.#take('/', '\\')) {
      keys.push({ by: this.#steps(this.#primary()), descending: mark === '\\' })
      this.#take(',')
    }
    return keys
  }

  #isSlice () {
    const ahead = this.#tokens.slice(this.#at, this.#at + 3).filter(({ kind, value }) => kind !== 'mark' || value !== '-')
    const [first, second] = ahead
    return first !== undefined && (isColon(first) || (first.kind === 'number' && second !== undefined && isColon(second)))
  }

  /** @param {Node} of @returns {Node} */
  #slice (of) {
    const start = this.#integer()
    this.#need(':')
    const end = this.#integer()
    const { at } = this.#token
    const step = this.#take(':') ? this.#integer() ?? 1 : 1
    if (step < 1) throw unreadable('A step has to be 1 or more:', at)
    return this.#node({ type: 'slice', of, start, end, step })
  }

  /** @returns {number | null} */
  #integer () {
    const { at } = this.#token
    const isNegative = this.#take('-') !== undefined
    if (!isNegative && this.#token.kind !== 'number') return null
    const number = this.#needKind('number')
    if (!Number.isSafeInteger(number)) throw unreadable('There is no integer', at)
    return isNegative ? -number : number
  }
}

/** @param {Token} token */
function isColon ({ kind, value }) { return kind === 'mark' && value === ':' }

/** @param {Node} node @returns {node is import('./syntax').Literal & { value: string }} */
function isText (node) { return node.type === 'literal' && typeof node.value === 'string' }

/**
 * Reads a query. Nothing of it is ever run as code.
 *
 * @param {string} text
 * @param {any[]} [parameters] `$1` and those that follow
 * @returns {Node}
 * @throws query_parse_error with the character at which it goes wrong; query_too_large
 */
function parseQuery (text, parameters = []) {
  if (text.length > LONGEST) throw tooMuch(`The query has more than ${LONGEST} characters`)
  return new Parser(tokensOf(text), parameters).query()
}

module.exports = { parseQuery }
