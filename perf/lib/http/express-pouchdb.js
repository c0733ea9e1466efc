'use strict'

const http = require('node:http')
const path = require('node:path')
const { once } = require('node:events')

/**
 * Starts express-pouchdb as published, without credentials (which cost it time), its log in a file.
 *
 * @param {Function} plugin of PouchDB's adapter
 * @param {string} adapter its name
 * @param {{ folder: string, port: number }} options
 */
async function serveExpressPouchDB (plugin, adapter, { folder, port }) {
  const PouchDB = require('pouchdb-core')
    .plugin(plugin)
    .plugin(require('pouchdb-adapter-http'))
    .plugin(require('pouchdb-mapreduce'))
    .plugin(require('pouchdb-replication'))
    .plugin(require('pouchdb-find'))
    .defaults({ adapter, prefix: folder + path.sep })
  const app = require('express')()
  app.use('/', require('express-pouchdb')(PouchDB, { inMemoryConfig: true, logPath: path.join(folder, 'log.txt') }))
  const server = http.createServer(app).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => close(server) }
}

async function close (server) {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

module.exports = { serveExpressPouchDB }
