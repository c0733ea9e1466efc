'use strict'

const { Databases } = require('@potoroo/document-store')
const { MemoryLevel } = require('memory-level')
const { Replicator } = require('../..')

const ADMIN = { name: 'admin', roles: ['_admin'] }

/** A replicator over databases in memory, and nothing of a server around it. */
class Server {
  /** Outcomes that documents were told. */
  told = []
  log = []

  /** The documents, by id. */
  asked = new Map()

  /** Checkpoints wait for this. */
  flushed = Promise.resolve()

  static async open (settings = {}) {
    const server = new Server()
    server.settings = settings
    server.databases = await Databases.open(new MemoryLevel(), { prefix: 'databases/' })
    server.replicator = new Replicator({
      databases: {
        open: async name => {
          const database = await server.databases.get(name)
          return { database, formatSequence: seq => `${seq}-${database.instanceId}`, parseSequence: seq => parseInt(seq, 10), changesOptions: async () => ({}) }
        },
        create: async name => { if (!server.databases.has(name)) await server.databases.create(name) },
        flush: () => server.flushed
      },
      uuid: () => 'f'.repeat(32),
      settings: () => server.settings,
      userOf: async () => ADMIN,
      updateDocument: async (database, id, members, isMeant) => {
        if (!isMeant(server.asked.get(id))) return
        server.told.push({ database, id, ...members })
        if (members._replication_state === 'completed') server.replicator.documents.removed(database, id)
      },
      log: (level, message) => server.log.push(message)
    })
    return server
  }

  /** Makes a database with that many documents. */
  async fill (name, count) {
    const database = await this.databases.create(name)
    await database.write(Array.from({ length: count }, (_, n) => ({ _id: `d${n}` })))
    return database
  }

  /** A document that asks for a replication. */
  ask (id, members) {
    this.asked.set(id, { _id: id, ...members })
    this.replicator.documents.updated('_replicator', this.asked.get(id))
  }

  /** Has checkpoints wait until the function that it gives is called. */
  hold () {
    let release = () => {}
    this.flushed = new Promise(resolve => { release = resolve })
    return release
  }

  describe (id) { return this.replicator.describeDocument('_replicator', id) }

  async close () {
    await this.replicator.close()
    await this.databases.close()
  }
}

/** Fulfils when it is so; looks again each time that the event loop comes round. */
async function until (isSo) {
  while (!await isSo()) await new Promise(resolve => setImmediate(resolve))
}

module.exports = { Server, ADMIN, until }
