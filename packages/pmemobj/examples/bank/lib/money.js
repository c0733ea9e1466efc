'use strict'

const FORM = /^(\d{1,12})(?:\.(\d{1,2}))?$/

/**
 * @param {string} text such as 12.5 or 100
 * @returns {number} cents
 */
function parseMoney (text) {
  const [, whole, cents = ''] = FORM.exec(text) ?? []
  if (whole === undefined) throw new RangeError(`"${text}" is no amount of money`)
  return Number(whole) * 100 + Number(cents.padEnd(2, '0'))
}

/** @param {number} cents */
function formatMoney (cents) {
  return (cents / 100).toFixed(2)
}

module.exports = { parseMoney, formatMoney }
