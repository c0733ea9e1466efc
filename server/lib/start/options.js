'use strict'

const { checkOptions } = require('@potoroo/errors/known-options')

/** Names of options: see index.d.ts. */
const OF_APP = ['path', 'storage', 'level', 'databases', 'tracing', 'size', 'allowVolatile', 'durability', 'config', 'admins', 'onFirstAdmin', 'onRestart', 'adminParty', 'log']

/** Names of options of a server of its own. */
const OF_SERVER = [...OF_APP, 'port', 'host', 'workers', 'socket', 'tlsCert', 'tlsKey']

/**
 * Checks options before anything is opened.
 *
 * @param {unknown} options
 * @throws TypeError: `potoroo() has no option storge; do you mean storage?`
 */
function checkAppOptions (options) {
  checkOptions(options, OF_APP, 'potoroo()')
  checkAdmins(/** @type {any} */ (options)?.admins)
}

/** @param {unknown} options @throws TypeError as `checkAppOptions` */
function checkServerOptions (options) { checkOptions(options, OF_SERVER, 'serve()') }

/**
 * Checks the option `admins` before anything is opened: what is no map of names to passwords would make administrators that
 * nobody meant.
 *
 * @param {unknown} admins
 * @throws TypeError
 */
function checkAdmins (admins) {
  if (admins === undefined || admins === null) return
  if (typeof admins !== 'object' || Array.isArray(admins)) throw new TypeError('admins must be an object of names and passwords, { anna: \'secret\' }')
  for (const [name, password] of Object.entries(admins)) {
    if (name === '' || typeof password !== 'string' || password === '') throw new TypeError(`admins: the password of ${JSON.stringify(name)} must be a string of one character or more`)
  }
}

module.exports = { checkAppOptions, checkServerOptions }
