'use strict'

const path = require('node:path')
const { ServerProcess } = require('../http/server-process')
const { documentId } = require('../data')
const { openSibling } = require('./open')

const DRIVER = path.join(__dirname, '../../drivers/http/2-potoroo-classic-level.js')
const SIZE = 1000

/**
 * A case of PouchDB's: `replicate` from a server, into a new database each time. The server is
 * our own, in a process of its own whose time does not count.
 */
function pullReplication (name, generations) {
  return {
    name,
    unit: 'replication',
    counts: true,
    size: SIZE,
    step: 1,
    async prepare (db, { folder, size }) {
      const server = await ServerProcess.start(DRIVER, path.join(folder, 'remote'))
      const source = new db.constructor(`${server.url}/source`, { adapter: 'http' })
      await fill(source, size, generations)
      return { db, source, size, target: null, close: () => server.close() }
    },
    async ready (state, number) {
      await state.target?.destroy()
      state.target = await openSibling(state.db, `target-${number}`)
    },
    async run ({ db, source, target, size }) {
      const { docs_written: written } = await db.constructor.replicate(source, target, { live: false, batch_size: 100 })
      if (written !== size) throw new Error(`${written} documents and not ${size}`)
    }
  }
}

async function fill (source, size, generations) {
  let revs = []
  for (let generation = 0; generation < generations; generation++) {
    const docs = Array.from({ length: size }, (_, number) => ({
      _id: documentId(number),
      _rev: revs[number]?.rev,
      foo: (number + generation) / size,
      bar: (size - number + generation) / size
    }))
    revs = await source.bulkDocs(docs)
  }
}

module.exports = { pullReplication }
