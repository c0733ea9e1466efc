'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { runSuite, runSuites } = require('../../scripts/lib/run-suite')

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

  describe('beside another', () => {
    const suite = (name, script) => ({ name, what: '', command: [process.execPath, '-e', `${writeCounts}${script}`], counts: /** @type {const} */ ('file'), minutes: 1 })
    const runAll = async (suites, sideBySide) => {
      const ended = []
      const results = await runSuites(suites, { sideBySide, temporary, logs: temporary, onEnd: ({ name }, result) => ended.push([name, result]) })
      assert.deepStrictEqual(ended.map(([name, result]) => [name, result.name]), ended.map(([name]) => [name, name]))
      return { ended: ended.map(([name]) => name), results: results.map(({ name }) => name) }
    }

    it('tells of each when it has ended, and gives the results in order', async () => {
      // The first ends when the second has left its file.
      const file = JSON.stringify(path.join(temporary, 'second'))
      const first = suite('first', `const timer = setInterval(() => { if (fs.existsSync(${file})) clearInterval(timer) }, 10)`)
      const rest = [suite('second', ''), suite('third', `fs.writeFileSync(${file}, '')`)]
      const { ended, results } = await runAll([first, ...rest], 2)
      assert.deepStrictEqual(results, ['first', 'second', 'third'])
      assert.deepStrictEqual(ended.toSorted(), ['first', 'second', 'third'])
      assert.strictEqual(ended[0], 'second')
    })

    it('runs no more than it is told to', async () => {
      // Each fails that meets another.
      const file = JSON.stringify(path.join(temporary, 'running'))
      const script = `fs.writeFileSync(${file}, '', { flag: 'wx' }); setTimeout(() => fs.rmSync(${file}), 50)`
      const results = await runSuites([1, 2, 3].map(n => suite(`suite ${n}`, script)), { sideBySide: 1, temporary, logs: temporary, onEnd () {} })
      assert.deepStrictEqual(results.map(({ passed, failed }) => [passed, failed]), [[3, 0], [3, 0], [3, 0]])
    })
  })

  it('has failed when a signal ends it or it cannot be started', async () => {
    assert.match((await run(`${writeCounts} process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`)).problem, /SIGTERM/)
    const missing = await run('', { command: ['/nowhere/to/be/found'] })
    assert.strictEqual(missing.failed, 1)
    assert.match(missing.problem, /ENOENT/)
  })
})
