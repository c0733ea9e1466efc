'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const net = require('node:net')
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

  it('takes all of it along when the runner itself is stopped', async () => {
    const server = net.createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = /** @type {net.AddressInfo} */ (server.address())
    // A suite that lives as long as it is let, with a connection that ends when it does.
    const command = [process.execPath, '-e', `require('net').connect(${port}, '127.0.0.1'); setInterval(() => {}, 1000)`]
    const script = `
      process.once('SIGTERM', () => process.exit(1))
      require(${JSON.stringify(require.resolve('../../scripts/lib/run-suite'))}).runSuite(
        ${JSON.stringify({ name: 'self-test', what: '', counts: 'file', minutes: 1, command })},
        ${JSON.stringify({ temporary, logs: temporary })})`
    const runner = spawn(process.execPath, ['-e', script], { stdio: 'inherit' })
    const [connection] = await once(server, 'connection')
    connection.on('error', () => {})
    const closed = new Promise(resolve => connection.once('close', resolve))
    connection.resume()
    runner.kill('SIGTERM')
    await Promise.all([once(runner, 'exit'), closed])
    server.close()
    assert.deepStrictEqual(readdirSync(temporary), ['self-test.log'])
  })

  it('has failed when a signal ends it or it cannot be started', async () => {
    assert.match((await run(`${writeCounts} process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`)).problem, /SIGTERM/)
    const missing = await run('', { command: ['/nowhere/to/be/found'] })
    assert.strictEqual(missing.failed, 1)
    assert.match(missing.problem, /ENOENT/)
  })
})
