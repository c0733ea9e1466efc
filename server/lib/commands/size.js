'use strict'

const { InvalidArgumentError } = require('commander')
const { poolSizeOf } = require('@potoroo/storage')

/** The size of a new pool: `512M` → bytes. @param {string} text @throws InvalidArgumentError */
function parseSize (text) {
  try {
    return poolSizeOf(text)
  } catch (error) {
    throw new InvalidArgumentError(`${error.message.split('\n')[0]}.`)
  }
}

module.exports = { parseSize }
