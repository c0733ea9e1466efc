'use strict'

// People with a PouchDB in memory each, which sync live: `node live-users.js URL`. A message `{ people: [{ name, database }] }` begins to
// sync, and is answered with the number of documents when all are in step.

const http = require('node:http')
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-memory'))
  .plugin(require('pouchdb-adapter-http'))
  .plugin(require('pouchdb-replication'))

// A request that meets the end of an idle connection makes PouchDB's sync stop: each has a connection of its own.
http.globalAgent = new http.Agent({ keepAlive: false })

const [url] = process.argv.slice(2)

class LiveUser {
  pulled = 0

  /** @param {{ name: string, database: string }} person */
  constructor ({ name, database }) {
    const local = new PouchDB(name, { adapter: 'memory' })
    const remote = new PouchDB(`${url}/${database}`, { adapter: 'http', auth: { username: name, password: name }, skip_setup: true })
    const sync = local.sync(remote, { live: true, retry: true })
    sync.on('change', ({ direction, change }) => { if (direction === 'pull') this.pulled += change.docs_written })
    this.inStep = new Promise((resolve, reject) => {
      sync.pull.once('paused', error => error ? reject(error) : resolve(undefined))
      sync.on('error', reject)
    })
  }
}

process.on('message', async ({ people }) => {
  const users = []
  // Some at a time, as they come.
  for (let i = 0; i < people.length; i += 10) {
    const some = people.slice(i, i + 10).map(person => new LiveUser(person))
    users.push(...some)
    await Promise.all(some.map(user => user.inStep))
  }
  process.send({ result: users.reduce((sum, { pulled }) => sum + pulled, 0) })
})
process.on('disconnect', () => process.exit())
