'use strict'

const assert = require('node:assert/strict')
const { AUTHORIZATION, ask, until } = require('./support/ask')
const { ServerProcess } = require('./support/processes')
const { startServers } = require('./support/three-servers')
const { PostgresServer } = require('../support/postgres-server')

const json = { accept: 'application/json' }
const TEXT = Buffer.from('some text').toString('base64')

describe('reads that are answered where they arrive', () => {
  describe('of databases whose owners stand still', () => {
    /** @type {PostgresServer} */
    let postgres
    /** @type {ServerProcess[]} */
    let servers

    before(async () => {
      postgres = await PostgresServer.start()
      // None is replaced in the time of a test.
      const config = { cluster: { secret: 'a secret', lifetime: '60' }, chttpd_auth: { iterations: 10 } }
      servers = [await ServerProcess.start(postgres.url, { config }), await ServerProcess.start(postgres.url, { config })]
      for (const server of servers) await until(() => ask(server, 'GET', '/_membership'), ({ body }) => body.all_nodes.length === 2)
    })

    after(async () => {
      for (const server of servers) await server.end('SIGKILL')
      await postgres.stop()
    })

    /** Names of databases that the first server owns, or some of whose shards. @param {number} q */
    async function owned (q) {
      for (let i = 0; ; i++) {
        const name = `db-${q}-${i}`
        await ask(servers[1], 'PUT', `/${name}?q=${q}`)
        await ask(servers[1], 'POST', `/${name}/_bulk_docs`, { docs: Array.from({ length: 8 }, (_, n) => ({ _id: `doc${n}` })) })
        if (Number(postgres.query(`SELECT count(*) FROM potoroo_leases l JOIN potoroo_servers s ON s.id = l.server
          WHERE s.address = '${servers[0].address}' AND l.name IN (SELECT 'db:' || convert_from(value, 'UTF8') FROM potoroo_entries
          WHERE convert_from(substring(key FROM 1 FOR 10), 'LATIN1') = 'databases/' AND convert_from(key, 'LATIN1') LIKE 'databases/n%${name}')`)) > 0) return name
      }
    }

    it('are of documents, their revisions and attachments, local documents, and what replicators ask', async () => {
      const names = [await owned(1), await owned(4)]
      const written = new Map()
      for (const name of names) {
        for (let i = 0; i < 8; i++) {
          const first = (await ask(servers[1], 'GET', `/${name}/doc${i}`)).body._rev
          const { body } = await ask(servers[1], 'PUT', `/${name}/doc${i}`, { _rev: first, i, _attachments: { a: { data: TEXT, content_type: 'text/plain' } } })
          written.set(`${name}/doc${i}`, { first, second: body.rev })
          assert.equal((await ask(servers[1], 'PUT', `/${name}/_local/doc${i}`, { i })).status, 201)
        }
      }
      servers[0].signal('SIGSTOP')
      try {
        for (const name of names) for (let i = 0; i < 8; i++) await requireReadable(servers[1], name, `doc${i}`, written.get(`${name}/doc${i}`))
        // The owner alone counts: whoever asks waits for it.
        const waits = fetch(`${servers[1].url}/${names[0]}`, { headers: { authorization: AUTHORIZATION }, signal: AbortSignal.timeout(1000) })
        await assert.rejects(waits, { name: 'TimeoutError' })
      } finally {
        servers[0].signal('SIGCONT')
      }
    })
  })

  /** @param {ServerProcess} server @param {string} name @param {string} id @param {{ first: string, second: string }} revs */
  async function requireReadable (server, name, id, { first, second }) {
    const path = `/${name}/${id}`
    const got = await ask(server, 'GET', path)
    assert.deepEqual([got.status, got.body._rev, got.body._attachments.a.stub], [200, second, true])
    assert.equal((await ask(server, 'GET', `${path}?rev=${second}&attachments=true&revs=true`, undefined, json)).body._attachments.a.data, TEXT)
    assert.equal((await ask(server, 'GET', `${path}?rev=${first}`)).body._rev, first)
    assert.equal((await ask(server, 'GET', `${path}?open_revs=all`, undefined, json)).body[0].ok._rev, second)
    assert.equal((await ask(server, 'GET', path, undefined, { 'if-none-match': `"${second}"` })).status, 304)
    assert.equal((await ask(server, 'HEAD', path)).headers.get('etag'), `"${second}"`)
    assert.equal((await ask(server, 'GET', `/${name}/_local/${id}`)).body._rev, '0-1')
    assert.equal((await ask(server, 'GET', `/${name}/missing-${id}`)).body.reason, 'missing')
    const attachment = await fetch(`${server.url}${path}/a`, { headers: { authorization: AUTHORIZATION } })
    assert.equal(await attachment.text(), 'some text')
    assert.equal((await ask(server, 'POST', `/${name}/_bulk_get`, { docs: [{ id, rev: second }] })).body.results[0].docs[0].ok._rev, second)
    assert.deepEqual((await ask(server, 'POST', `/${name}/_revs_diff`, { [id]: [second, '9-9'] })).body[id].missing, ['9-9'])
    assert.deepEqual((await ask(server, 'GET', `/${name}/_security`)).body.members, { roles: ['_admin'] })
  }

  describe('know all that was done before', () => {
    /** @type {Awaited<ReturnType<typeof startServers>>} */
    let cluster
    /** @type {any[]} */
    let servers
    beforeEach(async () => {
      cluster = await startServers(3, { admins: { admin: 'secret' } })
      servers = cluster.servers
      for (const server of servers) await until(() => ask(server, 'GET', '/_membership'), ({ body }) => body.all_nodes.length === 3)
      await ask(servers[0], 'PUT', '/db')
      await ask(servers[0], 'PUT', '/db/doc', {})
      for (const server of servers) await ask(server, 'GET', '/db/doc')
    })
    afterEach(() => cluster.close())

    it('whichever server it was written by', async () => {
      let { _rev: rev } = (await ask(servers[0], 'GET', '/db/doc')).body
      for (let i = 0; i < 12; i++) {
        rev = (await ask(servers[i % 3], 'PUT', '/db/doc', { _rev: rev, i })).body.rev
        for (const server of servers) assert.equal((await ask(server, 'GET', '/db/doc')).body._rev, rev)
      }
    })

    it('also who may read', async () => {
      const nobody = { authorization: '' }
      for (const [i, server] of servers.entries()) {
        await ask(server, 'PUT', '/db/_security', {})
        for (const each of servers) assert.equal((await ask(each, 'GET', '/db/doc', undefined, nobody)).status, 200)
        await ask(servers[(i + 1) % 3], 'PUT', '/db/_security', { members: { roles: ['staff'] } })
        for (const each of servers) assert.equal((await ask(each, 'GET', '/db/doc', undefined, nobody)).status, 401)
      }
    })

    it('also that a database was dropped and made again, by a server that was not told', async () => {
      // The owner of the catalogue drops the database itself.
      const other = servers.find(({ service: { cluster } }) => !cluster.owns('db') && !cluster.ownsCatalogue)
      const { users } = other.service.databases
      const before = users.numberOf('db')
      await ask(servers[0], 'DELETE', '/db')
      await ask(servers[0], 'PUT', '/db')
      await ask(servers[0], 'PUT', '/db/doc', { is: 'new' })
      // As if it had not heard of it.
      users.numberOf = () => before
      users.lookUp = (/** @type {string} */ name) => {
        if (name === 'db') delete users.numberOf
        return Object.getPrototypeOf(users).lookUp.call(users, name)
      }
      assert.equal((await ask(other, 'GET', '/db/doc')).body.is, 'new')
      assert.equal(Object.hasOwn(users, 'numberOf'), false)
    })
  })
})
