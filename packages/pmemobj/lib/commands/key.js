'use strict'

const { readKeyFile } = require('../pool/key-file')

/**
 * Lets a command take the key of a pool that is encrypted.
 *
 * @param {import('commander').Command} command
 */
function withKey (command) {
  return command.option('--key-file <file>', 'the key of a pool that is encrypted: 32 bytes, or 64 hexadecimal digits')
}

/** @param {{ keyFile?: string }} options */
function keyOf ({ keyFile }) {
  return keyFile === undefined ? undefined : readKeyFile(keyFile)
}

module.exports = { keyOf, withKey }
