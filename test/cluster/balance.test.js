'use strict'

const assert = require('node:assert/strict')
const { Balance } = require('../../server/lib/cluster/balance')
const { AUTHORIZATION, ask, until } = require('./support/ask')
const { startServers } = require('./support/three-servers')

/** A model of servers whose databases have the same work each second. */
class Model {
  /** @param {Array<Record<string, number>>} servers by name of the database: work a second */
  constructor (servers) {
    this.servers = servers.map((rates, i) => ({ id: `server-${i}`, address: '', load: 0, balance: new Balance(), rates, works: /** @type {Record<string, number>} */ ({}) }))
    this.moves = /** @type {string[]} */ ([])
    this.now = 0
  }

  get loads () { return this.servers.map(({ rates }) => Object.values(rates).reduce((sum, rate) => sum + rate, 0)) }

  /** A second passes at all of them. */
  second () {
    this.now += 1000
    for (const server of this.servers) {
      for (const [name, rate] of Object.entries(server.rates)) server.works[name] = (server.works[name] ?? 0) + rate
      server.load = server.balance.measure(Object.entries(server.works).map(([name, work]) => ({ name, work, isMovable: true })), this.now)
    }
    for (const server of this.servers) {
      const move = server.balance.choose(server.id, this.servers, () => true)
      if (move === null) continue
      const to = this.servers.find(({ id }) => id === move.to.id)
      to.rates[move.name] = server.rates[move.name]
      delete server.rates[move.name]
      delete server.works[move.name]
      this.moves.push(move.name)
    }
  }

  /** @param {number} seconds */
  run (seconds) { for (let i = 0; i < seconds; i++) this.second() }
}

describe('the choice of what a busy server hands over', () => {
  it('spreads busy databases evenly, and then moves nothing', () => {
    const model = new Model([Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`db${i}`, 100])), {}, {}])
    model.run(120)
    assert.ok(Math.max(...model.loads) <= 1.5 * Math.min(...model.loads), String(model.loads))
    assert.equal(new Set(model.moves).size, model.moves.length, 'one moved twice')
    const before = model.moves.length
    model.run(600)
    assert.equal(model.moves.length, before)
  })

  it('leaves a single busy database where it is, and others move away from it', () => {
    const model = new Model([{ hot: 1000, warm: 60 }, {}, {}])
    model.run(300)
    assert.deepEqual(model.moves, ['warm'])
    assert.deepEqual(Object.keys(model.servers[0].rates), ['hot'])
  })

  it('moves nothing for a burst, nor where there is little to do', () => {
    const model = new Model([{ a: 20, b: 20 }, {}, {}])
    model.run(60)
    model.servers[0].rates = { a: 500, b: 500 }
    model.run(3)
    model.servers[0].rates = { a: 0, b: 0 }
    model.run(60)
    assert.deepEqual(model.moves, [])
  })

  it('settles where each database has another load', () => {
    const rates = Array.from({ length: 30 }, (_, i) => /** @type {const} */ ([`db${i}`, 5 + (i * 7919) % 97]))
    const model = new Model([Object.fromEntries(rates), {}, {}])
    model.run(400)
    assert.ok(Math.max(...model.loads) <= 1.5 * Math.min(...model.loads), String(model.loads))
    const before = model.moves.length
    model.run(600)
    assert.equal(model.moves.length, before)
  })
})

describe('servers of which one owns all the busy databases', () => {
  /** @type {Awaited<ReturnType<typeof startServers>>} */
  let cluster
  /** @type {any[]} */
  let servers
  before(async () => {
    cluster = await startServers(3, { admins: { admin: 'secret' } })
    servers = cluster.servers
    for (const server of servers) await until(() => ask(server, 'GET', '/_membership'), ({ body }) => body.all_nodes.length === 3)
  })
  after(() => cluster.close())

  /** Follows a database, and goes on where a feed ended. @param {any} server @param {string} name @param {string} since */
  function follow (server, name, since) {
    const over = new AbortController()
    const ids = /** @type {string[]} */ ([])
    const run = async () => {
      while (!over.signal.aborted) {
        const res = await fetch(`${server.url}/${name}/_changes?feed=continuous&heartbeat=1000&since=${since}`, { headers: { authorization: AUTHORIZATION }, signal: over.signal })
        assert.equal(res.status, 200)
        let text = ''
        for await (const chunk of /** @type {any} */ (res.body)) {
          const lines = (text + Buffer.from(chunk).toString()).split('\n')
          text = /** @type {string} */ (lines.pop())
          for (const line of lines.filter(Boolean).map(each => JSON.parse(each))) {
            since = line.seq ?? line.last_seq
            if (line.id !== undefined) ids.push(line.id)
          }
        }
      }
    }
    const running = run()
    running.catch(() => {})
    const end = () => {
      over.abort()
      return running.catch(error => { if (!over.signal.aborted || error.name !== 'AbortError') throw error })
    }
    return { ids, end }
  }

  it('hand some over, without a request that fails, and keep feeds whole', async () => {
    const [busy] = servers
    const names = []
    // Whoever the choice falls on: those of one server are used, and the others rest.
    for (let i = 0; names.length < 4; i++) {
      await ask(busy, 'PUT', `/db${i}`)
      await ask(busy, 'PUT', `/db${i}/first`, {})
      if (busy.service.cluster.owns(`db${i}`)) names.push(`db${i}`)
    }
    const seqs = await Promise.all(names.map(async name => (await ask(busy, 'GET', `/${name}`)).body.update_seq))
    const ending = new AbortController()
    const written = names.map(() => /** @type {string[]} */ ([]))
    const writers = names.flatMap((name, at) => servers.map(async (server, s) => {
      for (let i = 0; !ending.signal.aborted; i++) {
        const { status, body } = await ask(server, 'PUT', `/${name}/${s}-${i}`, { text: 'x'.repeat(100) })
        assert.equal(status, 201, JSON.stringify(body))
        written[at].push(`${s}-${i}`)
      }
    }))
    const feeds = names.flatMap((name, at) => servers.map(server => follow(server, name, seqs[at])))
    const elsewhere = () => names.filter(name => servers.slice(1).some(({ service }) => service.cluster.owns(name)))
    const failed = Promise.all(writers)
    await Promise.race([failed, until(async () => elsewhere(), moved => moved.length >= 2)])
    ending.abort()
    await failed
    assert.ok(elsewhere().length < names.length, 'all of them moved')
    for (const [at, name] of names.entries()) {
      await until(async () => feeds.slice(3 * at, 3 * at + 3), each => each.every(({ ids }) => ids.length >= written[at].length))
      for (const { ids } of feeds.slice(3 * at, 3 * at + 3)) assert.deepEqual([...ids].sort(), [...written[at]].sort())
      for (const server of servers) {
        const { body } = await ask(server, 'GET', `/${name}/_changes?since=${seqs[at]}`)
        assert.deepEqual(body.results.map((/** @type {any} */ { id }) => id).sort(), [...written[at]].sort())
      }
    }
    for (const { end } of feeds) await end()
  })
})
