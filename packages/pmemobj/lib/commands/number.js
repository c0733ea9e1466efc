'use strict'

const { InvalidArgumentError } = require('commander')

const FACTORS = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 }

/**
 * A number of bytes on the command line: `4096`, `64M`, `1G`.
 *
 * @param {string} word
 */
function parseBytes (word) {
  const [, digits, unit] = /^(\d+)([KMGT]?)$/.exec(word) ?? []
  const bytes = Number(digits) * FACTORS[unit]
  if (Number.isSafeInteger(bytes)) return bytes
  throw new InvalidArgumentError('A number of bytes is wanted, such as 4096, 64M or 1G.')
}

module.exports = { parseBytes }
