'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { randomBytes } = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')
const NEEDLE = 'nobody is to read this'

/** `potoroo …` in a process of its own. */
async function potoroo (...words) {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', text => { output[name] += text })
  const [code] = await once(child, 'close')
  return { code, ...output }
}

/** Whether some file of a folder has it as it is. */
function shows (place) {
  return fs.readdirSync(place, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile()).some(entry => fs.readFileSync(path.join(entry.parentPath ?? entry.path, entry.name)).includes(NEEDLE))
}

describe('a server whose databases are encrypted', function () {
  this.timeout(600_000)
  let folder, elsewhere, server, address, keyFile, newKeyFile

  before(async () => {
    folder = new DataFolder('pmem')
    elsewhere = new DataFolder('pmem', { iterations: 0 })
    keyFile = path.join(elsewhere.path, 'key')
    newKeyFile = path.join(elsewhere.path, 'new.key')
    fs.writeFileSync(keyFile, randomBytes(32), { mode: 0o600 })
    fs.writeFileSync(newKeyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
    fs.appendFileSync(path.join(folder.path, 'potoroo.ini'), `\n[storage]\nkey_file = ${keyFile}\n`)
    server = await folder.start()
    const url = new URL(await server.started)
    url.username = admin.name
    url.password = admin.password
    address = url.href
    const client = new HttpClient(await server.started, admin)
    await client.ask('PUT', '/todos')
    for (let i = 0; i < 20; i++) await client.ask('PUT', `/todos/${i}`, { text: NEEDLE.repeat(1 + i * 20) })
  })

  after(async () => {
    await folder.remove()
    await elsewhere.remove()
  })

  it('shows nothing of them, while it runs', () => {
    assert.ok(!shows(folder.path))
  })

  it('gives backups that show nothing, and are restored with the key', async () => {
    const file = path.join(elsewhere.path, 'monday.backup')
    const without = await potoroo('backup', file, '--server', address)
    assert.match(without.stderr, /encrypted: a key is needed/)
    assert.strictEqual(without.code, 1)
    const kept = await potoroo('backup', file, '--server', address, '--key-file', keyFile)
    assert.strictEqual(kept.code, 0, kept.stderr)
    assert.ok(!fs.readFileSync(file).includes(NEEDLE))
    const to = path.join(elsewhere.path, 'restored')
    const refused = await potoroo('restore', file, '--data', to, '--allow-volatile')
    assert.match(refused.stderr, /encrypted: a key is needed/)
    assert.ok(!fs.existsSync(to))
    const plain = await potoroo('restore', file, '--data', to, '--storage', 'classic-level', '--key-file', keyFile)
    assert.match(plain.stderr, /classic-level cannot be encrypted/)
    const restored = await potoroo('restore', file, '--data', to, '--allow-volatile', '--key-file', keyFile)
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.ok(!shows(to))
    assert.match((await potoroo('check', '--data', to)).stderr, /No problems/)
  })

  it('exports in the clear only where that is said', async () => {
    const words = ['export', 'todos', '--to', path.join(elsewhere.path, 'todos.jsonl'), '--server', address, '--key-file', keyFile]
    assert.match((await potoroo(...words)).stderr, /say --plain/)
    const done = await potoroo(...words, '--plain')
    assert.strictEqual(done.code, 0, done.stderr)
    assert.ok(fs.readFileSync(path.join(elsewhere.path, 'todos.jsonl')).includes(NEEDLE))
  })

  it('changes its key, and has it all then', async () => {
    await server.end()
    const done = await potoroo('rotate-key', '--data', folder.path, '--new-key-file', newKeyFile)
    assert.strictEqual(done.code, 0, done.stderr)
    assert.match(done.stdout, new RegExp(`^the databases in .* open with the key in ${newKeyFile}, .*; older backups still need ${keyFile}\n$`))
    assert.match(fs.readFileSync(path.join(folder.path, 'potoroo.ini'), 'utf8'), new RegExp(`key_file *= *${newKeyFile}`))
    assert.match((await potoroo('check', '--data', folder.path)).stderr, /No problems/)
    server = await folder.start()
    const client = new HttpClient(await server.started, admin)
    assert.strictEqual((await client.ask('GET', '/todos/3')).text, NEEDLE.repeat(61))
    await server.end()
  })

  it('does not start with a key that all may read, with another one, or without', async () => {
    const ini = path.join(folder.path, 'potoroo.ini')
    const text = fs.readFileSync(ini, 'utf8')
    const fails = async (settings, expected) => {
      fs.writeFileSync(ini, text.replace(/key_file *=.*/, settings))
      const { code, stderr } = await potoroo('check', '--data', folder.path)
      assert.match(stderr, expected)
      assert.notStrictEqual(code, 0)
    }
    await fails(`key_file = ${keyFile}`, /another key/)
    await fails('', /a key is needed/)
    fs.chmodSync(newKeyFile, 0o644)
    await fails(`key_file = ${newKeyFile}`, /all users have access to this key/)
    await fails('key_file = none.key', /ENOENT|none\.key/)
  })

  it('is salvaged and scrubbed with its key', async () => {
    const other = new DataFolder('pmem')
    try {
      fs.appendFileSync(path.join(other.path, 'potoroo.ini'), `\n[storage]\nkey_file = ${keyFile}\n`)
      const running = await other.start()
      const url = new URL(await running.started)
      Object.assign(url, { username: admin.name, password: admin.password })
      const client = new HttpClient(await running.started, admin)
      await client.ask('PUT', '/todos')
      await client.ask('POST', '/todos/_bulk_docs', { docs: Array.from({ length: 100 }, (_, i) => ({ _id: `${i}`, text: NEEDLE.repeat(1 + i) })) })
      const online = await potoroo('check', '--server', url.href)
      assert.deepStrictEqual([online.code, online.stdout], [0, ''])
      await running.end('SIGTERM')
      const to = path.join(elsewhere.path, 'saved')
      const { code, stdout, stderr } = await potoroo('salvage', '--data', other.path, '--to', to)
      assert.deepStrictEqual([code, stdout, stderr], [0, '', 'Nothing is lost.\n'])
      assert.ok(!shows(to))
      assert.strictEqual((await potoroo('check', '--data', to)).code, 0)
    } finally {
      await other.remove()
    }
  })
})
