'use strict'

const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')

/**
 * The server that is tested: the one of `TEST_URL` (`http://admin:password@127.0.0.1:5984`,
 * a CouchDB too), or one that is started here, on a pool in tmpfs where there is one. With `TEST_CLUSTER=memory` it is
 * one of three that share an engine in memory, and with `postgres` one of three processes on a PostgreSQL.
 */
const server = { origin: '', authorization: '', credentials: { username: 'admin', password: 'correct horse' } }

/** The shards of databases that a test makes without saying how many: `TEST_SHARDS`. */
const shards = process.env.TEST_SHARDS ? { q: process.env.TEST_SHARDS } : undefined

let stop = async () => {}

before(async function () {
  this.timeout(600_000)
  const given = process.env.TEST_URL
  if (given === undefined) return process.env.TEST_CLUSTER === undefined ? startOwn() : startCluster()
  const url = new URL(given)
  use(url.origin, decodeURIComponent(url.username), decodeURIComponent(url.password))
})

after(() => stop())

function use (origin, username, password) {
  server.origin = origin
  server.credentials = { username, password }
  server.authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

async function startOwn () {
  const { serve } = require('potoroo')
  const { username, password } = server.credentials
  const shared = await fs.access('/dev/shm').then(() => '/dev/shm', () => os.tmpdir())
  const folder = await fs.mkdtemp(path.join(shared, 'potoroo-http-'))
  const started = await serve({
    port: 0,
    path: folder,
    storage: /** @type {any} */ (process.env.TEST_STORAGE ?? 'auto'),
    size: 256 * 1024 * 1024,
    ...(process.env.TEST_WORKERS && { workers: Number(process.env.TEST_WORKERS) }),
    allowVolatile: true,
    admins: { [username]: password },
    config: { chttpd_auth: { iterations: 10 }, ...(shards && { cluster: shards }) }
  })
  use(started.url, username, password)
  stop = async () => {
    await started.close()
    await fs.rm(folder, { recursive: true, force: true })
  }
}

/** The second of three servers that share an engine. */
async function startCluster () {
  const { username, password } = server.credentials
  if (process.env.TEST_CLUSTER === 'postgres') return startProcesses({ admins: { [username]: password }, ...(shards && { config: { cluster: { secret: 'a secret', lifetime: '3', ...shards }, chttpd_auth: { iterations: 10 } } }) })
  const { startServers } = require('../../cluster/support/three-servers')
  const { servers, close } = await startServers(3, { admins: { [username]: password }, config: { cluster: { lifetime: '60', ...shards } } })
  use(servers[1].url, username, password)
  stop = close
}

/** The same as processes, on a PostgreSQL. */
async function startProcesses (options) {
  const { ServerProcess } = require('../../cluster/support/processes')
  const { PostgresServer } = require('../../support/postgres-server')
  const { username, password } = server.credentials
  const postgres = await PostgresServer.start()
  const servers = []
  for (let i = 0; i < 3; i++) servers.push(await ServerProcess.start(postgres.url, options))
  use(servers[1].url, username, password)
  stop = async () => {
    for (const each of servers) await each.end()
    await postgres.stop()
  }
}

module.exports = { server }
