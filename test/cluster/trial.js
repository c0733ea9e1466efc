'use strict'

const { setTimeout } = require('node:timers/promises')
const { checkAll } = require('./checks')
const { Connection } = require('./clients/connection')
const { Feed } = require('./clients/feed')
const { History } = require('./clients/history')
const { Pouch } = require('./clients/pouch')
const { Random } = require('./clients/random')
const { RegisterClient, Registers } = require('./clients/register-client')
const { Nemesis } = require('./faults/nemesis')

/** Databases of the clients; that of the PouchDBs has conflicts. */
const DATABASES = ['registers-0', 'registers-1']
const SYNCED = 'synced'

/** Shards of each database. */
const SHARDS = new Map([[DATABASES[0], 1], [DATABASES[1], 4], [SYNCED, 2]])

/** Milliseconds for a request of a client; one that hangs for longer has an unknown outcome. */
const PATIENCE = 2000

/** Operations to each reading of a sequence, where a number of them is asked for. */
const READINGS = 15

/** Milliseconds in which feeds come to the end when all is well again. */
const END = 180_000

/** How often a document is read again whose answer takes longer than a client waits: the machine may be busy. */
const READS = 10

/**
 * Puts load on a cluster, and faults, and looks at what all have seen.
 *
 * @param {import('./subject/cluster').Cluster} cluster
 * @param {{ seconds?: number, operations?: number, seed: number, faults?: import('./faults/nemesis').Fault[], clients?: number, pouches?: number, pace?: number,
 *   say?: (text: string) => void, pictures?: string, throughBalancer?: boolean, recovery?: number }} options
 *   seconds, operations: at least that many; each fault comes once at least. throughBalancer: all clients and feeds ask there, and none a server directly. recovery: milliseconds in which the cluster has to be well again after a fault
 */
async function runTrial (cluster, { seconds = 0, operations = 0, seed, faults = [], clients = 6, pouches = 2, pace = 25, say = () => {}, pictures, throughBalancer = false, recovery }) {
  const random = new Random(seed)
  const history = new History()
  const urls = throughBalancer ? [cluster.balancer.url] : [...cluster.servers.map(({ url }) => url), cluster.balancer.url]
  const load = new Load({ cluster, history, random, urls, clients, pouches, pace })
  const nemesis = new Nemesis({ cluster, faults, random: random.fork(), databases: [...DATABASES, SYNCED], say, recovery })
  try {
    await load.start()
    const over = performance.now() + seconds * 1000
    await nemesis.run(over)
    while (performance.now() < over || history.operations.length < operations || history.readings.length < operations / READINGS) await setTimeout(20)
    say('  The end …')
    await load.end()
    say('  Checks …')
    const found = await checkAll({ cluster, history, feeds: load.feeds, late: load.late, pouches: await load.settledPouches(), databases: DATABASES, synced: SYNCED, pictures, urls })
    return { history, faults: { ...found, ...nemesis.found }, recoveries: nemesis.recoveries, rounds: load.rounds }
  } finally {
    await load.stop()
  }
}

/** All clients of a trial. */
class Load {
  #options
  #over = new AbortController()
  #connections = []
  #running = []
  /** @type {Pouch[]} */
  #pouches = []
  /** @type {Feed[]} */
  feeds = []
  /** Feeds that did not come to the end, in words. */
  late = /** @type {string[]} */ ([])

  constructor (options) { this.#options = options }

  async start () {
    const { cluster, urls } = this.#options
    const first = this.#connect(cluster.servers[0].url)
    for (const database of [...DATABASES, SYNCED]) await first.done('PUT', `/${database}?q=${SHARDS.get(database)}`)
    for (const url of urls) this.#listen(url)
    this.#startClients()
    this.#startPouches()
  }

  get rounds () { return this.feeds.reduce((sum, { rounds }) => sum + rounds, 0) }

  /** Ends the writing; feeds come to the end. */
  async end () {
    this.#over.abort()
    await Promise.all(this.#running)
    await this.#readAgain()
    for (const pouch of this.#pouches) await pouch.end()
    for (const pouch of this.#pouches) await pouch.settle()
    // Each has to hear what the others wrote last.
    for (const pouch of this.#pouches) await pouch.settle()
    await this.#endFeeds()
  }

  async settledPouches () {
    return Promise.all(this.#pouches.map(async pouch => ({ name: pouch.name, made: pouch.made, leaves: await pouch.leaves() })))
  }

  async stop () {
    this.#over.abort()
    await Promise.allSettled(this.#running)
    await Promise.all(this.feeds.map(feed => feed.stop()))
    for (const pouch of this.#pouches) await pouch.close()
    for (const connection of this.#connections) connection.close()
  }

  #connect (url, options) {
    const connection = new Connection(url, options)
    this.#connections.push(connection)
    return connection
  }

  #listen (url) {
    const { history } = this.#options
    const kinds = /** @type {const} */ (['continuous', 'longpoll'])
    for (const [i, database] of [...DATABASES, SYNCED].entries()) {
      // Each database has both kinds, at each address in turn.
      const kind = kinds[(i + this.feeds.length) % 2]
      this.feeds.push(new Feed({ name: `${kind} feed ${this.feeds.length} of ${database} at ${url.port}`, connection: this.#connect(url), history, database, kind }))
    }
  }

  #startClients () {
    const { history, random, urls, clients, pace } = this.#options
    const registers = new Registers(DATABASES)
    this.#options.cluster.askStanding = server => this.#askStanding(server, registers)
    this.clients = Array.from({ length: clients }, (_, number) => new RegisterClient({
      number, connection: this.#connect(urls[number % urls.length], { patience: PATIENCE }), history, registers, random: random.fork(), pace
    }))
    this.#running.push(...this.clients.map(client => client.run(this.#over.signal)))
  }

  /** New clients, as those that are there wait for answers since before it was replaced. */
  async #askStanding (server, registers) {
    const { history, random, clients } = this.#options
    const number = clients + this.#standing++
    const client = new RegisterClient({ number, connection: this.#connect(server.url, { patience: 10_000, sockets: 20 }), history, registers, random, pace: 0 })
    await Promise.all(registers.all.map(register => client.read(register)))
  }

  #startPouches () {
    const { random, urls, pouches } = this.#options
    this.#pouches = Array.from({ length: pouches }, (_, number) => new Pouch({ number, url: urls[number % urls.length], database: SYNCED, random: random.fork() }))
    this.#running.push(...this.#pouches.map(pouch => pouch.run(this.#over.signal)))
  }

  /** Each client reads what was written last, through its server. */
  async #readAgain () {
    const names = [...new Set(this.#options.history.operations.map(({ database, document }) => `${database}/${document}`))]
    const recent = names.filter(name => name.includes('/register-')).slice(-16)
    await Promise.all(this.clients.map(async client => {
      for (const name of recent) {
        const [database, document] = name.split('/')
        for (let left = READS; !await client.read({ database, document }); left--) if (left === 0) throw new Error(`${name} cannot be read when all is well again`)
      }
    }))
  }

  async #endFeeds () {
    const connection = this.#connect(this.#options.urls[0])
    const signal = AbortSignal.timeout(END)
    for (const database of [...DATABASES, SYNCED]) {
      const { update_seq: last } = await connection.done('GET', `/${database}`)
      this.#lasts.set(database, last)
    }
    const ends = await Promise.allSettled(this.feeds.map(feed => feed.until(since => Number.parseInt(String(since), 10) >= Number.parseInt(String(this.#lasts.get(feed.database)), 10), signal)))
    this.late = ends.flatMap(end => end.status === 'rejected' ? [end.reason.message] : [])
  }

  #standing = 0
  #lasts = new Map()
}

module.exports = { DATABASES, SYNCED, runTrial }
