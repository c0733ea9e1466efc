'use strict'

const { InvalidArgumentError } = require('commander')

/** `512M` → bytes. @throws InvalidArgumentError */
function parseSize (text) {
  const match = /^(\d+)([KMG]?)(?:i?B)?$/i.exec(text)
  if (match === null) throw new InvalidArgumentError('It must be a number of bytes, such as 512M.')
  return Number(match[1]) * { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[match[2].toUpperCase()]
}

module.exports = { parseSize }
