'use strict'

/**
 * A JSON value as Erlang writes it, for the reasons in which CouchDB repeats what it was given. It holds JSON as terms:
 * strings are binaries, objects lists of pairs in a tuple.
 *
 * @param {unknown} value JSON
 * @param {(bytes: Buffer) => string} binary writes a string
 * @returns {string}
 */
function format (value, binary) {
  if (typeof value === 'string') return binary(Buffer.from(value))
  if (typeof value === 'number') return formatNumber(value)
  if (Array.isArray(value)) return `[${value.map(each => format(each, binary)).join(',')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const pairs = Object.entries(value).map(([name, each]) => `{${format(name, binary)},${format(each, binary)}}`)
  return `{[${pairs.join(',')}]}`
}

/**
 * Formats a number that is no integer in JSON's text as a float, in the shorter of its two forms.
 *
 * @param {number} number
 */
function formatNumber (number) {
  if (Number.isInteger(number) && Math.abs(number) < 1e21) return JSON.stringify(number)
  const [digits, exponent] = number.toExponential().split('e')
  const mantissa = digits.includes('.') ? digits : `${digits}.0`
  const scientific = `${mantissa}e${Number(exponent)}`
  if (Math.abs(number) >= 2 ** 53) return scientific
  const decimal = number.toFixed(Math.min(100, Math.max(1, mantissa.split('.')[1].length - Number(exponent))))
  const written = Number(decimal) === number ? decimal.replace(/(\.\d+?)0+$/, '$1') : scientific
  return written.length <= scientific.length ? written : scientific
}

/** @param {Buffer} bytes */
function numbers (bytes) { return `<<${bytes.join(',')}>>` }

/** @type {Record<string, string>} */
const escapes = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\b': '\\b', '\f': '\\f', '\x1b': '\\e' }

/**
 * Quotes and escapes a text. Returns null for bytes that Erlang does not take for a text of Latin-1.
 *
 * @param {Buffer} bytes
 */
function quote (bytes) {
  const latin = bytes.toString('latin1')
  // eslint-disable-next-line no-control-regex -- the control characters that it has escapes for
  if (!/^[\x08-\r\x1b -~\xa0-\xff]*$/.test(latin)) return null
  // The bytes go out as they are, so that two of Latin-1 are one of UTF-8 again.
  // eslint-disable-next-line no-control-regex -- likewise
  return `"${Buffer.from(latin.replace(/["\\\x08-\r\x1b]/g, /** @param {string} each */ each => escapes[each]), 'latin1').toString()}"`
}

/** @param {Buffer} bytes */
function readable (bytes) {
  if (bytes.length === 0) return '<<>>'
  const text = quote(bytes)
  return text === null ? numbers(bytes) : `<<${text}>>`
}

/** As `~w` writes it: strings are numbers. @param {unknown} value JSON */
function formatTerm (value) { return format(value, numbers) }

/**
 * As `~p` writes it: strings of Latin-1 are readable. Long ones are not broken into lines.
 *
 * @param {unknown} value JSON
 */
function printTerm (value) { return format(value, readable) }

/** A text of the request's path or query as `~p` writes it: a list of characters. @param {string} text */
function printText (text) {
  if (text === '') return '[]'
  const bytes = Buffer.from(text)
  return quote(bytes) ?? `[${bytes.join(',')}]`
}

module.exports = { formatTerm, printTerm, printText }
