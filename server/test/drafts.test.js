'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { MAGIC, KIND, frame } = require('../lib/backup/format')
const { makeDraft, removeDrafts } = require('../lib/storage/drafts')
const { potoroo } = require('..')

const program = path.join(__dirname, '../bin/potoroo.js')

const json = (kind, value) => frame(kind, [Buffer.from(JSON.stringify(value))])

/** A backup of nothing: its beginning, which a command waits behind, and its end. */
const BEGINNING = Buffer.concat([MAGIC, json(KIND.header, { created: '2026-01-01T00:00:00.000Z', version: '0.1.0' })])
const END = json(KIND.end, { entries: 0 })

describe('What is not whole yet', () => {
  let folder
  const running = new Set()

  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-drafts-')) })

  afterEach(async () => {
    for (const child of running) await kill(child)
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const drafts = () => fs.readdirSync(folder).filter(name => /\.(draft|restoring|salvaging)$/.test(name))

  function start (words) {
    const child = spawn(process.execPath, [program, ...words], { stdio: ['pipe', 'ignore', 'pipe'] })
    running.add(child)
    child.once('close', () => running.delete(child))
    let said = ''
    child.stderr.setEncoding('utf8').on('data', text => { said += text })
    return Object.assign(child, { said: () => said })
  }

  /** As `kill -9` does. */
  async function kill (child) {
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
  }

  /** Starts a command and waits until it has made what it holds, in which it waits for more. */
  async function startDraft (words) {
    const before = drafts()
    const watcher = fs.watch(folder)
    const child = start(words)
    child.stdin.write(BEGINNING)
    try {
      // The name of one that is not held yet has fewer digits.
      while (!drafts().some(name => !before.includes(name) && /\.[0-9a-f]{10}\./.test(name))) await Promise.race([once(watcher, 'change'), once(child, 'close').then(() => assert.fail(child.said()))])
    } finally {
      watcher.close()
    }
    return child
  }

  async function end (child) {
    const ended = once(child, 'close')
    child.stdin.end(END)
    const [code] = await ended
    assert.equal(code, 0, child.said())
  }

  const restore = () => ['restore', '-', '--data', path.join(folder, 'data'), '--storage', 'classic-level', '--allow-volatile']

  it('of a restore that was killed is removed by the next one', async () => {
    await kill(await startDraft(restore()))
    assert.equal(drafts().length, 1)
    const next = start(restore())
    next.stdin.write(BEGINNING)
    await end(next)
    assert.deepEqual(fs.readdirSync(folder), ['data'])
  })

  it('of a restore that is at it stays', async () => {
    const first = await startDraft(restore())
    const other = start(restore())
    other.stdin.write(BEGINNING)
    await end(other)
    assert.equal(drafts().length, 1)
    fs.rmSync(path.join(folder, 'data'), { recursive: true })
    await end(first)
    assert.deepEqual(fs.readdirSync(folder), ['data'])
  })

  it('of a restore that was killed is removed by a server that starts', async () => {
    const living = await startDraft(restore())
    const kept = drafts()
    await kill(await startDraft(restore()))
    assert.equal(drafts().length, 2)
    const server = potoroo({ path: path.join(folder, 'data'), storage: 'classic-level', allowVolatile: true, adminParty: true, log () {} })
    await server.ready
    await server.close()
    assert.deepEqual(drafts(), kept)
    await kill(living)
  })

  it('of a backup that was killed is removed by the next one', async () => {
    const file = path.join(folder, 'monday.backup')
    let isWhole = false
    const server = http.createServer((request, response) => {
      response.write(BEGINNING)
      if (isWhole) response.end(END)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const backup = ['backup', file, '--server', `http://127.0.0.1:${server.address().port}`]
    try {
      await kill(await startDraft(backup))
      assert.equal(drafts().length, 1)
      const living = await startDraft(backup)
      assert.equal(drafts().length, 1)
      isWhole = true
      await end(start(backup))
      assert.equal(drafts().length, 1)
      await kill(living)
      await end(start(backup))
      assert.deepEqual(fs.readdirSync(folder), ['monday.backup'])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it('and is not held, or is called otherwise, is not touched', () => {
    const final = path.join(folder, 'x')
    for (const name of ['x.12345678.draft', 'x.1234567890.drafts', 'y.1234567890.draft', 'x.123456789a']) fs.writeFileSync(path.join(folder, name), '')
    const { path: held, release } = makeDraft(final, 'draft', made => fs.writeFileSync(made, ''))
    const before = fs.readdirSync(folder)
    removeDrafts(final)
    assert.deepEqual(fs.readdirSync(folder), before)
    release()
    removeDrafts(final)
    assert.deepEqual(fs.readdirSync(folder), before.filter(name => name !== path.basename(held)))
  })
})
