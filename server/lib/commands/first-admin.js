'use strict'

const fs = require('node:fs')
const { reasonOf } = require('../storage/system-error-text')

/** Bits of a mode that let all users of the machine in. */
const OTHERS = 0o007

/**
 * The administrator that a server is started with, `name:password`: of the command line, which every user of
 * the machine can see, of a file, or of the environment, which only the server's own user can.
 *
 * @param {{ admin?: string, adminFile?: string }} options
 * @param {Record<string, string | undefined>} [environment] `POTOROO_ADMIN`, for where there is no option; it is
 *   taken out, so that no process that is started from here has it
 * @returns {Record<string, string> | undefined} password by name
 * @throws where it is malformed; the text is not in the error
 */
function firstAdmin ({ admin, adminFile }, environment = process.env) {
  const { POTOROO_ADMIN: told } = environment
  delete environment.POTOROO_ADMIN
  if (admin !== undefined) return parse(admin, '--admin')
  if (adminFile !== undefined) return parse(read(adminFile), adminFile)
  return told === undefined || told === '' ? undefined : parse(told, 'POTOROO_ADMIN')
}

/** @param {string} file */
function read (file) {
  const descriptor = open(file)
  try {
    if (process.platform !== 'win32' && (fs.fstatSync(descriptor).mode & OTHERS) !== 0) {
      throw new Error(`all users have access to ${file}; take it from them with chmod o= or chmod 600`)
    }
    return fs.readFileSync(descriptor, 'utf8').replace(/\r?\n$/, '')
  } finally {
    fs.closeSync(descriptor)
  }
}

/** @param {string} file */
function open (file) {
  try {
    return fs.openSync(file, 'r')
  } catch (cause) {
    throw new Error(`--admin-file ${file} cannot be read: ${reasonOf(cause)}`, { cause })
  }
}

/** @param {string} text @param {string} source */
function parse (text, source) {
  const colon = text.indexOf(':')
  if (colon < 1 || colon === text.length - 1 || /[\r\n]/.test(text)) throw new Error(`${source} must be name:password, on one line`)
  return { [text.slice(0, colon)]: text.slice(colon + 1) }
}

module.exports = { firstAdmin }
