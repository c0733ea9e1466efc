'use strict'

// People with a PouchDB in memory each, which sync live: `node live-users.js URL`, and then by messages, each answered with `{ result }`.
// `{ sync: [{ name, database }] }` begins to sync; the result is the number of documents when all are in step. `{ write: N }` has each
// of them write N documents, until the server has them. `{ get: { name: N } }` is answered when those have got N documents in all.

const http = require('node:http')
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-memory'))
  .plugin(require('pouchdb-adapter-http'))
  .plugin(require('pouchdb-replication'))

// A request that meets the end of an idle connection makes PouchDB's sync stop: each has a connection of its own.
http.globalAgent = new http.Agent({ keepAlive: false })

const [url] = process.argv.slice(2)

class LiveUser {
  pushed = 0
  pulled = 0
  #look = () => {}

  /** @param {{ name: string, database: string }} person */
  constructor ({ name, database }) {
    this.name = name
    this.local = new PouchDB(name, { adapter: 'memory' })
    const remote = new PouchDB(`${url}/${database}`, { adapter: 'http', auth: { username: name, password: name }, skip_setup: true })
    const sync = this.local.sync(remote, { live: true, retry: true })
    sync.on('change', ({ direction, change }) => {
      if (direction === 'push') this.pushed += change.docs.length
      else this.pulled += change.docs.length
      this.#look()
    })
    this.inStep = new Promise((resolve, reject) => {
      sync.pull.once('paused', error => error ? reject(error) : resolve(undefined))
      sync.on('error', reject)
    })
  }

  /** @param {() => boolean} isSo */
  until (isSo) {
    return new Promise(resolve => {
      this.#look = () => { if (isSo()) resolve(undefined) }
      this.#look()
    })
  }

  /** @param {number} count */
  async write (count) {
    const wanted = this.pushed + count
    for (let i = 0; i < count; i++) await this.local.put({ _id: `${this.name}-own-${wanted}-${i}`, text: 'x'.repeat(200), _access: [this.name] })
    await this.until(() => this.pushed >= wanted)
  }
}

/** @type {LiveUser[]} */
const users = []

/** @type {Record<string, (given: any) => Promise<any>>} */
const verbs = {
  async sync (people) {
    // Some at a time, as they come.
    for (let i = 0; i < people.length; i += 10) {
      const some = people.slice(i, i + 10).map(person => new LiveUser(person))
      users.push(...some)
      await Promise.all(some.map(user => user.inStep))
    }
    return users.reduce((sum, { pulled }) => sum + pulled, 0)
  },
  write: count => Promise.all(users.map(user => user.write(count))),
  get: counts => Promise.all(users.filter(({ name }) => name in counts).map(user => user.until(() => user.pulled >= counts[user.name])))
}

process.on('message', async message => {
  const [[verb, given]] = Object.entries(/** @type {any} */ (message))
  const result = await verbs[verb](given)
  process.send({ result: typeof result === 'number' ? result : null })
})
process.on('disconnect', () => process.exit())
