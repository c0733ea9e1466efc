'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')

const checkOnline = url => check('--server', url)

async function check (...words) {
  const child = spawn(process.execPath, [program, 'check', ...words])
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', text => { output[name] += text })
  const [code] = await once(child, 'close')
  return { code, ...output }
}

const textOf = i => `the text of ${i} ${String(i).repeat(60)}`

describe('scrubbing', function () {
  this.timeout(600_000)
  const folders = []

  after(async () => { for (const folder of folders) await folder.remove() })

  async function started (storage, settings = '') {
    const folder = new DataFolder(storage)
    folders.push(folder)
    fs.appendFileSync(path.join(folder.path, 'potoroo.ini'), settings)
    let server = await folder.start()
    let client = new HttpClient(await server.started, admin)
    await client.ask('PUT', '/todos')
    await client.ask('POST', '/todos/_bulk_docs', { docs: Array.from({ length: 500 }, (_, i) => ({ _id: `todo ${1000 + i}`, text: textOf(i) })) })
    await client.ask('PUT', '/todos/with', { _attachments: { 'note.bin': { content_type: 'application/octet-stream', data: Buffer.alloc(1_000_000, 'NOTE').toString('base64') } } })
    // A scrub reads what the last checkpoint leads to.
    await server.end('SIGTERM')
    server = await folder.start()
    client = new HttpClient(await server.started, admin)
    const url = new URL(await server.started)
    Object.assign(url, { username: admin.name, password: admin.password })
    return { folder, server, client, url: url.href }
  }

  it('is not all: another process checks the databases of a pool that a server writes to', async () => {
    const { folder, client } = await started('pmem')
    const checked = check('--data', folder.path)
    const writes = { count: 0, done: false }
    checked.finally(() => { writes.done = true })
    while (!writes.done) await client.ask('PUT', `/todos/more ${writes.count++}`, { text: textOf(writes.count) })
    const { code, stdout, stderr } = await checked
    assert.deepStrictEqual([code, stdout, stderr], [0, '', 'No problems.\n'])
    assert.ok(writes.count > 0)
  })

  function flip (folder, text) {
    for (const file of folder.files().filter(name => name.endsWith('.pmem'))) {
      const bytes = fs.readFileSync(file)
      const handle = fs.openSync(file, 'r+')
      for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) fs.writeSync(handle, Buffer.from([bytes[at + 20] ^ 1]), 0, 1, at + 20)
      fs.closeSync(handle)
    }
  }

  async function metrics ({ url }) {
    const { origin, username, password } = new URL(url)
    const response = await fetch(`${origin}/_node/_local/_prometheus`, { headers: { Authorization: `Basic ${btoa(`${username}:${decodeURIComponent(password)}`)}` } })
    return Object.fromEntries([...(await response.text()).matchAll(/^potoroo_scrub_(\w+) (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]))
  }

  it('finds nothing wrong with a server that is in use', async () => {
    const server = await started('pmem')
    assert.deepStrictEqual(await metrics(server), { bytes_total: 0, errors_total: 0, passes_total: 0, last_pass_timestamp_seconds: 0 })
    const checked = new AbortController()
    const checking = checkOnline(server.url).finally(() => checked.abort())
    for (let i = 0; !checked.signal.aborted; i++) {
      await server.client.ask('PUT', `/db${i}`)
      await server.client.ask('POST', '/todos/_bulk_docs', { docs: Array.from({ length: 50 }, (_, k) => ({ _id: `new ${i} ${k}`, text: textOf(k) })) })
      await server.client.ask('PUT', `/db${i}/doc`, { _attachments: { a: { content_type: 'text/plain', data: btoa('some text'.repeat(1000)) } } })
      if (i > 1) await server.client.ask('DELETE', `/db${i - 2}`)
      await server.client.ask('POST', '/_shrink', {})
    }
    const { code, stdout, stderr } = await checking
    assert.deepStrictEqual([code, stdout], [0, ''])
    assert.match(stderr, /No problems; .* verified\.\n$/)
    const after = await metrics(server)
    assert.ok(after.bytes_total > 1_000_000 && after.passes_total === 1 && after.errors_total === 0, JSON.stringify(after))
    assert.ok(Math.abs(after.last_pass_timestamp_seconds - Date.now() / 1000) < 60)
    const { potoroo } = await server.client.ask('GET', '/_node/_local/_stats')
    assert.strictEqual(potoroo.scrub.bytes.value, after.bytes_total)
  })

  it('finds what rots in a pool that is in use, and names it', async () => {
    const server = await started('pmem')
    assert.strictEqual((await server.client.ask('GET', '/todos/todo%201077')).text, textOf(77))
    flip(server.folder, '"text":"the text of 77')
    flip(server.folder, 'NOTE'.repeat(1000))
    const { code, stdout } = await checkOnline(server.url)
    assert.strictEqual(code, 2)
    assert.match(stdout, /^the value of the key "databases\/b\d+\/dtodo 1077" is damaged, at \d+ in the pool, of the database todos$/m)
    assert.match(stdout, /^the value of the key "databases\/b\d+\/c.*" is damaged/m)
    const { errors_total: errors } = await metrics(server)
    assert.ok(errors >= 2)
    const { stderr } = await server.server.end('SIGTERM')
    assert.match(stderr, /\[error\].*Scrub: the value of the key/)
  })

  it('goes on by itself at the rate that is set', async () => {
    // So that a pass takes longer than a busy machine makes a pause: the task is looked for in its middle.
    const rate = 250_000
    const server = await started('pmem', `\n[scrub]\nstart_delay = 1\nrate = ${rate}\ninterval = 3600\n`)
    while ((await metrics(server)).bytes_total === 0) await sleep(50)
    const [task] = (await server.client.ask('GET', '/_active_tasks')).filter(({ type }) => type === 'scrub')
    assert.ok(task.total_changes > 0)
    while ((await metrics(server)).passes_total === 0) await sleep(50)
    const { bytes, started_on: start, ended_on: end, errors, running } = await server.client.ask('GET', '/_scrub')
    assert.deepStrictEqual([errors, running], [0, false])
    // Seconds are whole ones, and the last step is not waited for.
    assert.ok(end - start >= (bytes - 2 ** 20) / rate - 2, `${bytes} bytes in ${end - start} s`)
    assert.deepStrictEqual((await server.client.ask('GET', '/_active_tasks')).filter(({ type }) => type === 'scrub'), [])
  })

  it('compares what documents say where the storage verifies nothing', async () => {
    const { url, client } = await started('classic-level')
    const { code, stderr } = await checkOnline(url)
    assert.strictEqual(code, 0)
    assert.match(stderr, /No problems; only documents and counts were compared: LevelDB has no checksums/)
    assert.strictEqual((await client.ask('GET', '/_scrub')).verifies, false)
  })

  it('says where everything is before there is a checkpoint', async () => {
    const folder = new DataFolder('pmem')
    folders.push(folder)
    const url = new URL(await (await folder.start()).started)
    Object.assign(url, { username: admin.name, password: admin.password })
    const { code, stderr } = await checkOnline(url.href)
    assert.match(stderr, /^No problems; only documents and counts were compared: all data is still in the log, which is verified whenever the pool is opened\.\n$/)
    assert.strictEqual(code, 0)
  })

  it('is an administrator\'s', async () => {
    const { server } = await started('classic-level')
    const stranger = new HttpClient(await server.started)
    for (const method of ['GET', 'POST']) assert.strictEqual((await stranger.request(method, '/_scrub')).status, 401)
  })
})
