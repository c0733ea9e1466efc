'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Pool } = require('pmemobj')
const { openDocuments } = require('..')

const KILLS = Number(process.env.KILLS ?? 4)

describe('transactions of documents whose process is killed', () => {
  it(`are there if they were acknowledged, and whole or not at all (${KILLS} kills)`, async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-documents-'))
    try {
      for (let i = 0, before = 0; i < KILLS; i++) before = await killOnce(path.join(folder, 'pool'), before)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** Returns the count that is there afterwards. */
async function killOnce (location, before) {
  const child = spawn(process.execPath, [path.join(__dirname, 'increments.js'), location], { stdio: ['ignore', 'pipe', 'inherit'] })
  let acknowledged = 0
  let text = ''
  child.stdout.on('data', data => {
    text += data
    const lines = text.split('\n')
    text = lines.pop()
    if (lines.length > 0) acknowledged = Number(lines.at(-1))
    if (acknowledged > before + 200) child.kill('SIGKILL')
  })
  await once(child, 'close')
  const pool = Pool.open(location)
  const documents = await openDocuments(pool, 'counts')
  const [a, b] = [documents.get('a').n, documents.get('b').n]
  await documents.close()
  pool.close()
  assert.strictEqual(a, b)
  assert.ok(a >= acknowledged && acknowledged > before, `${acknowledged} were acknowledged, and ${a} are there`)
  return a
}
