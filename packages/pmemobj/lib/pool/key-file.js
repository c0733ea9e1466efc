'use strict'

const fs = require('node:fs')
const { createError } = require('../base/codes')
const { KEY_SIZE } = require('./pool-options')
const { fromSystem } = require('../base/system-error')

const HEX = /^[0-9a-f]{64}$/i
const OTHERS = 0o007

/**
 * Reads a key: a file of 32 bytes, or of 64 hexadecimal digits.
 *
 * @param {string} file that other users may not read
 * @returns {Buffer} 32 bytes
 * @throws PMEMOBJ_PERMISSION where they may, PMEMOBJ_INVALID where it holds something else
 */
function readKeyFile (file) {
  const { bytes, mode } = read(file)
  if ((mode & OTHERS) !== 0) throw createError('PMEMOBJ_PERMISSION', `${file}: all users have access to this key; take it from them with chmod o= or chmod 600`)
  if (bytes.length === KEY_SIZE) return bytes
  const text = bytes.toString('latin1').trim()
  if (HEX.test(text)) return Buffer.from(text, 'hex')
  throw createError('PMEMOBJ_INVALID', `${file}: a key is 32 bytes, or 64 hexadecimal digits`)
}

/** @param {string} file */
function read (file) {
  try {
    const descriptor = fs.openSync(file, 'r')
    try {
      return { bytes: fs.readFileSync(descriptor), mode: fs.fstatSync(descriptor).mode }
    } finally {
      fs.closeSync(descriptor)
    }
  } catch (error) {
    throw fromSystem(error)
  }
}

module.exports = { readKeyFile }
