'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const binding = require('../../lib/binding/binding')
const { temporaryFolder } = require('../temporary-folder')
const { startWorker, runWorker } = require('../worker')

const path = JSON.stringify(require.resolve('../../lib/binding/binding'))
const open = location => binding.open(location, true, false, false, 0, 2 ** 30, 0, undefined)
const opened = `
  const binding = require(${path})
  const pool = binding.open(location, true, false, false, 0, 2 ** 30, 0, undefined)`

describe('the thread that may write the objects of a pool', () => {
  const folder = temporaryFolder()

  it('is the first that asks, each time that it does', async () => {
    const location = folder.next()
    const pool = open(location)
    assert.strictEqual(binding.claimObjects(pool), true)
    assert.strictEqual(binding.claimObjects(pool), true)
    const worker = startWorker(`${opened}
      parentPort.postMessage(binding.claimObjects(pool))`, location)
    const ended = once(worker, 'exit')
    assert.deepStrictEqual(await once(worker, 'message'), [false])
    await ended
    assert.strictEqual(binding.claimObjects(pool), true)
    binding.close(pool)
  })

  it('is another of another pool', async () => {
    const [first, second] = [folder.next(), folder.next()]
    const pool = open(first)
    assert.strictEqual(binding.claimObjects(pool), true)
    const other = open(second)
    const worker = startWorker(`${opened}
      parentPort.postMessage(binding.claimObjects(pool))
      // A pool that nobody refers to is closed when it is collected.
      parentPort.once('message', () => binding.close(pool))`, second)
    const ended = once(worker, 'exit')
    assert.deepStrictEqual(await once(worker, 'message'), [true])
    assert.strictEqual(binding.claimObjects(other), false)
    worker.postMessage('end')
    await ended
    binding.close(pool)
    binding.close(other)
  })

  it('gives it up when it closes the pool, or ends', async () => {
    const location = folder.next()
    const pool = open(location)
    await runWorker(`${opened}
      if (!binding.claimObjects(pool)) throw new Error('not claimed')`, location)
    assert.strictEqual(binding.claimObjects(pool), true)
    binding.close(pool)
    const worker = startWorker(`${opened}
      parentPort.postMessage(binding.claimObjects(pool))
      parentPort.once('message', () => {
        binding.close(pool)
        parentPort.postMessage('closed')
      })`, location)
    const ended = once(worker, 'exit')
    assert.deepStrictEqual(await once(worker, 'message'), [true])
    const again = open(location)
    assert.strictEqual(binding.claimObjects(again), false)
    worker.postMessage('close')
    await once(worker, 'message')
    assert.strictEqual(binding.claimObjects(again), true)
    await ended
    assert.strictEqual(binding.claimObjects(again), true)
    binding.close(again)
  })

  it('gives it up when it is terminated', async () => {
    const location = folder.next()
    const pool = open(location)
    const worker = startWorker(`${opened}
      parentPort.postMessage(binding.claimObjects(pool))
      for (;;) binding.claimObjects(pool)`, location)
    assert.deepStrictEqual(await once(worker, 'message'), [true])
    assert.strictEqual(binding.claimObjects(pool), false)
    await worker.terminate()
    assert.strictEqual(binding.claimObjects(pool), true)
    binding.close(pool)
  })
})
