'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { open } = require('../../packages/storage')
const { PostgresServer } = require('../support/postgres-server')
const { ServerProcess } = require('../support/server-process')

describe('PostgreSQL as a storage', () => {
  /** @type {PostgresServer} */
  let server
  let folder

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-served-'))
    server = await PostgresServer.start({ settings: { synchronous_commit: 'off' } })
  })

  after(async () => {
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it('is chosen by a URL, and says what a write survives, but no password', async () => {
    const url = server.url.replace('postgres@', 'postgres:secret@').replace('postgres://', 'postgresql://')
    const opened = await open({ storage: url, postgres: { prefix: 'told' } })
    assert.strictEqual(opened.storage, 'postgres')
    assert.strictEqual(await opened.writeFault(), null)
    const description = opened.describe()
    assert.match(description.medium, /^PostgreSQL \d/)
    assert.match(description.commit, /synchronous_commit off, fsync off/)
    assert.strictEqual(description.survives, 'a crash of the engine, not a restart of its machine')
    assert.ok(!JSON.stringify(description).includes('secret'))
    await opened.level.close()
  })

  it('needs a URL, and says so without repeating it', async () => {
    await assert.rejects(open({ storage: 'postgres' }), { code: 'STORAGE_UNKNOWN', message: /needs a URL/ })
    await assert.rejects(open({ storage: 'postgres:secret' }), error => !error.message.includes('secret'))
  })

  it('has no use for a key', async () => {
    await assert.rejects(open({ storage: server.url, key: Buffer.alloc(32) }), { code: 'STORAGE_NOT_ENCRYPTED' })
  })

  it('keeps the databases of a server that starts again', async () => {
    const words = ['--data', folder, '--port', '0', '--admin-party', '--storage', server.url]
    const ask = async (url, method, body) => (await fetch(url, { method, body, headers: { 'content-type': 'application/json' } })).json()
    const first = await ServerProcess.start(words)
    const url = await first.started
    assert.deepStrictEqual(await ask(`${url}/todos`, 'PUT'), { ok: true })
    assert.strictEqual((await ask(`${url}/todos/a`, 'PUT', '{"text":"milk"}')).ok, true)
    await first.end('SIGTERM')
    const second = await ServerProcess.start(words)
    assert.strictEqual((await ask(`${await second.started}/todos/a`, 'GET')).text, 'milk')
    await second.end('SIGTERM')
  })
})
