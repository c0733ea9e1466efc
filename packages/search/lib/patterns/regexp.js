'use strict'

const { classes, inverted, joined } = require('./character-ranges')
const { interval } = require('./number-intervals')

/** @typedef {import('./expressions').Expressions} Expressions */
/** @typedef {import('./expressions').Expression} Expression */

/** The repetitions that braces may ask for. */
const MOST_TIMES = 1000
const DEEPEST = 200

/** Reads a regular expression of Lucene's syntax. */
class RegExpParser {
  #characters
  #make
  #at = 0
  #depth = 0

  /** @param {string} pattern @param {Expressions} make */
  constructor (pattern, make) {
    this.#characters = [...pattern]
    this.#make = make
  }

  /** @returns {Expression} @throws {SyntaxError} */
  parse () {
    if (this.#characters.length === 0) return this.#make.empty
    const found = this.#union()
    if (this.#isMore) throw new SyntaxError(`end-of-string expected at position ${this.#at}`)
    return found
  }

  get #isMore () { return this.#at < this.#characters.length }

  /** @param {string} of */
  #peek (of) { return this.#isMore && of.includes(this.#characters[this.#at]) }

  /** @param {string} character */
  #match (character) {
    if (this.#characters[this.#at] !== character) return false
    this.#at++
    return true
  }

  /** @param {string} character */
  #expect (character) {
    if (!this.#match(character)) throw new SyntaxError(`expected '${character}' at position ${this.#at}`)
  }

  #next () {
    if (!this.#isMore) throw new SyntaxError('unexpected end-of-string')
    return this.#characters[this.#at++]
  }

  /** @returns {Expression} */
  #union () {
    if (++this.#depth > DEEPEST) throw new SyntaxError(`more than ${DEEPEST} parentheses are open`)
    const parts = [this.#intersection()]
    while (this.#match('|')) parts.push(this.#intersection())
    this.#depth--
    return this.#make.any(parts)
  }

  #intersection () {
    const parts = [this.#sequence()]
    while (this.#match('&')) parts.push(this.#sequence())
    return this.#make.all(parts)
  }

  #sequence () {
    const parts = [this.#repeat()]
    while (this.#isMore && !this.#peek(')|&')) parts.push(this.#repeat())
    return parts.reduceRight((rest, first) => this.#make.sequence(first, rest))
  }

  #repeat () {
    let found = this.#complement()
    while (this.#peek('?*+{')) {
      const sign = this.#next()
      if (sign === '?') found = this.#make.repeat(found, 0, 1)
      else if (sign === '*') found = this.#make.repeat(found, 0, Infinity)
      else if (sign === '+') found = this.#make.repeat(found, 1, Infinity)
      else found = this.#times(found)
    }
    return found
  }

  /** @param {Expression} of */
  #times (of) {
    const least = this.#integer()
    let most = least
    if (this.#match(',')) most = this.#peek('0123456789') ? this.#integer() : Infinity
    this.#expect('}')
    if (least > most) throw new SyntaxError(`invalid repetition range(out of order): ${least}..${most}`)
    return this.#make.repeat(of, least, most)
  }

  #integer () {
    let text = ''
    while (this.#peek('0123456789')) text += this.#next()
    if (text === '') throw new SyntaxError(`integer expected at position ${this.#at}`)
    if (Number(text) > MOST_TIMES) throw new SyntaxError(`more than ${MOST_TIMES} repetitions`)
    return Number(text)
  }

  #complement () {
    let isNot = false
    while (this.#match('~')) isNot = !isNot
    const found = this.#characterClass()
    return isNot ? this.#make.not(found) : found
  }

  #characterClass () {
    if (!this.#match('[')) return this.#simple()
    const isNot = this.#match('^')
    const ranges = this.#classRange()
    while (this.#isMore && !this.#peek(']')) ranges.push(...this.#classRange())
    this.#expect(']')
    return this.#make.characters(isNot ? inverted(ranges) : joined(ranges))
  }

  #classRange () {
    const named = this.#named()
    if (named !== undefined) return [...named]
    const first = this.#point()
    const last = this.#match('-') ? this.#point() : first
    if (first > last) throw new SyntaxError(`invalid range: from (${first}) cannot be > to (${last})`)
    return [first, last]
  }

  /** @returns {number[] | undefined} */
  #named () {
    const name = this.#characters[this.#at + 1] ?? ''
    if (this.#characters[this.#at] !== '\\' || !Object.hasOwn(classes, name)) return undefined
    this.#at += 2
    return classes[name]
  }

  #point () {
    this.#match('\\')
    return /** @type {number} */ (this.#next().codePointAt(0))
  }

  /** @returns {Expression} */
  #simple () {
    if (this.#match('.')) return this.#make.anyCharacter
    if (this.#match('#')) return this.#make.nothing
    if (this.#match('@')) return this.#make.anyString
    if (this.#match('"')) return this.#make.literal(this.#until('"'))
    if (this.#match('(')) return this.#group()
    if (this.#match('<')) return this.#interval(this.#until('>'))
    const named = this.#named()
    if (named !== undefined) return this.#make.characters(named)
    if (this.#peek('\\') && /^[a-z]$/i.test(this.#characters[this.#at + 1] ?? '')) throw new SyntaxError(`invalid character class \\${this.#characters[this.#at + 1]}`)
    const point = this.#point()
    return this.#make.characters([point, point])
  }

  #group () {
    if (this.#match(')')) return this.#make.empty
    const found = this.#union()
    this.#expect(')')
    return found
  }

  /** @param {string} end */
  #until (end) {
    let text = ''
    while (this.#isMore && !this.#peek(end)) text += this.#next()
    this.#expect(end)
    return text
  }

  /** @param {string} text */
  #interval (text) {
    const bounds = /^([0-9]{1,100})-([0-9]{1,100})$/.exec(text)
    if (bounds === null) throw new SyntaxError(`interval syntax error at position ${this.#at - 1}`)
    return interval(this.#make, bounds[1], bounds[2])
  }
}

/**
 * Parses a regular expression of Lucene's syntax. It matches whole terms: there are no anchors.
 *
 * @param {string} pattern
 * @param {Expressions} make
 * @returns {Expression}
 * @throws {SyntaxError}
 * @see https://lucene.apache.org/core/9_12_0/core/org/apache/lucene/util/automaton/RegExp.html
 */
function parseRegExp (pattern, make) { return new RegExpParser(pattern, make).parse() }

module.exports = { parseRegExp }
