'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')
const { runWorker } = require('./worker')

const MIB = 2 ** 20

describe('a pool whose disk fails', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()

  /** A pool with small values in its first part, and a big one in the next. */
  function make (location) {
    const pool = Pool.open(location, { maxSize: 256 * MIB })
    const map = pool.map('map')
    for (let i = 0; i < 100; i++) map.put(`key ${i}`, 'small')
    map.put('big', Buffer.alloc(17 * MIB, 'b'))
    return pool
  }

  // As a bad sector, or a full file system, does: the page can no longer be had.
  function cutShort (location, parts) {
    for (const part of parts) fs.truncateSync(path.join(location, part), 0)
  }

  function opensAgain (location) {
    fs.rmSync(location, { recursive: true })
    Pool.open(location).close()
  }

  it('gives an error for what is lost, the rest, and takes no more writes', () => {
    const location = folder.next()
    const pool = make(location)
    const map = pool.map('map')
    cutShort(location, ['000001.pmem'])
    assert.throws(() => map.get('big'), { code: 'PMEMOBJ_CORRUPT' })
    assert.strictEqual(map.get('key 7').toString(), 'small')
    assert.throws(() => map.put('key 7', 'another'), { code: 'PMEMOBJ_IO' })
    assert.throws(() => map.put('big', Buffer.alloc(5 * MIB)), { code: 'PMEMOBJ_IO' })
    pool.close()
    assert.strictEqual(pool.closed, true)
    opensAgain(location)
  })

  for (const [what, byte] of [['zeros', 0], ['other bytes', 0xa5]]) {
    it(`closes where another process has written ${what} over its first part`, () => {
      const location = folder.next()
      const pool = make(location)
      const map = pool.map('map')
      const part = fs.openSync(path.join(location, '000000.pmem'), 'r+')
      fs.writeSync(part, Buffer.alloc(8 * MIB, byte), 0, 8 * MIB, 0)
      fs.closeSync(part)
      assert.throws(() => map.put('big', Buffer.alloc(5 * MIB)), { code: /^PMEMOBJ_(CORRUPT|IO|NO_SPACE)$/ })
      try {
        pool.close()
      } catch (error) {
        assert.match(error.code, /^PMEMOBJ_(CORRUPT|IO)$/)
      }
      assert.strictEqual(pool.closed, true)
      opensAgain(location)
    })
  }

  it('lives on where all is lost, in a worker thread too', async () => {
    const location = folder.next()
    const pool = make(location)
    const map = pool.map('map')
    cutShort(location, ['000000.pmem', '000001.pmem'])
    const code = await runWorker(`
      const map = new Pool(location, {}).map('map')
    `, location).catch(error => error.code)
    assert.match(String(code), /^PMEMOBJ_(CORRUPT|IO)$/)
    assert.throws(() => map.get('key 7'), { code: 'PMEMOBJ_CORRUPT' })
    assert.throws(() => map.put('key 7', 'another'), { code: 'PMEMOBJ_IO' })
    pool.close()
    opensAgain(location)
  })

  it('lives on where a worker thread is the first to notice', async () => {
    const location = folder.next()
    const pool = make(location)
    const code = await runWorker(`
      const assert = require('node:assert')
      const pool = new Pool(location, {})
      const map = pool.map('map')
      require('node:fs').truncateSync(location + '/000001.pmem', 0)
      assert.throws(() => map.get('big'), { code: 'PMEMOBJ_CORRUPT' })
      await assert.rejects(async () => map.putAsync('key', 'value'), { code: 'PMEMOBJ_IO' })
      pool.close()
    `, location)
    assert.strictEqual(code, 0)
    assert.throws(() => pool.map('map').get('big'), { code: 'PMEMOBJ_CORRUPT' })
    pool.close()
  })

  // If libpmem's own msync fails, libpmemobj ends the process.
  it('has libpmemobj make files durable by way of the engine', () => {
    const program = `require(${JSON.stringify(require.resolve('..'))})`
    const { stderr } = spawnSync(process.execPath, ['-e', program], {
      env: { ...process.env, LD_DEBUG: 'bindings', LD_BIND_NOW: '1' },
      encoding: 'utf8',
      maxBuffer: 2 ** 28
    })
    const binding = stderr.split('\n').find(line => /binding file \S*libpmemobj\.so.*`pmem_msync'/.test(line))
    assert.match(String(binding), /to \S*pmemobj\.node/)
  })
})
