'use strict'

const assert = require('node:assert')
const { Pool } = require('..')
const { bytesOf } = require('../lib/pool/size')
const { gather } = require('./contents')
const { temporaryFolder } = require('./temporary-folder')

const MIB = 2 ** 20

describe('a size', () => {
  const folder = temporaryFolder()

  it('is a whole number of bytes, or a number with a unit', () => {
    const sizes = {
      '0B': 0,
      '4096B': 4096,
      '500KB': 500_000,
      '8MiB': 8 * MIB,
      '64 MiB': 64 * MIB,
      '1.5GiB': 1536 * MIB,
      '1.1MB': 1_100_000,
      '2 TB': 2e12,
      '1TiB': 2 ** 40,
      '0.5KiB': 512,
      4096: 4096,
      '64M': 64 * MIB,
      '1.5G': 1536 * MIB,
      '1k': 1024,
      '8 mib': 8 * MIB,
      '8mb': 8_000_000
    }
    for (const [text, bytes] of Object.entries(sizes)) {
      assert.strictEqual(bytesOf(text, 'size'), bytes, text)
    }
    for (const bytes of [0, 12345, 2 ** 53 - 1]) assert.strictEqual(bytesOf(bytes, 'size'), bytes)
  })

  it('is nothing else', () => {
    const bad = [
      -1, 1.5, NaN, Infinity, 2 ** 53, null, true, {}, [], 8n, '', ' ', '1.5', 'MiB', 'M', '8i', '8iB', '8  MiB', ' 8MiB', '8MiB ',
      '-8MiB', '+8MiB', '1e3KB', '1,5GiB', '.5GiB', '1.GiB', '0x10KB', '8MiBs', '8 PB', '99999999 TB', 'Infinity B', '8MiB\n'
    ]
    for (const size of bad) assert.throws(() => bytesOf(size, 'size'), { name: 'TypeError', message: /size must be/ }, String(size))
  })

  it('is taken so by all that makes a pool', async () => {
    const pool = Pool.open(folder.next(), { size: '16MiB', maxSize: '1GiB' })
    assert.deepStrictEqual([pool.stats().size, pool.stats().maxSize], [16 * MIB, 2 ** 30])
    const [backup, dump] = [await gather(pool.backup()), await gather(pool.dump())]
    pool.map('a')
    const fuller = await gather(pool.dump())
    const location = pool.path
    pool.close()
    const raised = Pool.open(location, { maxSize: '2 GiB' })
    assert.strictEqual(raised.stats().maxSize, 2 ** 31)
    raised.close()
    assert.strictEqual(dump.length, 0)
    for (const [make, source] of [['restore', backup], ['load', fuller]]) {
      const location = folder.next()
      await Pool[make](location, [source], { size: '16MiB', maxSize: '32MiB' })
      const made = Pool.open(location)
      assert.deepStrictEqual([made.stats().size, made.stats().maxSize], [16 * MIB, 32 * MIB])
      made.close()
      await assert.rejects(Pool[make](folder.next(), [source], { size: '16 megabytes' }), TypeError)
      await assert.rejects(Pool[make](folder.next(), [source], { maxSize: 'much' }), TypeError)
    }
    assert.throws(() => Pool.open(folder.next(), { size: '8 megabytes' }), TypeError)
    assert.throws(() => Pool.open(folder.next(), { maxSize: '8 megabytes' }), TypeError)
  })
})
