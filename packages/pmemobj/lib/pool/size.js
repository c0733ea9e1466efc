'use strict'

/**
 * In lower case. A letter alone is a power of 1024, as programs of Unix have it.
 *
 * @type {Record<string, number>}
 */
const UNITS = {
  '': 1,
  b: 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40
}
const PATTERN = /^(\d+|\d+\.\d+(?= ?[kmgtb])) ?((?:[kmgt]i?)?b|[kmgt]|)$/i

/** Bytes of the smallest pool: the engine makes none that is smaller. */
const SMALLEST = 8 * 2 ** 20

/**
 * A number of bytes, as options and command lines have it.
 *
 * @param {unknown} size a whole number, or text: '4096', '64M', '8MiB', '1.5 GiB', '500KB'
 * @param {string} name of the option
 * @returns {number}
 */
function bytesOf (size, name) {
  const bytes = typeof size === 'string' ? parse(size) : size
  if (typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0) return bytes
  throw new TypeError(`The ${name} must be a whole number of bytes, or a number with a unit, such as '64M', '8MiB' or '1.5 GB'`)
}

/**
 * The size of a new pool, for command lines: 1K is a slip there, which the engine would make 8 MiB.
 *
 * @param {string} text
 * @returns {number}
 */
function poolSizeOf (text) {
  const bytes = bytesOf(text, 'size')
  if (bytes === 0 || bytes >= SMALLEST) return bytes
  throw new TypeError('The size of a pool must be 8 MiB or more, such as 64M')
}

/** @param {string} text */
function parse (text) {
  const [, number, unit] = PATTERN.exec(text) ?? []
  return Math.round(Number(number) * UNITS[unit?.toLowerCase()])
}

module.exports = { bytesOf, poolSizeOf }
