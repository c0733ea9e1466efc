#!/usr/bin/env node
'use strict'

// Measures one database with access by document beside a database for each user: `node perf/bin/access.js [--users N]
// [--others N] [--documents N] [--commits N] [--processes N] [--storage NAME] [--only access] [--minutes N]`. A server in a
// process of its own is filled with documents of users and others, the same number of each. Users ask for their documents and
// changes. Then each user has a PouchDB in memory that syncs live, in processes of their own; others only have documents. Commits of one document
// are compared that nobody sees, before and while users follow, and that one of them or all see. Figures are the server's alone: CPU time, and
// memory without mapped files. `ulimit -n` has to allow four descriptors for each user.

const { setTimeout } = require('node:timers/promises')
const { choose, readOptions } = require('../lib/run/command-line')
const { People } = require('../lib/subjects/people')
const { SubjectServer, each } = require('../lib/subjects/subject-server')
const { formatTable } = require('../lib/report/tables')
const { median } = require('../lib/report/statistics')

const { values } = readOptions({
  options: {
    users: { type: 'string', default: '100' },
    others: { type: 'string', default: '0' },
    documents: { type: 'string', default: '20000' },
    commits: { type: 'string', default: '20' },
    processes: { type: 'string', default: '4' },
    storage: { type: 'string', default: 'pmem' },
    only: { type: 'string', default: '' },
    minutes: { type: 'string', default: '120' }
  }
})
const USERS = Number(values.users)
const DOCUMENTS = Number(values.documents)
const COMMITS = Number(values.commits)
const PEOPLE = USERS + Number(values.others)
const EACH = Math.floor(DOCUMENTS / PEOPLE)
const TOGETHER = 1000
const ROUNDS = 15
const SECOND = 1000
/** Documents that all users send, or get. */
const WRITES = 5

const people = Array.from({ length: PEOPLE }, (_, i) => `user-${i}`)
const users = people.slice(0, USERS)
/** Users whose requests are timed one by one. */
const askers = users.slice(0, 20)

/** They do not sync. */
const NOBODY = 'nobody'

/** The two ways: the database of a user, and what says in a document whose it is. */
const ways = {
  access: { databaseOf: () => 'all', query: '?access=true', members: () => ({ roles: ['people'] }) },
  'database each': { databaseOf: (/** @type {string} */ name) => `db-${name}`, query: '', members: (/** @type {string} */ database) => ({ names: [database.slice(3)] }) }
}

/** Figures of one way. */
class Measurement {
  /** @type {Record<string, string>} */
  figures = {}

  /** µs of CPU time in a millisecond in which nothing happens. */
  #idle = 0
  /** Documents that each person has. @type {Record<string, number>} */
  #counts = Object.fromEntries(people.map(name => [name, EACH]))

  /** @param {SubjectServer} server @param {typeof ways['access']} way */
  constructor (server, way) {
    this.server = server
    this.way = way
    this.databases = [...new Set([...people, NOBODY].map(way.databaseOf))]
  }

  /** CPU time of the server, µs. @param {() => Promise<any>} work */
  async cpu (work) {
    const before = await this.server.call('cpu')
    await work()
    return await this.server.call('cpu') - before
  }

  /** Keeps a figure, and says on the way what is known. @param {string} what @param {string} figure */
  #tell (what, figure) {
    this.figures[what] = figure
    console.error(`${what}: ${figure}`)
  }

  async run () {
    const empty = await this.server.memory()
    await this.#prepare()
    await this.#fill()
    this.#tell('memory when filled', mib((await this.server.memory()).resident - empty.resident))
    await this.#ask()
    this.#tell('a commit, nobody follows', await this.#commits(() => this.#commit(NOBODY)))
    const clients = new People(this.server.origin.href.replace(/\/$/, ''), Number(values.processes))
    try {
      await this.#sync(clients)
      await this.#follow(clients)
    } finally {
      await clients.stop()
    }
    return this.figures
  }

  async #prepare () {
    await this.server.ask('POST', '/_users/_bulk_docs', { docs: users.map(name => ({ _id: `org.couchdb.user:${name}`, name, password: name, type: 'user', roles: ['people'] })) })
    for (const database of this.databases) {
      await this.server.ask('PUT', `/${database}${this.way.query}`)
      await this.server.ask('PUT', `/${database}/_security`, { admins: { names: [] }, members: this.way.members(database) })
    }
  }

  /** Documents of all users by turns, as they would come. */
  async #fill () {
    const cpu = await this.cpu(async () => {
      for (const database of this.databases) {
        const own = this.#ownersOf(database)
        for (let i = 0; i < EACH * own.length; i += TOGETHER) {
          const docs = Array.from({ length: Math.min(TOGETHER, EACH * own.length - i) }, (_, j) => this.#document(own[(i + j) % own.length], Math.floor((i + j) / own.length)))
          await this.server.ask('POST', `/${database}/_bulk_docs`, { docs })
        }
      }
    })
    this.#tell('write a document, by _bulk_docs', micro(cpu / (EACH * PEOPLE)))
  }

  /** @param {string} database */
  #ownersOf (database) { return people.filter(name => this.way.databaseOf(name) === database) }

  /** @param {string} name @param {number} number */
  #document (name, number) { return { _id: `${name}-${String(number).padStart(8, '0')}`, text: 'x'.repeat(200), _access: [name] } }

  /** A user asks for all that is theirs, for one page of it, and for what is new. */
  async #ask () {
    const questions = { _all_docs: '_all_docs', '_all_docs, 10 rows': '_all_docs?limit=10', _changes: '_changes', '_changes, nothing new': '_changes?since=now', 'a document': `${askers[0]}-00000000` }
    for (const [what, question] of Object.entries(questions)) {
      const costs = []
      for (let round = 0; round < ROUNDS; round++) {
        costs.push(await this.cpu(async () => {
          for (const name of askers) {
            const target = `/${this.way.databaseOf(name)}/${question.replace(askers[0], name)}`
            await this.server.ask('GET', target, undefined, { authorization: `Basic ${Buffer.from(`${name}:${name}`).toString('base64')}` })
          }
        }) / askers.length)
      }
      this.#tell(`ask for ${what}`, micro(median(costs.slice(ROUNDS / 3))))
    }
  }

  /** @param {People} clients */
  async #sync (clients) {
    const before = await this.server.memory()
    const cpu = await this.cpu(async () => {
      const got = await clients.sync(users.map(name => ({ name, database: this.way.databaseOf(name) })))
      if (got !== EACH * USERS) throw new Error(`${got} documents came, of ${EACH * USERS}`)
    })
    this.#tell('first sync of a user', micro(cpu / USERS))
    const { resident } = each(before, await this.server.memory(), USERS)
    this.#tell('memory of a user who syncs live', `${resident.toFixed(1)} KiB`)
  }

  /** Commits while users sync live. @param {People} clients */
  async #follow (clients) {
    this.#idle = await this.#restless()
    this.#tell('users follow and nothing happens, a second', micro(this.#idle * 1000))
    this.#tell('a commit, users follow and none sees it', await this.#commits(() => this.#commit(NOBODY)))
    const [one] = users
    this.#tell('a commit, one user sees it, and has it', await this.#commits(async () => {
      await this.#commit(one)
      await clients.get({ [one]: this.#counts[one] })
    }))
    this.#tell('a document for all users, each', await this.#forAll(clients))
    this.#tell('a document of a user, which they send', micro(await this.cpu(() => clients.write(WRITES)) / USERS / WRITES))
  }

  /** CPU time that users who follow take by themselves, with heartbeats and what a sync leaves to do: µs in a millisecond, once it is calm. */
  async #restless () {
    const rate = async () => await this.cpu(() => setTimeout(SECOND)) / SECOND
    let last = await rate()
    for (let next; (next = await rate()) < last * 0.8;) last = next
    return last
  }

  /** The median cost of a commit, less what users take by themselves meanwhile. @param {() => Promise<void>} commit */
  async #commits (commit) {
    const costs = []
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now()
      const cost = await this.cpu(async () => { for (let i = 0; i < COMMITS; i++) await commit() })
      costs.push((cost - this.#idle * (performance.now() - begun)) / COMMITS)
    }
    return micro(median(costs.slice(ROUNDS / 3)))
  }

  /** A document of a person. @param {string} name */
  async #commit (name) {
    const count = this.#counts[name] ?? 0
    await this.server.ask('POST', `/${this.way.databaseOf(name)}/_bulk_docs`, { docs: [this.#document(name, count)] })
    this.#counts[name] = count + 1
  }

  /** One that all users see, or one in the database of each, until all have it. @param {People} clients */
  async #forAll (clients) {
    const costs = []
    for (let round = 0; round < WRITES; round++) {
      for (const name of users) this.#counts[name]++
      const document = { ...this.#document('all', round), _access: ['role:people'] }
      costs.push(await this.cpu(async () => {
        for (const database of new Set(users.map(this.way.databaseOf))) await this.server.ask('POST', `/${database}/_bulk_docs`, { docs: [document] })
        await clients.get(this.#counts)
      }) / USERS)
    }
    return micro(median(costs))
  }
}

const micro = (/** @type {number} */ time) => time < 10_000 ? `${time.toFixed(time < 100 ? 1 : 0)} µs` : `${(time / 1000).toFixed(1)} ms`
const mib = (/** @type {number} */ bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

async function main () {
  const chosen = choose(Object.entries(ways), values.only, { nameOf: ([name]) => name, isPattern: false })
  const all = []
  const late = setTimeout(Number(values.minutes) * 60_000, undefined, { ref: false }).then(() => { throw new Error(`It takes more than ${values.minutes} minutes.`) })
  for (const [name, way] of chosen) {
    const server = await SubjectServer.start(values.storage)
    try {
      all.push({ name, figures: await Promise.race([new Measurement(server, way).run(), late]) })
    } finally {
      await server.stop()
    }
  }
  console.log(`${USERS} users who sync, ${PEOPLE - USERS} others, ${EACH} documents each`)
  console.log(formatTable([['', ...all.map(({ name }) => name)], ...Object.keys(all[0].figures).map(what => [what, ...all.map(({ figures }) => figures[what])])], { markdown: true }))
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
