'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { createHash } = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('../..')
const { assertIntegrity } = require('../integrity')
const { JournalLevel, applyStep, fill } = require('./journal-level')
const { openLevel } = require('./level-on-disk')

const CHUNK = 256 * 1024
const ROUNDS = 2

async function * chunks (count, seed) {
  for (let i = 0; i < count; i++) yield Buffer.alloc(CHUNK, i + seed)
}

const long = (seed) => ({ f: { data: chunks(40, seed) } })

/** All that happens to long attachments, as the steps that it takes. */
async function live () {
  const steps = []
  const level = await fill(new JournalLevel((step) => steps.push(step)), new Map())
  const store = await DocumentStore.open(level)
  const { rev } = await store.put({ _id: 'a', _attachments: long(1) })
  await store.put({ _id: 'b', _attachments: long(1) })
  await store.write([{ _id: 'a', _attachments: long(2) }])
  await Promise.all([store.put({ _id: 'c', _attachments: long(3) }), store.put({ _id: 'd', _attachments: long(3) })])
  await store.put({ _id: 'a', _rev: rev, _deleted: true })
  await store.purge({ b: [(await store.get('b')).rev] })
  await store.compact()
  await store.close()
  return steps
}

/** Opens what a crash left, and demands that all agrees; returns the steps that opening took. */
async function recover (contents) {
  const steps = []
  const level = await fill(new JournalLevel((step) => steps.push(step)), contents)
  steps.length = 0
  await (await DocumentStore.open(level)).close()
  await assertIntegrity(level)
  return steps
}

/** Every upload is some forty of these: not each of them is worth a crash. */
function isChunk (step) {
  return step.length === 1 && step[0][1]?.length === CHUNK
}

/** Recovers from a crash, and from one while it recovers; returns in how many steps. */
async function crash (contents) {
  const clearing = await recover(contents)
  if (clearing.length > 1) {
    const half = new Map(contents)
    applyStep(half, clearing[0])
    await recover(half)
  }
  return clearing.length
}

describe('a crash in the life of a long attachment', function () {
  this.timeout(600_000)

  it('leaves nothing behind, nor does one while that is cleared away', async () => {
    const contents = new Map()
    let most = 0
    for (const [i, step] of (await live()).entries()) {
      if (!isChunk(step) || i % 12 === 0) most = Math.max(most, await crash(contents))
      applyStep(contents, step)
    }
    assert.ok(most > 1)
    const level = await fill(new MemoryLevel(), contents)
    const kept = (await level.keys().all()).filter((key) => /^[acu]/.test(key))
    assert.equal(kept.length, 41)
  })
})

/** Ends in the middle of that phase. */
async function kill (kind, folder, phase) {
  const script = path.join(__dirname, 'long-attachment-until-killed.js')
  const child = spawn(process.execPath, [script, kind, folder, phase], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  assert.equal((await exit)[1], 'SIGKILL')
}

/** The content's digest where the document is there; null where it is not. */
async function contentOf (store) {
  const attachment = await store.getAttachment('long', 'f').catch((error) => {
    assert.equal(error.status, 404)
    return null
  })
  if (attachment === null) return null
  assert.equal('md5-' + createHash('md5').update(await attachment.read()).digest('base64'), attachment.digest)
  return attachment.digest
}

for (const kind of ['classic-level', 'pmem-level']) {
  describe(`a process killed with a long attachment, on ${kind}`, function () {
    this.timeout(600_000)
    let folder

    beforeEach(() => {
      const parent = kind === 'pmem-level' && fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
      folder = fs.mkdtempSync(path.join(parent, 'document-store-crash-'))
    })

    afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

    for (const phase of ['upload', 'commit', 'drop']) {
      it(`in the middle of its ${phase} leaves all of it or nothing`, async () => {
        for (let round = 0; round < ROUNDS; round++) {
          await kill(kind, folder, phase)
          const level = openLevel(kind, folder)
          await level.open()
          const store = await DocumentStore.open(level)
          const found = await contentOf(store)
          if (phase !== 'commit') assert.equal(found, null)
          if (found !== null) await store.purge({ long: [(await store.get('long')).rev] })
          await store.compact()
          await store.close()
          await assertIntegrity(level)
          assert.deepEqual((await level.keys().all()).filter((key) => /^[acu]/.test(key)), [])
          await level.close()
        }
      })
    }
  })
}
