'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')

const root = require.resolve('..')

describe('pools that are read only', () => {
  const folder = temporaryFolder()

  const READ_ONLY = { code: 'PMEMOBJ_READ_ONLY' }

  const made = () => {
    const pool = Pool.create(folder.next(), { maxSize: 2 ** 28 })
    pool.map('m').put('a', '1')
    return pool
  }

  it('show the moment of opening, beside a pool of this process', () => {
    const pool = made()
    const reader = Pool.open(pool.path, { readOnly: true })
    assert.strictEqual(reader.readOnly, true)
    assert.strictEqual(pool.readOnly, false)
    pool.map('m').put('a', '2')
    pool.map('later').put('b', '3')
    assert.strictEqual(reader.map('m').get('a'), '1')
    assert.deepStrictEqual(reader.maps(), ['m'])
    const again = Pool.open(pool.path, { readOnly: true })
    assert.strictEqual(again.map('m').get('a'), '2')
    assert.strictEqual(again.map('later').get('b'), '3')
    for (const each of [again, pool, reader]) each.close()
    assert.throws(() => reader.map('m'), { code: 'PMEMOBJ_CLOSED' })
  })

  it('are read while another process writes', () => {
    const pool = made()
    const seen = execFileSync(process.execPath, ['-e', `
      const { Pool } = require(${JSON.stringify(root)})
      const pool = Pool.open(${JSON.stringify(pool.path)}, { readOnly: true })
      const map = pool.map('m')
      console.log(map.get('a'), pool.stats().free, pool.snapshot() !== undefined)`], { encoding: 'utf8' })
    assert.strictEqual(seen, '1 0 true\n')
    pool.map('m').put('a', '2')
    pool.close()
  })

  it('refuse what writes', async () => {
    const pool = made()
    const reader = Pool.open(pool.path, { readOnly: true })
    const map = reader.map('m')
    assert.throws(() => reader.map('none'), { code: 'PMEMOBJ_NOT_FOUND' })
    assert.throws(() => map.put('a', '2'), READ_ONLY)
    assert.throws(() => map.del('a'), READ_ONLY)
    assert.throws(() => map.clear(), READ_ONLY)
    assert.throws(() => reader.write([map, 'put', 'a', '2']), READ_ONLY)
    await assert.rejects(async () => reader.writeAsync([map, 'put', 'a', '2']), READ_ONLY)
    assert.throws(() => reader.dropMap('m'), READ_ONLY)
    assert.throws(() => reader.root, READ_ONLY)
    assert.throws(() => { reader.root = {} }, READ_ONLY)
    assert.throws(() => reader.create({}), READ_ONLY)
    assert.throws(() => reader.transaction(() => {}), READ_ONLY)
    assert.throws(() => reader.collect(), READ_ONLY)
    assert.throws(() => reader.rotateKey(Buffer.alloc(32)), READ_ONLY)
    await assert.rejects(() => reader.compact(), READ_ONLY)
    assert.strictEqual(map.get('a'), '1')
    reader.close()
    pool.close()
  })

  it('give backups, dumps and snapshots', async () => {
    const pool = made()
    const reader = Pool.open(pool.path, { readOnly: true })
    pool.map('m').put('a', '2')
    const copy = folder.next()
    await Pool.restore(copy, reader.backup())
    const restored = Pool.open(copy)
    assert.strictEqual(restored.map('m').get('a'), '1')
    restored.close()
    const dump = reader.dump()
    dump.resume()
    await once(dump, 'end')
    const snapshot = reader.snapshot()
    assert.strictEqual(reader.map('m').get('a', { snapshot }), '1')
    snapshot.close()
    const { faults } = await reader.scrub()
    assert.deepStrictEqual(faults, [])
    reader.close()
    pool.close()
  })

  it('are neither made, nor opened in other ways', () => {
    const location = folder.next()
    assert.throws(() => Pool.open(location, { readOnly: true }), { code: 'PMEMOBJ_NOT_FOUND' })
    assert.throws(() => Pool.create(location, { readOnly: true }), TypeError)
    assert.throws(() => Pool.open(location, { readOnly: true, createIfMissing: true }), TypeError)
    assert.throws(() => Pool.open(location, { readOnly: 1 }), TypeError)
    const key = Buffer.alloc(32, 1)
    Pool.create(location, { key }).close()
    assert.throws(() => Pool.open(location, { readOnly: true }), { code: 'PMEMOBJ_KEY_NEEDED' })
    const reader = Pool.open(location, { readOnly: true, key })
    assert.deepStrictEqual(reader.maps(), [])
    reader.close()
  })

  it('have a code of their own where they are of a former layout, until they are opened to write', () => {
    const location = folder.next()
    const former = zlib.gunzipSync(fs.readFileSync(path.join(__dirname, 'fixtures/version-2-closed.pool.gz')))
    fs.writeFileSync(location, former)
    assert.throws(() => Pool.open(location, { readOnly: true }), { code: 'PMEMOBJ_OLDER_LAYOUT' })
    assert.ok(fs.readFileSync(location).equals(former))
    const pool = Pool.open(location)
    pool.map('m').put('a', '1')
    pool.close()
    const reader = Pool.open(location, { readOnly: true })
    assert.strictEqual(String(reader.map('m').get('a')), '1')
    reader.close()
  })
})
