'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const readline = require('node:readline')
const { DocumentStore } = require('..')
const { openLevel } = require('./crash-level')
const { assertIntegrity } = require('./integrity')

const ROUNDS = 3
const ACKNOWLEDGED = 400

/** Runs the writer until it has acknowledged enough, and kills it in mid-write. */
async function writeAndKill (kind, folder, wanted) {
  const child = spawn(process.execPath, [path.join(__dirname, 'crash-writer.js'), kind, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const lines = []
  for await (const line of readline.createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(line))
    if (lines.length === wanted) child.kill('SIGKILL')
  }
  const [, signal] = await exit
  assert.equal(signal, 'SIGKILL')
  return lines
}

async function assertAcknowledged (store, lines) {
  for (const { id, rev, deleted, bytes } of lines) {
    assert.deepEqual(await store.revsDiff({ [id]: [rev] }), {}, `${id} ${rev}`)
    const document = await store.get(id, { rev, latest: true })
    if (document.rev !== rev) continue // a later edit of it
    assert.equal(document.deleted, deleted)
    if (bytes === 0) continue
    const content = await (await store.getAttachment(id, 'f', { rev })).read()
    assert.ok(content.equals(Buffer.alloc(bytes, bytes % 251)))
  }
}

for (const kind of ['classic-level', 'pmem-level']) {
  describe(`a process killed while it writes, on ${kind}`, function () {
    this.timeout(120000)
    let folder

    beforeEach(() => {
      const parent = kind === 'pmem-level' && fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
      folder = fs.mkdtempSync(path.join(parent, 'document-store-crash-'))
    })

    afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

    it('loses no acknowledged write and leaves nothing half done', async () => {
      const acknowledged = []
      for (let round = 1; round <= ROUNDS; round++) {
        acknowledged.push(...await writeAndKill(kind, folder, ACKNOWLEDGED + 37 * round))
        const level = openLevel(kind, folder)
        await level.open()
        const store = await DocumentStore.open(level)
        await assertAcknowledged(store, acknowledged)
        await assertIntegrity(level)
        await store.close()
        await level.close()
      }
    })
  })
}
