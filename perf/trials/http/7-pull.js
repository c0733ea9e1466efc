'use strict'

const { DATABASE, createDatabase } = require('../../lib/http/database')

/** A PouchDB in memory replicates everything from the server, into a new database each time. */
module.exports = {
  name: 'pull by PouchDB of 1000 documents',
  unit: 'document',
  size: 1000,
  step: 1,
  async prepare (server, { size }) {
    await createDatabase(server, size, { connections: 1 })
    return { size, remote: server.url + DATABASE, PouchDB: loadPouchDB() }
  },
  async run ({ size, remote, PouchDB }, start) {
    const local = new PouchDB(`pull-${start}`, { adapter: 'memory' })
    const { docs_written: written } = await local.replicate.from(remote)
    if (written !== size) throw new Error(`${written} documents and not ${size}`)
    await local.destroy()
    return size
  }
}

function loadPouchDB () {
  return require('pouchdb-core')
    .plugin(require('pouchdb-adapter-memory'))
    .plugin(require('pouchdb-adapter-http'))
    .plugin(require('pouchdb-replication'))
}
