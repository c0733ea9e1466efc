'use strict'

const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { hasDatabases } = require('../storage/data-folder')
const { Config } = require('../config/config')
const { addresses } = require('./addresses')
const { tlsOptions } = require('./tls-options')

/**
 * Tries where a server is to listen before it makes a data folder, which would stay behind if it cannot. A
 * server that has databases already opens them first: they may be in use.
 *
 * @param {import('../..').ServeOptions} options
 * @throws what listening throws
 */
async function preflight (options) {
  if (options.level !== undefined || options.databases !== undefined || (options.path === undefined && options.storage === 'memory')) return
  const folder = path.resolve(options.path ?? 'potoroo-data')
  if (hasDatabases(folder) || !mayHold(folder)) return
  const config = new Config(path.join(folder, 'potoroo.ini'), options.config)
  for (const address of addresses(config, options)) {
    if ('path' in address) continue
    if (address.secure) tlsOptions(config)
    await tryAddress(address)
  }
}

/** Says whether nothing is in the folder's way; whoever makes it says what is. @param {string} folder */
function mayHold (folder) {
  let at = folder
  while (!fs.existsSync(at)) at = path.dirname(at)
  return fs.statSync(at).isDirectory()
}

/** @param {{ host: string | undefined, port: number }} address */
async function tryAddress ({ host, port }) {
  const server = net.createServer()
  const listening = once(server, 'listening')
  server.listen({ host, port })
  await listening
  await new Promise(resolve => server.close(resolve))
}

module.exports = { preflight }
