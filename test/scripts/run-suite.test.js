'use strict'

const assert = require('node:assert')
const { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { runSuite } = require('../../scripts/lib/run-suite')

describe('running a suite', () => {
  let temporary

  beforeEach(() => { temporary = mkdtempSync(path.join(os.tmpdir(), 'potoroo-run-')) })
  afterEach(() => rmSync(temporary, { recursive: true, force: true }))

  function run (script, options) {
    const suite = { name: 'self-test', what: '', command: [process.execPath, '-e', script], counts: 'file', minutes: 1, ...options }
    return runSuite(suite, { temporary, logs: temporary })
  }

  const writeCounts = 'require("fs").writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify({ passed: 3, failed: 0, skipped: 1 }));'

  it('gives its counts and keeps its output', async () => {
    const result = await run(`${writeCounts} console.log('out'); console.error('err')`)
    const { passed, failed, skipped } = result
    assert.deepStrictEqual({ passed, failed, skipped }, { passed: 3, failed: 0, skipped: 1 })
    assert.strictEqual(readFileSync(result.log, 'utf8'), 'out\nerr\n')
  })

  it('gives it a temporary folder, which is gone afterwards', async () => {
    const result = await run(`${writeCounts} require('fs').writeFileSync(process.env.TMPDIR + '/left', ''); console.log(process.env.TMPDIR)`)
    const folder = readFileSync(result.log, 'utf8').trim()
    assert.ok(folder.startsWith(temporary))
    assert.ok(!existsSync(folder))
    assert.deepStrictEqual(readdirSync(temporary), ['self-test.log'])
  })

  it('ends one that takes too long', async () => {
    const { failed, problem } = await run('setInterval(() => {}, 1000)', { minutes: 0.005 })
    assert.strictEqual(failed, 1)
    assert.match(problem, /took longer/)
  })

  it('has failed when a signal ends it or it cannot be started', async () => {
    assert.match((await run(`${writeCounts} process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`)).problem, /SIGTERM/)
    const missing = await run('', { command: ['/nowhere/to/be/found'] })
    assert.strictEqual(missing.failed, 1)
    assert.match(missing.problem, /ENOENT/)
  })
})
