'use strict'

const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')

/**
 * The server that is tested: the one of `POTOROO_URL` (`http://admin:password@127.0.0.1:5984`,
 * a CouchDB too), or one that is started here, on a pool in tmpfs where there is one.
 */
const server = { origin: '', authorization: '', credentials: { username: 'admin', password: 'correct horse' } }

let stop = async () => {}

before(async function () {
  this.timeout(600_000)
  const given = process.env.POTOROO_URL
  if (given === undefined) return startOwn()
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
    storage: /** @type {any} */ (process.env.POTOROO_STORAGE ?? 'auto'),
    size: 256 * 1024 * 1024,
    ...(process.env.POTOROO_WORKERS && { workers: Number(process.env.POTOROO_WORKERS) }),
    allowVolatile: true,
    admins: { [username]: password },
    config: { chttpd_auth: { iterations: 10 } }
  })
  use(started.url, username, password)
  stop = async () => {
    await started.close()
    await fs.rm(folder, { recursive: true, force: true })
  }
}

module.exports = { server }
