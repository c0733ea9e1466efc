'use strict'

const assert = require('node:assert/strict')
const { setTimeout: wait } = require('node:timers/promises')
const { PouchDB } = require('./support/pouchdb')
const { AUTHORIZATION, ask, until } = require('./support/ask')
const { ServerProcess } = require('./support/processes')
const { PostgresServer } = require('../support/postgres-server')

/** The address in the lease of a database, whose server is its owner. @param {PostgresServer} postgres @param {string} name */
function addressOf (postgres, name) {
  const number = postgres.query(`SELECT convert_from(value, 'UTF8') FROM potoroo_entries WHERE key = convert_to('databases/n${name}', 'UTF8')`)
  return postgres.query(`SELECT s.address FROM potoroo_leases l JOIN potoroo_servers s ON s.id = l.server WHERE l.name = 'db:${number}'`)
}

/** The range of a shard, as its name has it. @param {number} index @param {number} q */
function rangeOf (index, q) {
  const hex = (/** @type {number} */ number) => number.toString(16).padStart(8, '0')
  return `${hex(index * 2 ** 32 / q)}-${hex((index + 1) * 2 ** 32 / q - 1)}`
}

describe('servers on one PostgreSQL', () => {
  /** @type {PostgresServer} */
  let postgres
  /** @type {ServerProcess[]} */
  let servers

  before(async () => { postgres = await PostgresServer.start() })
  after(() => postgres.stop())
  beforeEach(async () => {
    servers = []
    for (let i = 0; i < 3; i++) servers.push(await ServerProcess.start(postgres.url))
    await until(() => ask(servers[0], 'GET', '/_membership'), ({ body }) => body.all_nodes.length === 3)
  })
  afterEach(async () => {
    for (const server of servers) await server.end()
    for (const name of ['db']) postgres.query(`DELETE FROM potoroo_entries WHERE key = convert_to('databases/n${name}', 'UTF8')`)
  })

  /** The server that owns a database, and the two others. */
  async function split () {
    await ask(servers[0], 'PUT', '/db')
    await ask(servers[0], 'PUT', '/db/first', {})
    const address = addressOf(postgres, 'db')
    const owner = servers.find(server => server.address === address)
    assert.ok(owner, address)
    return { owner, others: servers.filter(server => server !== owner) }
  }

  /** Writes documents one after another until it is told to end. @param {ServerProcess} server @param {string} prefix @param {string} [db] */
  function write (server, prefix, db = 'db') {
    const ending = new AbortController()
    const acknowledged = /** @type {string[]} */ ([])
    const unknown = /** @type {string[]} */ ([])
    const run = async () => {
      for (let i = 0; !ending.signal.aborted; i++) {
        const id = `${prefix}${i}`
        const answer = await ask(server, 'PUT', `/${db}/${id}`, { i }).catch(() => null)
        const list = answer?.status === 201 ? acknowledged : unknown
        list.push(id)
      }
    }
    const running = run()
    const end = () => {
      ending.abort()
      return running
    }
    return { acknowledged, unknown, end }
  }

  /** @param {ServerProcess} server @param {string[]} ids */
  async function requireAll (server, ids) {
    const { body } = await until(() => ask(server, 'GET', '/db/_all_docs'), ({ status }) => status === 200)
    const stored = new Set(body.rows.map((/** @type {any} */ { id }) => id))
    assert.deepEqual(ids.filter(id => !stored.has(id)), [])
    const changes = await until(() => ask(server, 'GET', '/db/_changes'), ({ status }) => status === 200)
    assert.equal(changes.body.results.length, stored.size)
    const sequences = changes.body.results.map((/** @type {any} */ { seq }) => Number(seq.split('-', 1)[0]))
    assert.deepEqual(sequences, [...new Set(sequences)].sort((a, b) => a - b))
  }

  it('lose nothing that was acknowledged when an owner is killed, and another takes over', async () => {
    const { owner, others } = await split()
    const writers = others.map((server, i) => write(server, `w${i}-`))
    await until(async () => writers[0].acknowledged.length, count => count > 20)
    await owner.end('SIGKILL')
    const before = writers[0].acknowledged.length
    await until(async () => writers[0].acknowledged.length, count => count > before + 20)
    await Promise.all(writers.map(({ end }) => end()))
    for (const server of others) await requireAll(server, writers.flatMap(({ acknowledged }) => acknowledged))
  })

  it('lose nothing of a sharded database when a server that owns some of its shards is killed', async () => {
    await ask(servers[0], 'PUT', '/sharded?q=8')
    await ask(servers[0], 'POST', '/sharded/_bulk_docs', { docs: Array.from({ length: 40 }, (_, i) => ({ _id: `first${i}` })) })
    const owners = Array.from({ length: 8 }, (_, i) => addressOf(postgres, `_shards/${rangeOf(i, 8)}/sharded`))
    const owner = /** @type {ServerProcess} */ (servers.find(server => owners.includes(server.address)))
    const others = servers.filter(server => server !== owner)
    const writers = others.map((server, i) => write(server, `w${i}-`, 'sharded'))
    await until(async () => writers[0].acknowledged.length, count => count > 20)
    await owner.end('SIGKILL')
    const before = writers[0].acknowledged.length
    await until(async () => writers[0].acknowledged.length, count => count > before + 40)
    await Promise.all(writers.map(({ end }) => end()))
    const acknowledged = writers.flatMap(({ acknowledged }) => acknowledged)
    for (const server of others) {
      const { body } = await until(() => ask(server, 'GET', '/sharded/_all_docs'), ({ status }) => status === 200)
      const stored = new Set(body.rows.map((/** @type {any} */ { id }) => id))
      assert.deepEqual(acknowledged.filter(id => !stored.has(id)), [])
      const changes = await until(() => ask(server, 'GET', '/sharded/_changes'), ({ status }) => status === 200)
      assert.deepEqual(new Set(changes.body.results.map((/** @type {any} */ { id }) => id)), stored)
      assert.equal(changes.body.results.length, stored.size)
    }
    assert.equal((await ask(others[0], 'DELETE', '/sharded')).status, 200)
  })

  it('refuse what an owner writes that was stopped and replaced, and it recovers', async () => {
    const { owner, others } = await split()
    const late = Array.from({ length: 20 }, (_, i) => ask(owner, 'PUT', `/db/early${i}`, {}).then(({ status }) => ({ id: `early${i}`, status })))
    owner.signal('SIGSTOP')
    const stopped = Array.from({ length: 20 }, (_, i) => ask(owner, 'PUT', `/db/late${i}`, {}).then(({ status }) => ({ id: `late${i}`, status })))
    const written = []
    for (let i = 0; i < 20; i++) {
      await until(() => ask(others[i % 2], 'PUT', `/db/other${i}`, {}), ({ status }) => status === 201 || status === 409)
      written.push(`other${i}`)
    }
    owner.signal('SIGCONT')
    const outcomes = (await Promise.all([...late, ...stopped])).filter(({ status }) => status === 201).map(({ id }) => id)
    await until(() => ask(owner, 'PUT', '/db/again', {}), ({ status }) => status === 201 || status === 409)
    for (const server of servers) await requireAll(server, [...written, ...outcomes, 'again'])
  })

  it('hand over without a failed request when one stops', async () => {
    const { owner, others } = await split()
    const writers = others.map((server, i) => write(server, `w${i}-`))
    await until(async () => writers[0].acknowledged.length, count => count > 10)
    await owner.end('SIGTERM')
    const before = writers[0].acknowledged.length
    await until(async () => writers[0].acknowledged.length, count => count > before + 10)
    await Promise.all(writers.map(({ end }) => end()))
    assert.deepEqual(writers.flatMap(({ unknown }) => unknown), [])
    for (const server of others) await requireAll(server, writers.flatMap(({ acknowledged }) => acknowledged))
  })

  it('go on with a feed whose owner is killed, at the next one', async () => {
    const { owner, others } = await split()
    const res = await fetch(`${others[0].url}/db/_changes?feed=continuous&heartbeat=1000&limit=2`, { headers: { authorization: AUTHORIZATION } })
    const told = res.text()
    await owner.end('SIGKILL')
    await until(() => ask(others[1], 'PUT', '/db/second', {}), ({ status }) => status === 201 || status === 409)
    const ids = (await told).trim().split(/\n+/).map(line => JSON.parse(line).id)
    assert.deepEqual(ids, ['first', 'second', undefined])
  })

  it('come back when PostgreSQL was restarted', async () => {
    await split()
    await postgres.halt()
    const down = await ask(servers[1], 'PUT', '/db/down', {})
    assert.equal(down.status, 503)
    await postgres.resume()
    await until(() => ask(servers[1], 'PUT', '/db/up', {}), ({ status }) => status === 201 || status === 409)
    for (const server of servers) await requireAll(server, ['first', 'up'])
  })

  it('sync PouchDBs through any of them', async () => {
    await ask(servers[0], 'PUT', '/db')
    const locals = servers.map((_, i) => new PouchDB(`local${i}`, { adapter: 'memory' }))
    try {
      const [username, password] = ['admin', 'secret']
      const remotes = servers.map(server => new PouchDB(`${server.url}/db`, { auth: { username, password } }))
      const syncs = locals.map((local, i) => local.sync(remotes[i], { live: true, retry: true }))
      for (const [i, local] of locals.entries()) for (let n = 0; n < 10; n++) await local.put({ _id: `${i}-${n}`, n })
      for (const local of locals) while ((await local.info()).doc_count < 30) await wait(50)
      for (const sync of syncs) sync.cancel()
    } finally {
      for (const local of locals) await local.destroy()
    }
  })
})
