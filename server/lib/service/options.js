'use strict'

const { checkOptions } = require('@potoroo/errors/known-options')
const { checkAdmins } = require('./check-admins')

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

module.exports = { checkAppOptions, checkServerOptions }
