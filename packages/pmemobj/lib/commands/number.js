'use strict'

const { InvalidArgumentError } = require('commander')
const { bytesOf, poolSizeOf } = require('../pool/size')

/**
 * A number of bytes on the command line: `4096`, `64M`, `1.5 GiB`.
 *
 * @param {string} word
 */
function parseBytes (word) { return parse(() => bytesOf(word, 'number')) }

/**
 * The size of a new pool.
 *
 * @param {string} word
 */
function parsePoolSize (word) { return parse(() => poolSizeOf(word)) }

/** @param {() => number} read */
function parse (read) {
  try {
    return read()
  } catch (error) {
    throw new InvalidArgumentError(`${error.message}.`)
  }
}

module.exports = { parseBytes, parsePoolSize }
