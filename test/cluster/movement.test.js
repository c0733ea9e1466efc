'use strict'

const assert = require('node:assert/strict')
const { ask, until } = require('./support/ask')
const { ServerProcess } = require('./support/processes')
const { PostgresServer } = require('../support/postgres-server')

/** How long a change may take in the calmest of all rounds, milliseconds: it is promised within a second, on a machine that has time for it. */
const LONGEST = 5000

/** Times that a change is measured. */
const ROUNDS = 5

describe('what runs once in all servers on one PostgreSQL', () => {
  /** @type {PostgresServer} */
  let postgres
  /** @type {ServerProcess[]} */
  let servers

  beforeEach(async () => {
    postgres = await PostgresServer.start()
    servers = []
    for (let i = 0; i < 3; i++) servers.push(await ServerProcess.start(postgres.url))
    for (const server of servers) await until(() => ask(server, 'GET', '/_membership'), ({ body }) => body.all_nodes.length === 3)
  })
  afterEach(async () => {
    for (const server of servers) await server.end()
    await postgres.stop()
  })

  /** The server of the lease of a database, or of the catalogue, and the others. @param {string} [database] */
  function split (database) {
    const lease = database === undefined ? 'catalogue' : `db:${postgres.query(`SELECT convert_from(value, 'UTF8') FROM potoroo_entries WHERE key = convert_to('databases/n${database}', 'UTF8')`)}`
    const address = postgres.query(`SELECT s.address FROM potoroo_leases l JOIN potoroo_servers s ON s.id = l.server WHERE l.name = '${lease}'`)
    const owner = servers.find(server => server.address === address)
    assert.ok(owner, `${lease} is of ${address}`)
    return { owner, others: servers.filter(server => server !== owner) }
  }

  /** Tasks of a type, of all servers. @param {ServerProcess} server @param {string} type */
  async function tasks (server, type) {
    const { body } = await ask(server, 'GET', '/_active_tasks')
    return body.filter((/** @type {any} */ task) => task.type === type)
  }

  /** Names are potoroo@host:port. @param {string} node */
  const serverNamed = node => servers.find(({ address }) => node.endsWith(`@${address}`))

  describe('a job of _replicator', () => {
    it('runs at one server, and at another one when that is killed', async () => {
      for (const name of ['from', 'to']) assert.equal((await ask(servers[0], 'PUT', `/${name}`)).status, 201)
      await ask(servers[1], 'PUT', '/from/first', {})
      const job = { source: 'from', target: 'to', continuous: true }
      assert.equal((await ask(servers[2], 'PUT', '/_replicator/job', job)).status, 201)
      await until(() => ask(servers[1], 'GET', '/to/first'), ({ status }) => status === 200)
      const [task, ...more] = await until(() => tasks(servers[0], 'replication'), list => list.length > 0)
      assert.deepEqual(more, [])
      const runner = serverNamed(task.node)
      assert.equal(runner, split('_replicator').owner)
      await /** @type {ServerProcess} */ (runner).end('SIGKILL')
      const others = servers.filter(server => server !== runner)
      await until(() => ask(others[0], 'PUT', '/from/second', {}), ({ status }) => status === 201 || status === 409)
      await until(() => ask(others[1], 'GET', '/to/second'), ({ status }) => status === 200)
      const after = await until(() => tasks(others[0], 'replication'), list => list.length > 0)
      assert.equal(after.length, 1)
      assert.ok(others.includes(serverNamed(after[0].node)), after[0].node)
    })
  })

  describe('_db_updates', () => {
    it('goes on from its sequence at another server, and loses nothing', async () => {
      await ask(servers[0], 'PUT', '/before')
      const isOf = (/** @type {string} */ name, /** @type {string} */ type) => (/** @type {any} */ row) => row.db_name === name && row.type === type
      const { body } = await until(() => ask(servers[1], 'GET', '/_db_updates'), ({ body }) => body.results.some(isOf('before', 'created')))
      const { owner, others } = split()
      // It may have saved nothing of what it told a moment ago.
      for (const name of ['one', 'two', 'three']) await ask(owner, 'PUT', `/${name}`)
      await owner.end('SIGKILL')
      await until(() => ask(others[0], 'PUT', '/after'), ({ status }) => status === 201 || status === 412)
      for (const server of others) {
        const told = await until(() => ask(server, 'GET', `/_db_updates?since=${encodeURIComponent(body.last_seq)}`), ({ status, body }) => status === 200 && body.results.some(isOf('after', 'created')))
        for (const name of ['one', 'two', 'three', 'after']) assert.equal(told.body.results.filter(isOf(name, 'created')).length, 1, name)
      }
    })
  })

  describe('indexes in the background', () => {
    it('are built by the owner, and by the next one when it is killed', async () => {
      await ask(servers[0], 'PUT', '/db')
      await ask(servers[0], 'PUT', '/db/_design/d', { views: { n: { map: 'function (doc) { emit(doc.n) }' } } })
      const isBuilt = (/** @type {any} */ [info, index]) => index.status === 200 && info.status === 200 && sequence(index.body.view_index.update_seq) === sequence(info.body.update_seq)
      const sequence = (/** @type {unknown} */ seq) => Number(String(seq).split('-', 1)[0])
      /** Neither of them brings an index up to date. @param {ServerProcess} server */
      const look = server => Promise.all([ask(server, 'GET', '/db'), ask(server, 'GET', '/db/_design/d/_info')])
      await ask(servers[1], 'POST', '/db/_bulk_docs', { docs: Array.from({ length: 200 }, (_, n) => ({ n })) })
      for (const server of servers) await until(() => look(server), isBuilt)
      const { owner, others } = split('db')
      // Its index is behind when it dies.
      await ask(owner, 'POST', '/db/_bulk_docs', { docs: Array.from({ length: 5000 }, (_, n) => ({ n })) })
      await owner.end('SIGKILL')
      for (const server of others) await until(() => look(server), isBuilt)
      const { body } = await ask(others[0], 'GET', '/db/_design/d/_view/n?limit=0')
      assert.equal(body.total_rows, 5200)
    })

    it('of text are asked through others, and go on at the next owner when one is killed', async () => {
      await ask(servers[0], 'PUT', '/db')
      await ask(servers[0], 'PUT', '/db/_design/d', { nouveau: { all: { index: 'function (doc) { index("text", "default", doc.text) }' } } })
      const text = (/** @type {number} */ n) => `fox ${n % 10 === 0 ? 'rare' : 'common'}`
      await ask(servers[1], 'POST', '/db/_bulk_docs', { docs: Array.from({ length: 500 }, (_, n) => ({ text: text(n) })) })
      const count = async (/** @type {ServerProcess} */ server, /** @type {string} */ query) => (await ask(server, 'GET', `/db/_design/d/_nouveau/all?q=${query}`)).body.total_hits
      for (const server of servers) assert.deepEqual([await count(server, 'fox'), await count(server, 'rare')], [500, 50])
      const { owner, others } = split('db')
      await ask(others[0], 'POST', '/db/_bulk_docs', { docs: Array.from({ length: 2000 }, (_, n) => ({ text: text(n) })) })
      await owner.end('SIGKILL')
      for (const server of others) {
        await until(() => ask(server, 'GET', '/db/_design/d/_nouveau/all?q=fox'), ({ status }) => status === 200)
        assert.deepEqual([await count(server, 'fox'), await count(server, 'rare'), await count(server, 'fox+AND+NOT+rare')], [2500, 250, 2250])
      }
    })
  })

  describe('a compaction', () => {
    it('is done by the owner, whoever is asked, and by the next one after that was killed', async () => {
      await ask(servers[0], 'PUT', '/db')
      /** A revision that is replaced at once. @param {ServerProcess} server @param {string} id */
      const replace = async (server, id) => {
        const { body: { rev } } = await ask(server, 'PUT', `/db/${id}`, { is: 'old' })
        await ask(server, 'PUT', `/db/${id}`, { _rev: rev, is: 'new' })
        assert.equal((await ask(server, 'GET', `/db/${id}?rev=${rev}`)).body.is, 'old')
        return rev
      }
      const compacted = async (/** @type {ServerProcess[]} */ asked, /** @type {string} */ id) => {
        const rev = await replace(asked[0], id)
        assert.equal((await ask(asked[1], 'POST', '/db/_compact', undefined)).status, 202)
        for (const server of asked) await until(() => ask(server, 'GET', `/db/${id}?rev=${rev}`), ({ status }) => status === 404)
      }
      await compacted(servers, 'first')
      const { owner, others } = split('db')
      await owner.end('SIGKILL')
      await until(() => ask(others[0], 'GET', '/db/first'), ({ status }) => status === 200)
      await compacted(others, 'second')
    })
  })

  describe('a change', () => {
    const basic = (/** @type {string} */ name, /** @type {string} */ password) => ({ authorization: 'Basic ' + Buffer.from(`${name}:${password}`).toString('base64') })

    /**
     * Returns how long the slowest server takes until it does what it should.
     *
     * @param {(server: ServerProcess) => Promise<any>} act @param {(answer: any) => boolean} isDone
     */
    async function measure (act, isDone) {
      const began = performance.now()
      await Promise.all(servers.map(server => until(() => act(server), isDone)))
      return performance.now() - began
    }

    /** @param {string} what @param {number[]} times */
    function report (what, times) {
      const [median] = times.sort((a, b) => a - b).slice(Math.floor(times.length / 2))
      assert.ok(times[0] < LONGEST, `${what}: ${Math.round(times[0])} ms`)
      console.log(`      ${what}: ${Math.round(median)} ms in the median, ${Math.round(times[times.length - 1])} at most`)
    }

    it('of a setting is in force everywhere', async () => {
      const times = []
      for (let i = 0; i < ROUNDS; i++) {
        for (const [value, expected] of /** @type {Array<[string, number]>} */ ([['true', 401], ['false', 200]])) {
          assert.equal((await ask(servers[i % 3], 'PUT', '/_node/_local/_config/chttpd/require_valid_user', value)).status, 200)
          times.push(await measure(server => ask(server, 'GET', '/_session', undefined, { authorization: '' }).catch(error => ({ status: error.message })), ({ status }) => (status === 401) === (expected === 401)))
        }
      }
      report('a setting', times)
    })

    it('of a user, and of the sessions of that user, is in force everywhere', async () => {
      const made = []
      const changed = []
      const ended = []
      for (let i = 0; i < ROUNDS; i++) {
        const name = `ann${i}`
        const path = `/_users/org.couchdb.user:${name}`
        const session = (/** @type {ServerProcess} */ server, /** @type {Record<string, string>} */ headers) => ask(server, 'GET', '/_session', undefined, headers)
        assert.equal((await ask(servers[i % 3], 'PUT', path, { name, password: 'pass', roles: [], type: 'user' })).status, 201)
        made.push(await measure(server => session(server, basic(name, 'pass')), ({ body }) => body.userCtx?.name === name))
        const { headers } = await ask(servers[(i + 1) % 3], 'POST', '/_session', { name, password: 'pass' }, { authorization: '' })
        const cookie = String(headers.get('set-cookie')).split(';', 1)[0]
        await measure(server => session(server, { authorization: '', cookie }), ({ body }) => body.userCtx?.name === name)
        const { body } = await ask(servers[0], 'GET', path)
        assert.equal((await ask(servers[(i + 2) % 3], 'PUT', path, { ...body, password: 'other' })).status, 201)
        const [ofPassword, ofSession] = await Promise.all([
          measure(server => session(server, basic(name, 'other')), ({ body }) => body.userCtx?.name === name),
          measure(server => session(server, { authorization: '', cookie }), ({ body }) => body.userCtx?.name !== name)
        ])
        changed.push(ofPassword)
        ended.push(ofSession)
      }
      report('a new user', made)
      report('a new password', changed)
      report('the end of its sessions', ended)
    })

    it('of who is locked out is in force everywhere', async () => {
      for (const [key, value] of [['threshold', '3'], ['mode', 'enforce']]) await ask(servers[0], 'PUT', `/_node/_local/_config/chttpd_auth_lockout/${key}`, value)
      const times = []
      for (let i = 0; i < ROUNDS; i++) {
        const name = `bob${i}`
        await ask(servers[0], 'PUT', `/_users/org.couchdb.user:${name}`, { name, password: 'pass', roles: [], type: 'user' })
        await measure(server => ask(server, 'GET', '/_session', undefined, basic(name, 'pass')), ({ status }) => status === 200)
        for (let attempt = 0; attempt < 3; attempt++) await ask(servers[i % 3], 'GET', '/_session', undefined, basic(name, 'wrong'))
        times.push(await measure(server => ask(server, 'GET', '/_session', undefined, basic(name, 'pass')), ({ status }) => status === 403))
      }
      report('a lockout', times)
    })
  })
})
