'use strict'

const { keyOf, readKey } = require('../storage/open-storage')

/**
 * @param {import('commander').Command} command that reads what may be encrypted
 * @param {{ made?: boolean }} [options] `made`: its data folder is a new one, which has no key yet
 */
function withKeyFile (command, { made = false } = {}) {
  return command.option('--key-file <file>', `the key of what is encrypted: 32 bytes, or 64 hexadecimal digits${made ? '' : ' (default: that of the data folder)'}`)
}

/**
 * @param {{ keyFile?: string, server?: string, data?: string }} options
 * @returns {Buffer | undefined}
 */
function chosenKey ({ keyFile, server, data }) {
  if (keyFile !== undefined) return readKey(keyFile)
  return server === undefined && data !== undefined ? keyOf(data) : undefined
}

module.exports = { chosenKey, withKeyFile }
