'use strict'

const assert = require('node:assert/strict')
const { execFile, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { PostgresServer } = require('../support/postgres-server')
const { ServerProcess } = require('../support/server-process')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')
const AUTHORIZATION = `Basic ${Buffer.from('anna:secret').toString('base64')}`

/** @param {string[]} words @returns {Promise<{ code: number, text: string }>} */
async function command (...words) {
  try {
    const { stderr } = await promisify(execFile)(process.execPath, [program, ...words])
    return { code: 0, text: stderr }
  } catch (error) {
    return { code: error.code, text: error.stderr }
  }
}

/** @param {string} url @param {string} method @param {any} [body] */
async function ask (url, method, body) {
  const response = await fetch(url, { method, body: body && JSON.stringify(body), headers: { 'content-type': 'application/json', authorization: AUTHORIZATION } })
  return { status: response.status, body: await response.json() }
}

/** All that a client can see of a server. @param {string} url */
async function contents (url) {
  const names = (await ask(`${url}/_all_dbs`, 'GET')).body
  const databases = {}
  for (const name of names) {
    const place = `${url}/${encodeURIComponent(name)}`
    const { results } = (await ask(`${place}/_changes?style=all_docs&include_docs=true&attachments=true&conflicts=true`, 'GET')).body
    databases[name] = {
      documents: results.map(({ id, changes, doc }) => ({ id, changes, doc })).sort((a, b) => a.id < b.id ? -1 : 1),
      local: (await ask(`${place}/_local_docs`, 'GET')).body.rows?.map(({ id }) => id),
      security: (await ask(`${place}/_security`, 'GET')).body,
      q: (await ask(place, 'GET')).body.cluster?.q
    }
  }
  return { databases, sessions: (await ask(`${url}/_node/_local/_config/chttpd_auth/timeout`, 'GET')).body, admins: Object.keys((await ask(`${url}/_node/_local/_config/admins`, 'GET')).body) }
}

/** @param {string} url */
async function fill (url) {
  await ask(`${url}/_users`, 'PUT')
  await ask(`${url}/todos`, 'PUT')
  await ask(`${url}/parts?q=4`, 'PUT')
  for (const name of ['todos', 'parts']) {
    const place = `${url}/${name}`
    const docs = Array.from({ length: 60 }, (_, i) => ({ _id: `d${i}`, i, text: 'a'.repeat(i * 50), ...i === 0 && { _attachments: { 'a.txt': { content_type: 'text/plain', data: 'YWJj' } } } }))
    await ask(`${place}/_bulk_docs`, 'POST', { docs })
    await ask(`${place}/_bulk_docs`, 'POST', { new_edits: false, docs: [{ _id: 'd1', _rev: '2-a', left: true }, { _id: 'd1', _rev: '2-b', right: true }, { _id: 'd2', _rev: '2-c', _deleted: true }] })
    await ask(`${place}/_design/app`, 'PUT', { views: { all: { map: 'function (doc) { emit(doc.i) }' } } })
    await ask(`${place}/_local/mark`, 'PUT', { seq: 7 })
    await ask(`${place}/_security`, 'PUT', { members: { names: ['bob'], roles: [] }, admins: { names: [], roles: [] } })
  }
  await ask(`${url}/_users/org.couchdb.user:bob`, 'PUT', { name: 'bob', password: 'b', roles: [], type: 'user' })
  assert.equal((await ask(`${url}/_node/_local/_config/chttpd_auth/timeout`, 'PUT', '1234')).status, 200)
}

describe('backups into PostgreSQL and out of it', () => {
  /** @type {PostgresServer} */
  let postgres
  let folder

  before(async () => { postgres = await PostgresServer.start({ settings: { synchronous_commit: 'off' } }) })
  after(() => postgres.stop())
  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-moved-')) })
  afterEach(() => {
    postgres.query('DROP TABLE IF EXISTS potoroo_entries, potoroo_leases, potoroo_servers CASCADE')
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** @param {string} data @param {string} storage @param {(url: string) => Promise<any>} use */
  async function served (data, storage, use) {
    const server = await ServerProcess.start(['--data', path.join(folder, data), '--port', '0', '--storage', storage, '--allow-volatile', ...data === 'first' ? ['--admin', 'anna:secret'] : []])
    try {
      return await use(await server.started)
    } finally {
      await server.end('SIGTERM')
    }
  }

  const backupOf = url => command('backup', path.join(folder, 'backup'), '--server', url.replace('//', '//anna:secret@'))
  const restore = (...words) => command('restore', path.join(folder, 'backup'), ...words)

  for (const storage of ['pmem', 'classic-level']) {
    it(`bring all over from ${storage}, and back`, async () => {
      const before = await served('first', storage, async url => {
        await fill(url)
        assert.equal((await backupOf(url)).code, 0)
        return contents(url)
      })
      assert.equal(before.databases.parts.q, 4)
      const restored = await restore('--storage', postgres.url)
      assert.equal(restored.code, 0, restored.text)
      fs.mkdirSync(path.join(folder, 'second'))
      fs.writeFileSync(path.join(folder, 'second/potoroo.ini'), '[cluster]\nsecret = a secret of servers\n')
      const between = await served('second', postgres.url, async url => {
        const found = await contents(url)
        assert.equal((await ask(`${url}/_node/_local/_config/chttpd_auth/timeout`, 'PUT', '4321')).status, 200)
        assert.equal((await backupOf(url)).code, 0)
        return found
      })
      assert.deepEqual(between, before)
      const back = await restore('--data', path.join(folder, 'third'), '--storage', storage, '--allow-volatile')
      assert.equal(back.code, 0, back.text)
      assert.ok(!fs.readFileSync(path.join(folder, 'third/potoroo.ini'), 'utf8').includes('a secret of servers'))
      assert.deepEqual(await served('third', storage, contents), { ...before, sessions: '4321' })
    })
  }

  it('are refused where a server is, and where something is', async () => {
    await served('first', postgres.url, async url => {
      assert.equal((await backupOf(url)).code, 0)
      const { code, text } = await restore('--storage', postgres.url)
      assert.deepEqual([code, /Servers use it/.test(text)], [1, true], text)
    })
    const { code, text } = await restore('--storage', postgres.url)
    assert.deepEqual([code, /something in it already/.test(text)], [1, true], text)
  })

  it('keep servers away until they are whole, and begin again', async () => {
    await served('first', 'classic-level', async url => {
      await ask(`${url}/todos`, 'PUT')
      for (let i = 0; i < 20; i++) await ask(`${url}/todos/_bulk_docs`, 'POST', { docs: Array.from({ length: 500 }, (_, j) => ({ _id: `d${i}-${j}`, text: 'x'.repeat(1000) })) })
      assert.equal((await backupOf(url)).code, 0)
    })
    const half = spawn(process.execPath, [program, 'restore', '-', '--storage', postgres.url], { stdio: ['pipe', 'ignore', 'ignore'] })
    const bytes = fs.readFileSync(path.join(folder, 'backup'))
    half.stdin?.on('error', () => {})
    half.stdin?.write(bytes.subarray(0, bytes.length / 2))
    const isBegun = () => postgres.query("SELECT count(*) FROM pg_tables WHERE tablename = 'potoroo_entries'") !== '0' && Number(postgres.query('SELECT count(*) FROM potoroo_entries')) > 1000
    while (!isBegun()) await new Promise(resolve => setTimeout(resolve, 20))
    const ended = once(half, 'exit')
    half.kill('SIGKILL')
    await ended
    await assert.rejects(served('second', postgres.url, contents), /restore was interrupted/)
    const again = await restore('--storage', postgres.url)
    assert.equal(again.code, 0, again.text)
    assert.equal((await served('second', postgres.url, contents)).databases.todos.documents.length, 10_000)
  })

  it('are the way in, beside imports by a server that runs', async () => {
    const { code, text } = await command('import', folder, '--storage', postgres.url)
    assert.deepEqual([code, /by a server that runs on it, with --server/.test(text)], [1, true], text)
  })

  it('leave nothing where they are damaged', async () => {
    await served('first', 'classic-level', async url => {
      await fill(url)
      assert.equal((await backupOf(url)).code, 0)
    })
    const file = path.join(folder, 'backup')
    const bytes = fs.readFileSync(file)
    fs.writeFileSync(file, bytes.subarray(0, bytes.length - 10))
    const { code, text } = await restore('--storage', postgres.url)
    assert.deepEqual([code, /cut short/.test(text)], [1, true], text)
    assert.equal(postgres.query('SELECT count(*) FROM potoroo_entries'), '0')
    fs.writeFileSync(file, bytes)
    assert.equal((await restore('--storage', postgres.url)).code, 0)
  })
})
