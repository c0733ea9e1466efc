'use strict'

/**
 * A regular expression as a set of strings. Equal ones are the same object, so that they are the states of an automaton.
 *
 * @typedef {{ kind: 'nothing' } | { kind: 'empty' } | { kind: 'characters', ranges: number[] } | { kind: 'not', of: Expression } |
 *   { kind: 'sequence', first: Expression, rest: Expression } | { kind: 'any' | 'all', of: Expression[] } |
 *   { kind: 'repeat', of: Expression, least: number, most: number }} Shape
 * @typedef {Shape & { id: number, isNullable: boolean, steps: Map<number, Expression> }} Expression `isNullable`: the empty string
 *   belongs to it
 */

const LAST_CODE_POINT = 0x10ffff
/** More expressions are not made for one pattern and one term. */
const MOST_EXPRESSIONS = 20_000

/** Expressions and parts of them that one term may ask for, old ones too: the bound of its time. */
const MOST_WORK = 200_000
/** Alternatives of one state. */
const MOST_PARTS = 300

/** Says that a pattern needs too many states. */
class TooComplexError extends Error {}

/**
 * Makes expressions, and takes their derivatives: the derivative by a character is the set of all that may follow it.
 *
 * @see Brzozowski: Derivatives of regular expressions. Journal of the ACM 11, 1964
 */
class Expressions {
  /** @type {Map<string, Expression>} */
  #known = new Map()
  #made = 0
  #work = 0

  constructor () {
    this.nothing = this.#make('', { kind: 'nothing' }, false)
    this.empty = this.#make('e', { kind: 'empty' }, true)
    this.anyCharacter = this.characters([0, LAST_CODE_POINT])
    this.anyString = this.repeat(this.anyCharacter, 0, Infinity)
  }

  /** How many there are. */
  get size () { return this.#known.size }

  /** Begins the count of work for another term. @returns {number} how much there was */
  rest () {
    const work = this.#work
    this.#work = 0
    return work
  }

  /** One character of these. @param {number[]} ranges first and last code point of each range, in order @returns {Expression} */
  characters (ranges) {
    return ranges.length === 0 ? this.nothing : this.#make(`c${ranges.join()}`, { kind: 'characters', ranges }, false)
  }

  /** @param {string} text @returns {Expression} */
  literal (text) {
    return [...text].reduceRight((rest, character) => {
      const point = /** @type {number} */ (character.codePointAt(0))
      return this.sequence(this.characters([point, point]), rest)
    }, this.empty)
  }

  /** @param {Expression} first @param {Expression} rest @returns {Expression} */
  sequence (first, rest) {
    if (first === this.nothing || rest === this.nothing) return this.nothing
    if (first === this.empty) return rest
    if (rest === this.empty) return first
    if (first.kind === 'sequence') return this.sequence(first.first, this.sequence(first.rest, rest))
    return this.#make(`s${first.id},${rest.id}`, { kind: 'sequence', first, rest }, first.isNullable && rest.isNullable)
  }

  /** @param {Expression[]} of @returns {Expression} */
  any (of) {
    const parts = this.#flat(of, 'any').filter(each => each !== this.nothing)
    if (parts.length > MOST_PARTS) throw new TooComplexError(`More than ${MOST_PARTS} alternatives`)
    if (parts.includes(this.anyString)) return this.anyString
    if (parts.length < 2) return parts[0] ?? this.nothing
    return this.#make(`|${ids(parts)}`, { kind: 'any', of: parts }, parts.some(each => each.isNullable))
  }

  /** @param {Expression[]} of @returns {Expression} */
  all (of) {
    const parts = this.#flat(of, 'all').filter(each => each !== this.anyString)
    if (parts.includes(this.nothing)) return this.nothing
    if (parts.length < 2) return parts[0] ?? this.anyString
    return this.#make(`&${ids(parts)}`, { kind: 'all', of: parts }, parts.every(each => each.isNullable))
  }

  /** All strings but these. @param {Expression} of @returns {Expression} */
  not (of) {
    if (of.kind === 'not') return of.of
    if (of === this.nothing) return this.anyString
    return of === this.anyString ? this.nothing : this.#make(`~${of.id}`, { kind: 'not', of }, !of.isNullable)
  }

  /** @param {Expression} of @param {number} least @param {number} most @returns {Expression} */
  repeat (of, least, most) {
    if (most === 0 || of === this.empty) return this.empty
    if (of === this.nothing) return least === 0 ? this.empty : this.nothing
    if (least === 1 && most === 1) return of
    if (of.kind === 'repeat' && of.least === 0 && of.most === Infinity) return of
    return this.#make(`r${of.id},${least},${most}`, { kind: 'repeat', of, least, most }, least === 0 || of.isNullable)
  }

  /** The strings that may follow that character. @param {Expression} of @param {number} point @returns {Expression} */
  step (of, point) {
    let next = of.steps.get(point)
    if (next === undefined) of.steps.set(point, next = this.#derive(of, point))
    return next
  }

  /** @param {Expression} of @param {number} point @returns {Expression} */
  #derive (of, point) {
    switch (of.kind) {
      case 'characters': return holds(of.ranges, point) ? this.empty : this.nothing
      case 'sequence': return this.#deriveSequence(of, point)
      case 'any': return this.any(of.of.map(each => this.step(each, point)))
      case 'all': return this.all(of.of.map(each => this.step(each, point)))
      case 'not': return this.not(this.step(of.of, point))
      case 'repeat': return this.sequence(this.step(of.of, point), this.repeat(of.of, Math.max(0, of.least - 1), of.most - 1))
      default: return this.nothing
    }
  }

  /** @param {Expression & { kind: 'sequence' }} of @param {number} point */
  #deriveSequence ({ first, rest }, point) {
    const next = this.sequence(this.step(first, point), rest)
    return first.isNullable ? this.any([next, this.step(rest, point)]) : next
  }

  /** Parts of parts, each once and in order. @param {Expression[]} parts @param {'any' | 'all'} kind */
  #flat (parts, kind) {
    const all = parts.flatMap(each => each.kind === kind ? each.of : [each])
    this.#spend(all.length)
    return [...new Set(all)].sort((left, right) => left.id - right.id)
  }

  /** @param {number} work */
  #spend (work) {
    this.#work += work
    if (this.#work > MOST_WORK) throw new TooComplexError(`More than ${MOST_WORK} steps`)
  }

  /** @param {string} key @param {Shape} shape @param {boolean} isNullable @returns {Expression} */
  #make (key, shape, isNullable) {
    this.#spend(1)
    let found = this.#known.get(key)
    if (found !== undefined) return found
    if (this.#known.size >= MOST_EXPRESSIONS) throw new TooComplexError(`More than ${MOST_EXPRESSIONS} states`)
    found = { ...shape, id: this.#made++, isNullable, steps: new Map() }
    this.#known.set(key, found)
    return found
  }
}

/** @param {Expression[]} parts */
function ids (parts) { return parts.map(({ id }) => id).join() }

/** @param {number[]} ranges @param {number} point */
function holds (ranges, point) {
  for (let at = 0; at < ranges.length && ranges[at] <= point; at += 2) if (point <= ranges[at + 1]) return true
  return false
}

/**
 * Returns the character with which all strings of an expression begin.
 *
 * @param {Expression} of
 * @returns {number | null} its code point; null where there are several, or the empty string belongs to it
 */
function onlyFirst (of) {
  if (of.isNullable) return null
  switch (of.kind) {
    case 'characters': return of.ranges.length === 2 && of.ranges[0] === of.ranges[1] ? of.ranges[0] : null
    case 'sequence': return onlyFirst(of.first)
    case 'repeat': return onlyFirst(of.of)
    default: return null
  }
}

module.exports = { Expressions, LAST_CODE_POINT, MOST_EXPRESSIONS, TooComplexError, onlyFirst }
