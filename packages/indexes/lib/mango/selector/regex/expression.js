'use strict'

const { badArgument, mangoError } = require('../mango-error')
const budget = require('./budget')
const { testUnderClock } = require('./clock')
const { costOf } = require('./cost')
const { translate, Unsupported } = require('./pcre')
const { testInThread } = require('./threads')

/** @typedef {import('@potoroo/document-store').Turn} Turn */

/** Characters of an expression, and of all in a selector; classes in one. PCRE has a limit, too. */
const LONGEST = 8192
const LONGEST_TOGETHER = 4 * LONGEST
const MOST_CLASSES = 400
const CLASS = /\\[pPdDwWsShHvVRNX]|\[/g

/** Characters that are no letters and no digits: V8 compiles up to this many in a few milliseconds, in one go which no clock stops. */
const LIGHT = 100
const PLAIN = /[a-zA-Z0-9 _]/g

/** Tests of an expression in which V8 may compile it: for texts of each kind. */
const COMPILES = 4

/** Milliseconds of expressions until others run: in turns, and in one go. */
const TURN = 20
const PATIENCE = 500

/** Milliseconds for which an expression that took long goes to a thread at once: then a turn of its own is tried again. */
const SLOW = 10_000

/** Steps of a test that is not timed, and of one that needs no clock; a step takes a nanosecond. */
const TINY = 10_000
const QUICK = 2 * 4096 ** 2
const STEP = 1e-6

/**
 * A `$regex`, for texts of any length. CouchDB's expressions are PCRE's.
 */
class Expression {
  #pattern
  #regExp
  #cost
  /** Whether V8 takes longer to compile it than others may wait. */
  #isHeavy
  /** The time until which it counts as one that takes longer than others may wait. */
  #slowUntil = 0
  #tests = 0

  /** @param {string} pattern @param {RegExp} regExp */
  constructor (pattern, regExp) {
    this.#pattern = pattern
    this.#regExp = regExp
    this.#cost = costOf(regExp.source)
    this.#isHeavy = pattern.replace(PLAIN, '').length > LIGHT
  }

  /** Whether a clock has to be set for a text, which costs some 60 µs. @param {string} text */
  needsClock (text) { return this.#cost(text.length) > QUICK }

  /**
   * @param {string} text
   * @param {number} [patience] milliseconds that it may take
   * @returns {boolean}
   * @throws bad_arg where others would have to wait for too long
   */
  test (text, patience = PATIENCE) {
    const found = this.#tryTest(text, Math.min(patience, budget.left(PATIENCE)))
    if (found === undefined) throw tooLong(this.#pattern)
    return found
  }

  /**
   * The same, in turns or in a thread of its own where others would have to wait.
   *
   * @param {string} text
   * @param {Turn} turn
   * @param {unknown} [asker] who waits for it: those of one asker keep none of another's waiting
   * @returns {boolean | Promise<boolean>} rejects with bad_arg where it backtracks without end
   */
  testInTurns (text, turn, asker = this) {
    const found = this.#isSlow ? undefined : this.#tryTest(text, budget.left(TURN))
    return found ?? this.#testLater(text, turn, asker)
  }

  get #isSlow () { return this.#isHeavy || performance.now() < this.#slowUntil }

  /** @param {string} text @param {Turn} turn @param {unknown} asker @returns {Promise<boolean>} */
  async #testLater (text, turn, asker) {
    if (this.#isSlow) return this.#testInThread(text, asker)
    await turn.end()
    return this.testInTurns(text, turn, asker)
  }

  /** @param {string} text @param {number} left milliseconds @returns {boolean | undefined} undefined where it takes longer */
  #tryTest (text, left) {
    if (left === 0) return undefined
    const steps = this.#cost(text.length)
    if (steps > TINY || this.#tests < COMPILES) return this.#testTimed(text, steps, left)
    budget.spend(steps * STEP)
    return this.#regExp.test(text)
  }

  /** @param {string} text @param {number} steps @param {number} left */
  #testTimed (text, steps, left) {
    this.#tests++
    const started = performance.now()
    try {
      const found = steps <= QUICK ? this.#regExp.test(text) : testUnderClock(this.#regExp, text, left)
      if (found === undefined) this.#slowUntil = performance.now() + SLOW
      return found
    } catch (cause) {
      // V8 has no room for it on its stack.
      throw badArgument('$regex', this.#pattern)
    } finally {
      budget.spend(performance.now() - started)
    }
  }

  /** @param {string} text @param {unknown} asker */
  async #testInThread (text, asker) {
    const { found, fault } = await testInThread(this.#regExp, text, asker)
    if (fault === 'time') throw tooLong(this.#pattern)
    if (fault !== undefined) throw badArgument('$regex', this.#pattern)
    return /** @type {boolean} */ (found)
  }
}

/** @param {string} pattern */
function tooLong (pattern) { return mangoError('bad_arg', `${badArgument('$regex', pattern).reason} takes too long`) }

/**
 * @param {string} pattern
 * @returns {Expression | null} null when it is no expression
 * @throws not_supported: an expression that JavaScript has nothing like; bad_arg: one that is too long
 */
function compileRegex (pattern) {
  const tooLarge = whyTooLarge(pattern)
  if (tooLarge !== null) throw mangoError('bad_arg', `Expression in $regex ${tooLarge}`)
  try {
    const { source, flags } = translate(pattern)
    return new Expression(pattern, new RegExp(source, flags))
  } catch (error) {
    if (error instanceof Unsupported) throw mangoError('not_supported', `Unsupported in $regex: ${error.message}`)
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** Returns why an expression takes too long to compile, or null. @param {string} pattern */
function whyTooLarge (pattern) {
  if (pattern.length > LONGEST) return `is longer than ${LONGEST} characters`
  return (pattern.match(CLASS) ?? []).length > MOST_CLASSES ? `has more than ${MOST_CLASSES} classes` : null
}

module.exports = { Expression, LONGEST_TOGETHER, compileRegex, whyTooLarge }
