'use strict'

const path = require('node:path')
const { Config } = require('../config/config')
const { heldSettings } = require('../config/environment')
const { announcedServer } = require('../storage/server-file')
const { addresses } = require('../transport/addresses')

const ANY = new Set([undefined, '0.0.0.0', '::'])

/** Reads what a server of a data folder is told, by its file and the environment. @param {string} folder */
function configOf (folder) { return new Config(path.join(folder, 'potoroo.ini'), structuredClone(heldSettings())) }

/**
 * The URL that the server of a data folder has on this machine: that which it has left, or else by its configuration.
 *
 * @param {string} folder
 * @returns {string}
 */
function localServer (folder) {
  return announcedServer(folder) ?? configuredServer(folder)
}

/** @param {string} folder */
function configuredServer (folder) {
  const address = addresses(configOf(folder), {}).find(each => 'port' in each)
  if (address === undefined || !('port' in address)) throw new Error(`the server of ${folder} listens on a Unix socket alone; name it with --server`)
  const { host, port, secure } = address
  const name = ANY.has(host) ? '127.0.0.1' : /** @type {string} */ (host)
  return `${secure ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`
}

module.exports = { configOf, localServer }
