'use strict'

/**
 * Whether a number is a multiple of another, both as they are written: 0.3 is one of 0.1.
 *
 * @param {number} value
 * @param {number} step
 */
function isMultiple (value, step) {
  if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0
  const [digits, exponent] = decimal(value)
  const [stepDigits, stepExponent] = decimal(step)
  const shared = Math.min(exponent, stepExponent)
  return (digits * 10n ** BigInt(exponent - shared)) % (stepDigits * 10n ** BigInt(stepExponent - shared)) === 0n
}

/** A number as an integer and a power of ten. @param {number} number @returns {[bigint, number]} */
function decimal (number) {
  const [mantissa, exponent = '0'] = `${number}`.split('e')
  const [whole, fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

module.exports = { isMultiple }
