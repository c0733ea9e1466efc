'use strict'

const { InvalidArgumentError } = require('commander')
const { parseMoney } = require('../lib/money')

/** For an argument that is money. */
function parseAmount (text) {
  try {
    return parseMoney(text)
  } catch (error) {
    throw new InvalidArgumentError(error.message)
  }
}

/** For one that is a number of an account, or of something else that is counted. */
function parseCount (text) {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** For a rate in percent. */
function parsePercent (text) {
  const percent = Number(text)
  if (!(percent > 0 && percent <= 100)) throw new InvalidArgumentError('It must be above 0 and at most 100.')
  return percent
}

module.exports = { parseAmount, parseCount, parsePercent }
