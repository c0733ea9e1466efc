'use strict'

const vm = require('node:vm')
const { badArgument, mangoError } = require('./mango-error')
const { translate, Unsupported } = require('./pcre')

/** Milliseconds that texts may take until others run. */
const PATIENCE = 500

/** Milliseconds that each is given all the same, so that one request does not take all from another. */
const LEAST = 10

/** Milliseconds up to which a text does not count. */
const QUICK = 1

/** Up to this many characters no plain expression takes long. */
const SHORT = 4096

/** Characters of an expression, and classes in it: V8 compiles it in one go, which no clock stops. PCRE has a limit, too. */
const LONGEST = 8192
const MOST_CLASSES = 400
const CLASS = /\\[pPdDwWsShHvVRNX]|\[/g

// V8 stops an expression only where it runs under a clock, and only `vm` has one. Setting it costs
// about 100 µs, so what cannot take long goes without.
const clocked = vm.createContext(Object.create(null))
const script = new vm.Script('test()')

/**
 * A `$regex` as a function of a text. CouchDB's expressions are PCRE's.
 *
 * @param {string} pattern
 * @returns {((text: string) => boolean) | null} null when it is no expression; the function
 *   throws bad_arg when the expression backtracks for so long that others would have to wait
 * @throws not_supported: an expression that JavaScript has nothing like
 */
function compileRegex (pattern) {
  if (pattern.length > LONGEST) throw mangoError('bad_arg', `Expression in $regex is longer than ${LONGEST} characters`)
  if ((pattern.match(CLASS) ?? []).length > MOST_CLASSES) throw mangoError('bad_arg', `Expression in $regex has more than ${MOST_CLASSES} classes`)
  const expression = toRegExp(pattern)
  if (expression === null) return null
  const plain = isPlain(pattern)
  return text => plain && text.length <= SHORT ? expression.test(text) : withClock(pattern, () => expression.test(text))
}

/** @param {string} pattern @returns {RegExp | null} */
function toRegExp (pattern) {
  try {
    const { source, flags } = translate(pattern)
    return new RegExp(source, flags)
  } catch (error) {
    if (error instanceof Unsupported) throw mangoError('not_supported', `Unsupported in $regex: ${error.message}`)
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/**
 * At most one repetition, and of a single character: at worst the square of the text's length.
 *
 * @param {string} pattern
 */
function isPlain (pattern) {
  return (pattern.match(/[*+{]|[^(]\?/g) ?? []).length <= 1 && !/\)[*+?{]/.test(pattern)
}

/** Milliseconds that were taken since others ran. */
let taken = 0

/** @param {string} pattern @param {() => boolean} test @returns {boolean} */
function withClock (pattern, test) {
  if (taken > 2 * PATIENCE) throw tooLong(pattern)
  clocked.test = test
  const started = performance.now()
  try {
    const found = script.runInContext(clocked, { timeout: Math.max(LEAST, Math.ceil(PATIENCE - taken)) })
    count(performance.now() - started)
    return found
  } catch (cause) {
    if (cause?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw cause
    throw tooLong(pattern)
  }
}

/** @param {string} pattern */
function tooLong (pattern) { return mangoError('bad_arg', `${badArgument('$regex', pattern).reason} takes too long`) }

/** @param {number} milliseconds */
function count (milliseconds) {
  if (milliseconds <= QUICK) return
  if (taken === 0) setImmediate(() => { taken = 0 })
  taken += milliseconds
}

module.exports = { compileRegex }
