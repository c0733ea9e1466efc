'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { Worker } = require('node:worker_threads')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')
const { run, start } = require('./child')

const index = JSON.stringify(require.resolve('..'))

describe('an environment that ends with a pool open', () => {
  const folder = temporaryFolder()

  function holdsValue (location) {
    const pool = Pool.open(location, { createIfMissing: false })
    assert.strictEqual(pool.map('a').get('key'), 'value')
    pool.close()
  }

  const use = `
    const pool = Pool.open(location)
    const map = pool.map('a')
    map.put('key', 'value')
    globalThis.kept = [pool, map, pool.snapshot(), map.iterator()]
    kept[3].nextv(1)
  `

  for (const [name, end] of [['ends by itself', ''], ['calls process.exit()', 'process.exit(0)']]) {
    it(`a process that ${name}`, async () => {
      const location = folder.next()
      await run(`const location = process.argv[1]; ${use}; ${end}`, [location])
      holdsValue(location)
    })

    it(`a worker thread that ${name}`, async () => {
      const location = folder.next()
      const worker = new Worker(`const location = require('node:worker_threads').workerData
        const { Pool } = require(${index}); ${use}; ${end}`, { eval: true, workerData: location })
      const [code] = await once(worker, 'exit')
      assert.strictEqual(code, 0)
      holdsValue(location)
    })
  }

  it('a worker thread that is terminated', async () => {
    const location = folder.next()
    const worker = new Worker(`const { workerData: location, parentPort } = require('node:worker_threads')
      const { Pool } = require(${index}); ${use}; parentPort.postMessage('open'); setInterval(() => {}, 1000)`, { eval: true, workerData: location })
    await once(worker, 'message')
    assert.throws(() => Pool.destroy(location), { code: 'PMEMOBJ_IN_USE' })
    await worker.terminate()
    holdsValue(location)
    Pool.destroy(location)
  })

  it('many worker threads, each with a pool of its own', async () => {
    const workers = Array.from({ length: 4 }, () => new Worker(`const { workerData: location } = require('node:worker_threads')
      const { Pool } = require(${index}); ${use}
      for (let i = 0; i < 2000; i++) { map.put('k' + i, 'v'); map.get('k' + i, { encoding: 'buffer' }) }`, { eval: true, workerData: folder.next() }))
    const codes = await Promise.all(workers.map(worker => once(worker, 'exit')))
    assert.deepStrictEqual(codes.flat(), [0, 0, 0, 0])
  })
})

describe('a process that is killed while it writes', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()

  // Every batch writes its number under ten keys; what was acknowledged is told afterwards.
  const write = `
    const pool = Pool.open(process.argv[1])
    const [a, b] = [pool.map('a'), pool.map('b')]
    const from = Number(process.argv[2])
    const { writeSync } = require('node:fs')
    for (let n = from; ; n++) {
      const operations = []
      for (let i = 0; i < 5; i++) operations.push(a, 'put', 'k' + i, String(n), b, 'put', 'k' + i, String(n).padEnd(i * 500))
      operations.push(a, 'put', 'n' + n, 'x'.repeat(n % 1000), b, 'del', 'n' + (n - 1), undefined)
      pool.write(operations)
      writeSync(1, n + '\\n')
    }
  `

  it('leaves every acknowledged batch, and no part of another', async () => {
    const location = folder.next()
    let next = 1
    for (let round = 0; round < 8; round++) {
      const child = start(write, [location, String(next)])
      const exit = once(child, 'exit')
      let text = ''
      child.stdout.on('data', chunk => {
        text += chunk
        if (text.split('\n').length > 50 + round * 37) child.kill('SIGKILL')
      })
      const [, signal] = await exit
      assert.strictEqual(signal, 'SIGKILL')
      if (!child.stdout.readableEnded) await once(child.stdout, 'end')
      const acknowledged = Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1))
      assert.ok(acknowledged >= next)

      const pool = Pool.open(location, { createIfMissing: false })
      const [a, b] = [pool.map('a'), pool.map('b')]
      const found = Number(a.get('k0'))
      assert.ok(found === acknowledged || found === acknowledged + 1, `acknowledged ${acknowledged}, found ${found}`)
      for (let i = 0; i < 5; i++) {
        assert.strictEqual(Number(a.get(`k${i}`)), found)
        assert.strictEqual(b.get(`k${i}`), String(found).padEnd(i * 500))
      }
      for (let n = 1; n <= found; n++) assert.strictEqual(a.get(`n${n}`), 'x'.repeat(n % 1000))
      assert.strictEqual(a.has(`n${found + 1}`), false)
      pool.close()
      next = found + 1
    }
  })
})
