'use strict'

const { lowerCase } = require('./lower-case')
const { kindAt, kinds, widthAt } = require('./kinds')

/** @typedef {import('../../..').Token} Token */

/** Longer tokens are cut into pieces of that length, as Lucene does. */
const MAX_LENGTH = 255

const { complex, doubleQuote, extend, extendNumLet, han, hebrew, hiragana, katakana, letter, midLetter, midNum, midNumLet, numeric, singleQuote } = kinds

/** A sequence that is drawn as one: keys, flags, tones of skin, joined people. */
const EMOJI = /[#*]\ufe0f?\u20e3|\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f)?[\u{e0020}-\u{e007f}]{0,16}(?:\u200d\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f)?){0,16}/uy

/** @param {number} kind */
function isLetter (kind) { return kind === letter || kind === hebrew }

/** @param {number} kind */
function isWordLike (kind) { return kind >= letter && kind <= katakana }

/**
 * Rules WB5, WB8 to WB10 and WB13 to WB13b.
 *
 * @param {number} left
 * @param {number} right
 */
function joins (left, right) {
  if (left <= hebrew) return right <= hebrew ? right >= letter : right === extendNumLet
  if (left === katakana) return right === katakana || right === extendNumLet
  return left === extendNumLet && right >= letter && right <= extendNumLet
}

/**
 * Rules WB6, WB7, WB11 and WB12: one punctuation between two letters or digits.
 *
 * @param {number} left
 * @param {number} middle
 */
function maySpan (left, middle) {
  if (middle < midLetter || middle > doubleQuote) return false
  if (left === numeric) return middle === midNum || middle === midNumLet || middle === singleQuote
  if (middle === doubleQuote) return left === hebrew
  return isLetter(left) && middle !== midNum
}

/**
 * @param {number} left
 * @param {number} middle
 * @param {number} right
 */
function spans (left, middle, right) {
  if (left === numeric) return right === numeric
  return middle === doubleQuote ? right === hebrew : isLetter(right)
}

/**
 * Skips marks and format characters (WB4).
 *
 * @param {string} text
 * @param {number} at
 */
function afterMarks (text, at) {
  while (at < text.length && kindAt(text, at) === extend) at += widthAt(text, at)
  return at
}

/** One pass over a text. */
class Scanner {
  /** @param {string} text */
  constructor (text) {
    this.text = text
    /** The end of the last word. */
    this.end = 0
    /** Whether the last word is more than joining punctuation. */
    this.isWord = false
    /** Whether the last word has marks or format characters. */
    this.hasMarks = false
  }

  /** Finds the end of the word that begins at `from` with a character of that kind. @param {number} from @param {number} kind */
  scan (from, kind) {
    this.isWord = isWordLike(kind)
    this.hasMarks = false
    this.end = from + widthAt(this.text, from)
    let last = kind
    while (last !== kinds.other && this.end - from < MAX_LENGTH) last = this.#step(last)
  }

  /** @param {number} last @returns {number} the kind of what was taken; `other` at the end */
  #step (last) {
    const { text } = this
    if (this.end >= text.length) return kinds.other
    const kind = kindAt(text, this.end)
    if (kind === extend) return this.#take(this.end, last, true)
    if (joins(last, kind)) return this.#take(this.end, kind, false)
    if (!maySpan(last, kind)) return kinds.other
    const after = afterMarks(text, this.end + 1)
    const next = after < text.length ? kindAt(text, after) : kinds.other
    if (spans(last, kind, next)) return this.#take(after, next, after > this.end + 1)
    // A Hebrew letter keeps the quote behind it (WB7a).
    return last === hebrew && kind === singleQuote ? this.#take(this.end, extendNumLet, false) : kinds.other
  }

  /** @param {number} at @param {number} kind @param {boolean} marks */
  #take (at, kind, marks) {
    this.end = at + widthAt(this.text, at)
    this.isWord ||= isWordLike(kind)
    this.hasMarks ||= marks
    return kind
  }
}

/**
 * Returns the end of a run of letters of one script that is written without spaces.
 *
 * @param {string} text
 * @param {number} at
 */
function complexEnd (text, at) {
  const most = Math.min(text.length, at + MAX_LENGTH)
  do at = afterMarks(text, at + widthAt(text, at))
  while (at < most && kindAt(text, at) === complex)
  return at
}

/** @param {string} text @param {number} at */
function emojiEnd (text, at) {
  EMOJI.lastIndex = at
  return EMOJI.test(text) ? afterMarks(text, EMOJI.lastIndex) : at
}

/**
 * Finds the end of the token that begins at `at` with a character of that kind.
 *
 * @param {Scanner} scanner
 * @param {number} at
 * @param {number} kind
 * @returns {boolean} whether there is one; the scanner's `end` is then behind it, and else where to go on
 */
function scanToken (scanner, at, kind) {
  const { text } = scanner
  if (kind <= extendNumLet) {
    scanner.scan(at, kind)
    return scanner.isWord
  }
  scanner.hasMarks = false
  if (kind === han || kind === hiragana) scanner.end = afterMarks(text, at + widthAt(text, at))
  else if (kind === complex) scanner.end = complexEnd(text, at)
  else scanner.end = emojiEnd(text, at)
  if (scanner.end > at) return true
  scanner.end = at + widthAt(text, at)
  return false
}

/** Whether a word of ASCII's letters ends before that unit. @param {number} unit */
function endsWord (unit) { return unit <= 32 || unit === 44 || unit === 45 }

/** Takes the words of a text. */
class Words {
  /**
   * A word of ASCII's letters in lower case: nearly all of many languages.
   *
   * @param {string} lower
   * @param {number} at where it begins
   * @param {number} end
   * @param {number} first its first `HALF` letters, five bits each
   * @param {number} second as many behind these
   */
  letters (lower, at, end, first, second) { this.other(lower.slice(at, end), at, end) }

  /**
   * Any other word.
   *
   * @param {string} term
   * @param {number} at
   * @param {number} end
   */
  other (term, at, end) {}
}

/** Letters in a number: those of a word of up to twice as many tell which word it is. */
const HALF = 6

/** Which of ASCII's letters in lower case it is, from 1; 0 for all else. @param {string} text @param {number} at */
function letterAt (text, at) {
  const unit = text.charCodeAt(at)
  return unit >= 97 && unit <= 122 ? unit - 96 : 0
}

/**
 * Tells of the words of a text, as Unicode's rules of word boundaries have them, in lower case; each ideograph and each Hiragana is a
 * word, and runs of Thai and its kin are one. Words with marks are in normal form C.
 *
 * @param {string} text
 * @param {Words} words
 * @see https://unicode.org/reports/tr29/#Word_Boundary_Rules
 */
function eachWord (text, words) {
  const lower = lowerCase(text)
  const { length } = lower
  const scanner = new Scanner(lower)
  for (let at = 0; at < length;) {
    const most = Math.min(length, at + MAX_LENGTH)
    const middle = Math.min(most, at + HALF)
    let end = at
    let first = 0
    let second = 0
    for (let unit = 0; end < middle && (unit = letterAt(lower, end)) > 0; end++) first = first << 5 | unit
    if (end === middle) {
      const last = Math.min(most, at + 2 * HALF)
      for (let unit = 0; end < last && (unit = letterAt(lower, end)) > 0; end++) second = second << 5 | unit
      if (end === last) while (end < most && letterAt(lower, end) > 0) end++
    }
    if (end > at && (end === length || endsWord(lower.charCodeAt(end)))) {
      words.letters(lower, at, end, first, second)
      at = end + 1
    } else {
      at = scanAt(scanner, at, words)
    }
  }
}

/**
 * Tells of the word that begins at `at`, if there is one. Returns where to go on.
 *
 * @param {Scanner} scanner
 * @param {number} at
 * @param {Words} words
 */
function scanAt (scanner, at, words) {
  const kind = kindAt(scanner.text, at)
  if (kind === kinds.other || (kind >= midLetter && kind <= extend)) return at + widthAt(scanner.text, at)
  if (!scanToken(scanner, at, kind)) return scanner.end
  const end = Math.min(scanner.end, at + MAX_LENGTH)
  const term = scanner.text.slice(at, end)
  words.other(scanner.hasMarks ? term.normalize() : term, at, end)
  return end
}

/** Gathers words as tokens. */
class TokenList extends Words {
  /** @type {Token[]} */
  tokens = []

  /** @param {string} term @param {number} start @param {number} end */
  other (term, start, end) { this.tokens.push({ term, position: this.tokens.length, start, end }) }
}

/**
 * Splits text into words.
 *
 * @param {string} text
 * @returns {Token[]} offsets in UTF-16 units
 */
function standardTokens (text) {
  const list = new TokenList()
  eachWord(text, list)
  return list.tokens
}

module.exports = { HALF, MAX_LENGTH, Words, eachWord, standardTokens }
