'use strict'

/**
 * The signs with which a language writes numbers.
 *
 * @typedef {{ digits: Map<string, number>, group: string, decimal: string, minus: Set<string> }} Signs
 */

/** The language of numbers where none is said, or is not known. */
const STANDARD = 'en'

/** @type {Map<string, (text: string) => number | undefined>} */
const readers = new Map()

/** Languages whose reader is kept at most: any may be asked for. */
const MOST = 200

/** @param {string} locale @returns {string} one that is known */
function knownLocale (locale) {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale.replaceAll('_', '-'))[0] ?? STANDARD
  } catch {
    return STANDARD
  }
}

/** @param {string} locale @returns {Signs} */
function signsOf (locale) {
  const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(-1_234_567.5)
  const sign = (/** @type {string} */ type) => parts.find(part => part.type === type)?.value ?? ''
  const plain = new Intl.NumberFormat(locale, { useGrouping: false })
  const digits = new Map(Array.from({ length: 10 }, (_, i) => [[String(i), i], [plain.format(i), i]]).flat().map(([digit, value]) => [String(digit), Number(value)]))
  return { digits, group: sign('group'), decimal: sign('decimal'), minus: new Set(['-', sign('minusSign')]) }
}

/**
 * Returns what reads a number at the beginning of a text, as Java's NumberFormat of a language does: `1,000.5xy` is 1000.5.
 *
 * @param {string} [locale] `de`, `fr-CH`; what is not known is English
 * @returns {(text: string) => number | undefined} undefined: there is none
 * @see https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/text/DecimalFormat.html#parse(java.lang.String,java.text.ParsePosition)
 */
function numberReader (locale = STANDARD) {
  const known = knownLocale(locale)
  let reader = readers.get(known)
  if (reader === undefined) {
    const signs = signsOf(known)
    reader = text => readNumber(text, signs)
    if (readers.size < MOST) readers.set(known, reader)
  }
  return reader
}

/** @param {string} text @param {Signs} signs @returns {number | undefined} */
function readNumber (text, signs) {
  if (text.startsWith('NaN')) return NaN
  const isNegative = signs.minus.has(text[0])
  const from = isNegative ? 1 : 0
  const digits = text[from] === '∞' ? 'Infinity' : plainDigits(text, from, signs)
  return digits === '' ? undefined : Number(digits) * (isNegative ? -1 : 1)
}

/** @param {string} text @param {number} from @param {Signs} signs @returns {string} as JavaScript writes it, '' where there is no digit */
function plainDigits (text, from, { digits, group, decimal }) {
  let whole = ''
  let hasPoint = false
  let hasDigit = false
  let at = from
  for (; at < text.length; at++) {
    const digit = digits.get(text[at])
    if (digit !== undefined) {
      whole += digit
      hasDigit = true
    } else if (text[at] === decimal && !hasPoint) {
      whole += '.'
      hasPoint = true
    } else if (text[at] !== group || hasPoint) break
  }
  return hasDigit ? whole + exponentAt(text, at, digits) : ''
}

/** @param {string} text @param {number} at @param {Map<string, number>} digits */
function exponentAt (text, at, digits) {
  const exponent = /^E(-?)(.)/.exec(text.slice(at, at + 3))
  if (exponent === null) return ''
  let end = at + 1 + exponent[1].length
  let value = ''
  for (; digits.has(text[end]); end++) value += digits.get(text[end])
  return value === '' ? '' : `e${exponent[1]}${value}`
}

module.exports = { numberReader }
