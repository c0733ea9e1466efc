'use strict'

// People with a PouchDB in memory each, which sync live: `node live-users.js URL`, and then by messages. `{ people: [{ name, database }] }`
// begins to sync, and is answered when all are in step; `{ write: N }` has each of them write N documents, and is answered when
// the server has them; `{ expect: N }` is answered when each has got N more from the server.

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
  #waiting = []

  /** @param {{ name: string, database: string }} person */
  constructor ({ name, database }) {
    this.name = name
    this.local = new PouchDB(name, { adapter: 'memory' })
    const remote = new PouchDB(`${url}/${database}`, { adapter: 'http', auth: { username: name, password: name }, skip_setup: true })
    this.sync = this.local.sync(remote, { live: true, retry: true })
    this.sync.on('change', ({ direction, change }) => {
      if (direction === 'push') this.pushed += change.docs_written
      else this.pulled += change.docs_written
      this.#waiting = this.#waiting.filter(done => !done())
    })
    this.inStep = new Promise((resolve, reject) => {
      this.sync.pull.once('paused', error => error ? reject(error) : resolve(undefined))
      this.sync.on('error', reject)
    })
  }

  /** Resolves when it is so. @param {() => boolean} isSo */
  until (isSo) {
    return new Promise(resolve => {
      const look = () => {
        if (isSo()) resolve(undefined)
        return isSo()
      }
      if (!look()) this.#waiting.push(look)
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
  async people (people) {
    // Some at a time, as they come.
    for (let i = 0; i < people.length; i += 10) {
      const some = people.slice(i, i + 10).map(person => new LiveUser(person))
      users.push(...some)
      await Promise.all(some.map(user => user.inStep))
    }
    return users.reduce((sum, { pulled }) => sum + pulled, 0)
  },
  write: count => Promise.all(users.map(user => user.write(count))),
  async expect (count) {
    const wanted = users.map(({ pulled }) => pulled + count)
    const all = Promise.all(users.map((user, i) => user.until(() => user.pulled >= wanted[i])))
    process.send({ ready: true })
    await all
  }
}

process.on('message', async message => {
  const [[verb, given]] = Object.entries(/** @type {any} */ (message))
  const result = await verbs[verb](given)
  process.send({ done: verb, result })
})
process.on('disconnect', () => process.exit())
