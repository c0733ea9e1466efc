'use strict'

const assert = require('node:assert/strict')
const { execFile, spawn } = require('node:child_process')
const crypto = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { DataFolder, admin } = require('../end-to-end/data-folder')
const { HttpClient } = require('../end-to-end/http-client')
const { openPouch } = require('../../packages/import/test/support/pouch-database')

const Remote = require('pouchdb-core').plugin(require('pouchdb-adapter-http'))

/** The plugin puts its functions here: other tests put it on PouchDB, which takes it once only. @type {any} */
const replication = { prototype: {} }
require('pouchdb-replication')(replication)

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')

/** @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
function potoroo (...words) {
  return new Promise(resolve => {
    execFile(process.execPath, [program, ...words], (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }))
  })
}

describe('potoroo import', function () {
  this.timeout(600_000)
  /** @type {DataFolder} */
  let folder
  let pouches

  beforeEach(() => {
    folder = new DataFolder('classic-level')
    pouches = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-pouches-')) + path.sep
  })

  afterEach(async () => {
    await folder.remove()
    fs.rmSync(pouches, { recursive: true })
  })

  const into = () => ['--data', folder.path, '--storage', 'classic-level', '--allow-volatile']

  async function makePouch (name, docs) {
    const db = openPouch(name, pouches)
    await db.bulkDocs(docs)
    await db.close()
  }

  function addressOf (url, { name, password } = admin) {
    return url.replace('//', `//${encodeURIComponent(name)}:${encodeURIComponent(password)}@`)
  }

  it('brings over databases of pouchdb-adapter-pmem, in a shared pool and in pools of their own', async function () {
    const PouchDB = require('pouchdb-core').defaults({ adapter: 'pmem' })
    PouchDB.plugin(require('pouchdb-adapter-pmem'))
    for (const [name, options] of [['a', {}], ['below/b', {}], ['c', { shared: false }]]) {
      const db = new PouchDB(pouches + name, options)
      await db.bulkDocs([
        { _id: 'one', of: name, _attachments: { file: { content_type: 'text/plain', data: Buffer.alloc(100_000, name).toString('base64') } } },
        { _id: '_local/note', of: name }
      ])
      await db.bulkDocs(['a', 'b'].map(digit => ({ _id: 'two', _rev: `1-${digit.repeat(32)}`, digit })), { new_edits: false })
      await db.close()
    }
    const listed = await potoroo('import', pouches, ...into(), '--dry-run')
    assert.deepEqual(listed.stdout.match(/(?<=→ ).+/g), ['a', 'below/b', 'c'], listed.stdout + listed.stderr)
    for (const words of [[], ['--verify']]) {
      const { code, stdout, stderr } = await potoroo('import', pouches, ...into(), ...words)
      assert.equal(code, 0, stdout + stderr)
    }
    const { stdout } = await potoroo('import', pouches + 'below/b', 'renamed', ...into())
    assert.match(stdout, /renamed: 2 documents/)
  })

  it('brings over databases of pouchdb-adapter-pmem that are encrypted, with their key, beside others', async () => {
    const PouchDB = require('pouchdb-core').defaults({ adapter: 'pmem' })
    PouchDB.plugin(require('pouchdb-adapter-pmem'))
    const key = crypto.randomBytes(32)
    const files = ['right', 'wrong', 'open'].map(name => path.join(folder.path, `${name}.key`))
    fs.writeFileSync(files[0], key, { mode: 0o600 })
    fs.writeFileSync(files[1], crypto.randomBytes(32), { mode: 0o600 })
    fs.writeFileSync(files[2], key, { mode: 0o600 })
    fs.chmodSync(files[2], 0o644)
    for (const [name, options] of [['plain', { shared: false }], ['secret', { key }], ['shared', {}]]) {
      const db = new PouchDB(pouches + name, options)
      await db.bulkDocs([{ _id: 'one', of: name }])
      await db.close()
    }
    for (const [words, reason] of [[[], /secret: .*a key is needed/], [['--key-file', files[1]], /secret: .*another key/]]) {
      const { code, stdout, stderr } = await potoroo('import', pouches, ...into(), ...words)
      assert.equal(code, 1)
      assert.match(stderr, reason)
      assert.match(stdout, /^plain: .*\nshared: /)
    }
    assert.match((await potoroo('import', pouches, ...into(), '--key-file', files[2])).stderr, /all users have access to this key/)
    for (const words of [[], ['--verify']]) {
      const { code, stdout, stderr } = await potoroo('import', pouches, ...into(), '--key-file', files[0], ...words)
      assert.equal(code, 0, stdout + stderr)
      assert.match(stdout, /^secret: /m)
    }
  })

  it('refuses a pool that holds no database of PouchDB, such as a server\'s, and leaves it as it is', async () => {
    const { PmemLevel } = require('pmem-level')
    const level = new PmemLevel(pouches + 'pmem')
    await level.put('b1/mdatabase', '{}')
    await level.close()
    const { code, stderr } = await potoroo('import', pouches, ...into())
    assert.equal(code, 1)
    assert.match(stderr, /holds no database of PouchDB/)
    await level.open()
    assert.deepEqual(await level.keys().all(), ['b1/mdatabase'])
    await level.close()
  })

  it('refuses pools of other programs, whose keys may be the same, and imports what lies beside them', async () => {
    const { Pool } = require('pmemobj')
    const { PmemLevel } = require('pmem-level')
    const levels = ['words', '[]', 'null', '{"version":2}'].map((text, i) => ({ text, level: new PmemLevel(`${pouches}z${i}`) }))
    for (const { level, text } of levels) {
      await level.put('mdatabase', text)
      await level.close()
    }
    const pool = Pool.create(pouches + 'objects', { maxSize: 64 * 1024 * 1024 })
    pool.map('mine').put('mdatabase', '{"version":2,"instanceId":""}')
    pool.close()
    const PouchDB = require('pouchdb-core').defaults({ adapter: 'pmem' })
    PouchDB.plugin(require('pouchdb-adapter-pmem'))
    const db = new PouchDB(pouches + 'a', { shared: false })
    await db.put({ _id: 'one' })
    await db.close()
    const { code, stdout, stderr } = await potoroo('import', pouches, ...into())
    assert.equal(code, 1)
    assert.match(stdout, /^a: 1 document/m)
    for (const name of ['objects', 'z0', 'z1', 'z2', 'z3']) assert.match(stderr, new RegExp(`${name} holds no database of PouchDB`))
    const again = Pool.open(pouches + 'objects')
    assert.deepEqual(again.maps(), ['mine'])
    again.close()
  })

  describe('of a whole server', () => {
    /** @type {DataFolder} */
    let origin

    beforeEach(() => { origin = new DataFolder('classic-level') })
    afterEach(() => origin.remove())

    async function fillServer (client) {
      await client.ask('PUT', '/todos')
      await client.ask('PUT', '/a%2Fb')
      await client.ask('POST', '/todos/_bulk_docs', { docs: [{ _id: 'milk', done: false }, { _id: '_design/d', language: 'query', views: {} }] })
      await client.ask('PUT', '/todos/_local/mine', { colour: 'red' })
      await client.ask('PUT', '/todos/_security', { members: { names: ['ben'] } })
      await client.ask('PUT', '/_replicator/_security', {})
      await client.ask('PUT', '/todos/_revs_limit', 50)
      await client.ask('PUT', '/_users/org.couchdb.user:ben', { _id: 'org.couchdb.user:ben', type: 'user', name: 'ben', roles: [], password: 'bens' })
      return client.ask('GET', '/')
    }

    it('brings databases, users who can log in, security and the uuid', async () => {
      const from = await origin.start()
      const { uuid } = await fillServer(new HttpClient(await from.started, admin))
      const result = await potoroo('import', addressOf(await from.started), ...into(), '--take-uuid')
      assert.equal(result.code, 0, result.stderr)
      assert.match(result.stdout, /^todos: 2 documents with 2 leaf revisions, .* 1 local document, nothing skipped$/m)

      const url = await (await folder.start()).started
      const ben = new HttpClient(url, { name: 'ben', password: 'bens' })
      assert.equal((await ben.ask('GET', '/todos/milk')).done, false)
      assert.equal((await new HttpClient(url).request('GET', '/todos/milk')).status, 401)
      const anna = new HttpClient(url, admin)
      assert.deepEqual(await anna.ask('GET', '/_all_dbs'), ['_replicator', '_users', 'a/b', 'todos'])
      assert.equal(await anna.ask('GET', '/todos/_revs_limit'), 50)
      assert.equal((await anna.ask('GET', '/todos/_local/mine')).colour, 'red')
      assert.equal((await anna.ask('GET', '/')).uuid, uuid)
      assert.deepEqual(await anna.ask('GET', '/_replicator/_security'), { members: { roles: ['_admin'] }, admins: { roles: ['_admin'] } })
    })

    it('closes what everybody may read, unless it is to stay open, and says so', async () => {
      const from = await origin.start()
      const there = new HttpClient(await from.started, admin)
      await there.ask('PUT', '/notes')
      await there.ask('PUT', '/notes/milk', {})
      await there.ask('PUT', '/notes/_security', {})
      const source = addressOf(await from.started) + '/notes'
      const closed = await potoroo('import', source, ...into())
      assert.match(closed.stderr, /notes: everybody may read and write it there; here only administrators may/)
      assert.equal((await potoroo('import', source, ...into(), '--verify')).code, 0)
      assert.equal((await potoroo('import', source, ...into(), '--verify', '--open')).code, 2)
      assert.match((await potoroo('import', source, 'open', ...into(), '--open')).stdout, /^open: .*, OPEN: strangers may read and write it$/m)
      const stranger = new HttpClient(await (await folder.start()).started)
      assert.equal((await stranger.request('GET', '/notes/milk')).status, 401)
      assert.equal((await stranger.request('GET', '/open/milk')).status, 200)
    })

    it('goes into a running server too, with what is new the second time', async () => {
      const url = await (await origin.start()).started
      const client = new HttpClient(url, admin)
      await fillServer(client)
      const from = addressOf(url)
      const to = await (await folder.start()).started
      assert.equal((await potoroo('import', from, '--server', addressOf(to))).code, 0)
      await client.ask('PUT', '/todos/bread', { done: true })
      const second = await potoroo('import', `${from}/todos`, '--server', addressOf(to))
      assert.match(second.stdout, /^todos: 1 document with 1 leaf revision, /)
      assert.equal((await new HttpClient(to, { name: 'ben', password: 'bens' }).ask('GET', '/todos/bread')).done, true)
      assert.equal((await potoroo('import', from, '--server', addressOf(to), '--verify')).code, 0)
    })
  })

  it('lets a client that replicated with the old server go on with the new one', async () => {
    const origin = new DataFolder('classic-level')
    try {
      const old = await origin.start()
      const from = await old.started
      const there = new HttpClient(from, admin)
      await there.ask('PUT', '/todos')
      await there.ask('POST', '/todos/_bulk_docs', { docs: [{ _id: 'theirs 1' }, { _id: 'theirs 2' }] })
      const client = openPouch('client', pouches)
      await client.bulkDocs([{ _id: 'ours 1' }, { _id: 'ours 2' }])
      await sync(client, from)
      assert.equal((await potoroo('import', addressOf(from), ...into(), '--take-uuid')).code, 0)
      await old.end('SIGTERM')

      const to = await (await folder.start()).started
      const here = new HttpClient(to, admin)
      await here.ask('PUT', '/todos/theirs%203', {})
      await client.put({ _id: 'ours 3' })
      const { push, pull } = await sync(client, to)
      assert.deepEqual([push.docs_read, pull.docs_written], [1, 1])
      const all = ['ours 1', 'ours 2', 'ours 3', 'theirs 1', 'theirs 2', 'theirs 3']
      assert.deepEqual((await client.allDocs()).rows.map(({ id }) => id), all)
      assert.deepEqual((await here.ask('GET', '/todos/_all_docs')).rows.map(({ id }) => id), all)
      await client.close()
    } finally {
      await origin.remove()
    }
  })

  /** Pull, then push. */
  async function sync (client, url) {
    const remote = new Remote(`${url}/todos`, { adapter: 'http', auth: { username: admin.name, password: admin.password } })
    const pull = await replication.replicate(remote, client)
    return { pull, push: await replication.replicate(client, remote) }
  }

  it('brings a folder of databases of PouchDB, reports what cannot be one here, and goes on', async () => {
    await makePouch('todos', [{ _id: 'milk' }])
    await makePouch('Groceries', [{ _id: 'milk' }])
    const listed = await potoroo('import', pouches, '--dry-run')
    assert.deepEqual(listed.stdout.trim().split('\n').map(line => line.split(' → ')[1]), ['Groceries', 'todos'])
    const all = await potoroo('import', pouches, ...into())
    assert.equal(all.code, 1)
    assert.match(all.stderr, /^Groceries: .*lowercase/m)
    assert.match(all.stdout, /^todos: 1 document with 1 leaf revision, /m)
    const named = await potoroo('import', pouches + 'Groceries', 'groceries', ...into())
    assert.equal(named.code, 0, named.stderr)
    assert.match((await potoroo('import', pouches, 'one-name', ...into())).stderr, /has 2 databases/)

    const anna = new HttpClient(await (await folder.start()).started, admin)
    assert.deepEqual(await anna.ask('GET', '/_all_dbs'), ['_replicator', '_users', 'groceries', 'todos'])
  })

  it('compares, and says with its exit code whether all is the same', async () => {
    await makePouch('todos', [{ _id: 'milk' }])
    assert.match((await potoroo('import', pouches + 'todos', '--verify', ...into())).stderr, /todos: is not here/)
    await potoroo('import', pouches + 'todos', ...into())
    const same = await potoroo('import', pouches + 'todos', '--verify', ...into())
    assert.deepEqual([same.code, same.stdout], [0, 'todos: 1 document, 1 leaf revision, 0 attachments, 0 local documents compared, no differences\n'])
    await makePouch('todos', [{ _id: 'bread' }])
    const other = await potoroo('import', pouches + 'todos', '--verify', ...into())
    assert.equal(other.code, 2)
    assert.match(other.stderr, /"bread" 1-\w+ is missing/)
  })

  it('ends with 2 where something was skipped', async () => {
    await makePouch('todos', [{ _id: 'milk' }, { _id: 'x\ud800' }])
    const { code, stdout, stderr } = await potoroo('import', pouches + 'todos', ...into())
    assert.equal(code, 2)
    assert.match(stdout, /1 document with .* 1 SKIPPED/)
    assert.match(stderr, /skipped "x.*UTF-8/)
  })

  it('draws a bar on a terminal', async () => {
    await makePouch('todos', [{ _id: 'milk' }])
    const command = [process.execPath, program, 'import', pouches + 'todos', ...into()].join(' ')
    const output = await new Promise(resolve => execFile('script', ['-qec', command, '/dev/null'], (error, stdout) => resolve(error ?? stdout)))
    assert.match(output, /todos \[[=-]+\] \d+ % \| 0 documents/)
    assert.match(output, /todos: 1 document with 1 leaf revision/)
  })

  it('stops at a signal, and says that it can go on', async () => {
    const silent = net.createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = /** @type {any} */ (silent.address())
    const child = spawn(process.execPath, [program, 'import', `http://127.0.0.1:${port}/todos`, ...into()], { stdio: ['ignore', 'ignore', 'pipe'] })
    const [socket] = await once(silent, 'connection')
    child.kill('SIGINT')
    const stderr = (await child.stderr.toArray()).join('')
    assert.equal(stderr, 'potoroo: stopped; the same command goes on from here\n')
    assert.equal(child.exitCode ?? (await once(child, 'exit'))[0], 1)
    socket.destroy()
    silent.close()
  })

  it('says what keeps it from going on', async () => {
    await makePouch('todos', [{ _id: 'milk' }])
    const url = await (await folder.start()).started
    const locked = await potoroo('import', pouches + 'todos', ...into())
    assert.deepEqual([locked.code, locked.stderr], [1, `potoroo: the databases in ${folder.path} are in use by another process; stop the server, or import into it with --server http://…\n`])
    const refused = await potoroo('import', addressOf(url, { name: 'anna', password: 'wrong' }), '--dry-run')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /does not let us in: 401 unauthorized/)
    assert.doesNotMatch(refused.stderr, /wrong/)
    assert.match((await potoroo('import', `${addressOf(url)}/nothing`, '--dry-run')).stderr, /nothing does not exist/)
    assert.match((await potoroo('import', pouches + 'nothing', '--dry-run')).stderr, /nothing does not exist/)
    assert.match((await potoroo('import', 'http://127.0.0.1:1/x', '--dry-run')).stderr, /does not answer: .*ECONNREFUSED/)
  })
})
