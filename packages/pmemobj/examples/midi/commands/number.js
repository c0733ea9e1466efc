'use strict'

const { InvalidArgumentError } = require('commander')

/** For an argument that is a number. */
function parseNumber (text) {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.')
  return number
}

/** For one that is a whole number. */
function parseWhole (text) {
  const number = parseNumber(text)
  if (!Number.isSafeInteger(number)) throw new InvalidArgumentError('It must be a whole number.')
  return number
}

module.exports = { parseNumber, parseWhole }
