'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { DocumentStore } = require('@potoroo/document-store')
const { StoreTarget, findSources, verifyDatabase } = require('@potoroo/import')
const { open } = require('@potoroo/storage')
const { contentsOfStore, sequencesOf } = require('../../packages/import/test/support/contents')
const { fill, openPouch } = require('../../packages/import/test/support/pouch-database')
const { createDatabase, servers } = require('./servers')

const DOCUMENTS = 3000

describe('an import that is killed', function () {
  this.timeout(600_000)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-killed-')) + path.sep
  after(() => fs.rmSync(folder, { recursive: true }))

  /** Fills the source: odd revisions, then many documents, then big attachments. */
  async function fillMuch (db) {
    await fill(db)
    for (let n = 0; n < DOCUMENTS; n += 500) await db.bulkDocs(Array.from({ length: 500 }, (_, i) => ({ _id: `doc ${n + i}`, n: n + i })))
    for (let n = 0; n < 5; n++) {
      await db.put({ _id: `film ${n}`, _attachments: { it: { content_type: 'video/x', data: Buffer.alloc(400_000, n) } } })
    }
  }

  /**
   * One run. It is killed once it has told of that many commits, at whatever it is doing then.
   *
   * @returns {Promise<any>} the summary of one that came to its end; null of a killed one
   */
  async function run (place, to, commits) {
    const child = spawn(process.execPath, [path.join(__dirname, 'import-process.js'), place, to], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      output += text
      if (output.split('.').length > commits) child.kill('SIGKILL')
    })
    const [code, signal] = await once(child, 'close')
    assert.ok(code === 0 || signal === 'SIGKILL', `it ended with ${code}`)
    return signal === 'SIGKILL' ? null : JSON.parse(/** @type {string} */ (output.trim().split('\n').at(-1)))
  }

  async function read (place, to) {
    const { level } = await open({ storage: 'classic-level', path: to, allowVolatile: true })
    const store = await DocumentStore.open(level)
    const { databases: [found] } = await findSources(place)
    const source = await found.open()
    try {
      const { differences } = await verifyDatabase(source, new StoreTarget(store))
      const { sizes, instanceId, createdAt, ...info } = await store.info()
      return { differences, info, contents: await contentsOfStore(store), sequences: await sequencesOf(store) }
    } finally {
      await source.close()
      await store.close()
      await level.close()
    }
  }

  async function compareWithWhole (place, name) {
    const whole = folder + name + '-whole'
    const pieces = folder + name + '-pieces'
    assert.notEqual(await run(place, whole, Infinity), null)
    let killed = 0
    for (let commits = 1; await run(place, pieces, 1 + commits % 3) === null; commits++) killed++
    assert.ok(killed >= 3, `it was killed only ${killed} times`)
    const [one, other] = [await read(place, whole), await read(place, pieces)]
    assert.equal(other.differences, 0)
    assert.deepEqual(other, one)
    const again = await run(place, pieces, Infinity)
    assert.deepEqual([again.documents, again.revisions, again.locals], [0, 0, 0])
  }

  it('goes on where it was, from a LevelDB, and comes to the same', async () => {
    const db = openPouch('killed', folder)
    await fillMuch(db)
    await db.close()
    await compareWithWhole(folder + 'killed', 'level')
  })

  it('goes on where it was, over HTTP, and comes to the same', async () => {
    const server = await servers.Potoroo()
    try {
      await fillMuch(await createDatabase(server.url, 'killed'))
      await compareWithWhole(`${server.url}/killed`, 'http')
    } finally {
      await server.close()
    }
  })
})
