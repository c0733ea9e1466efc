'use strict'

/**
 * @param {number} value 0 to 2^28 - 1
 * @returns {number[]} as a variable-length quantity
 */
function quantityBytes (value) {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** 28) throw new RangeError(`${value} is no variable-length quantity`)
  const bytes = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

module.exports = { quantityBytes }
