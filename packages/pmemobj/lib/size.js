'use strict'

const UNITS = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }
const PATTERN = new RegExp(`^(\\d+(?:\\.\\d+)?) ?(${Object.keys(UNITS).join('|')})$`)

/**
 * A number of bytes, as options have it.
 *
 * @param {unknown} size a whole number, or a number with a unit: '8MiB', '1.5 GiB', '500KB'
 * @param {string} name of the option
 * @returns {number}
 */
function bytesOf (size, name) {
  const bytes = typeof size === 'string' ? parse(size) : size
  if (typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0) return bytes
  throw new TypeError(`The ${name} must be a whole number of bytes, or a number with a unit, such as '8MiB' or '1.5 GB'`)
}

function parse (text) {
  const [, number, unit] = PATTERN.exec(text) ?? []
  return Math.round(Number(number) * UNITS[unit])
}

module.exports = { bytesOf }
