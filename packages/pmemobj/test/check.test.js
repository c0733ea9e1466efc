'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const fs = require('node:fs')
const { Worker } = require('node:worker_threads')
const { Pool, check } = require('..')
const { temporaryFolder } = require('./temporary-folder')
const { command } = require('./command')

const SIZE = 8 * 2 ** 20
const PAGE = 1024

describe('check', () => {
  const folder = temporaryFolder()

  function create (options) {
    const location = folder.next()
    const pool = Pool.open(location, options)
    const map = pool.map('ü')
    const operations = []
    for (let i = 0; i < 1000; i++) operations.push('put', `key ${i}`, `${i}`.repeat(50))
    map.batch(operations)
    pool.map('empty')
    pool.close()
    return location
  }

  /** Flips a bit in each leaf of the file that holds keys. */
  function damage (location) {
    const bytes = fs.readFileSync(location)
    let pages = 0
    for (let at = 0; at < bytes.length; at += PAGE) {
      if (bytes.readUInt32LE(at + 12) !== at / PAGE || bytes[at + 8] !== 0 || !bytes.subarray(at, at + PAGE).includes('key ')) continue
      bytes[at + 40] ^= 4
      pages++
    }
    fs.writeFileSync(location, bytes)
    return pages
  }

  for (const options of [{}, { size: SIZE, maxSize: 0 }]) {
    it(`says what a sound pool holds, ${JSON.stringify(options)}`, async () => {
      const location = create(options)
      const report = await check(location)
      assert.deepStrictEqual(report.problems, [])
      assert.strictEqual(report.sound, true)
      assert.strictEqual(report.problemCount, 0)
      assert.strictEqual(report.size, SIZE)
      assert.strictEqual(report.maxSize, options.maxSize === 0 ? SIZE : 2 ** 36)
      assert.strictEqual(report.leaked, 0)
      assert.ok(report.used > 100_000 && report.free > 0 && report.used + report.free < SIZE)
      assert.ok(report.layoutVersion >= 1 && report.epoch >= 2)
      const [empty, map] = report.maps
      assert.deepStrictEqual(empty, { name: 'empty', entries: 0, keyBytes: 0, valueBytes: 0, pages: 0, depth: 0, blobs: 0, blobBytes: 0, buffers: 0 })
      assert.strictEqual(map.name, 'ü')
      assert.strictEqual(map.entries, 1000)
      assert.strictEqual(map.keyBytes, 1000 * 4 + 10 + 90 * 2 + 900 * 3)
      assert.strictEqual(map.valueBytes, 50 * (10 + 90 * 2 + 900 * 3))
      assert.strictEqual(map.depth, 2)
      assert.strictEqual(map.blobs, 990)
    })
  }

  it('lists all problems of a damaged pool', async () => {
    const location = create({ size: SIZE, maxSize: 0 })
    const pages = damage(location)
    assert.ok(pages > 5)
    const { sound, problems, problemCount } = await check(location)
    assert.strictEqual(sound, false)
    assert.ok(problems.length > 5 && problems.length === problemCount && problemCount <= pages)
    for (const { kind, offset, message } of problems) {
      assert.strictEqual(kind, 'page')
      assert.strictEqual(message, `page ${offset / PAGE} fails its checksum or its bounds`)
    }
  })

  it('may be under way when its thread ends', async () => {
    const code = `const { check } = require(${JSON.stringify(require.resolve('..'))}); check(${JSON.stringify(create({ maxSize: 0, size: SIZE }))}); process.exit()`
    for (let i = 0; i < 20; i++) {
      const [exitCode] = await once(new Worker(code, { eval: true }), 'exit')
      assert.strictEqual(exitCode, 0)
    }
  })

  it('rejects where there is nothing to check, and takes one that is in use', async () => {
    const missing = folder.next()
    await assert.rejects(check(missing), { code: 'PMEMOBJ_NOT_FOUND', message: `${missing}: No such file or directory` })
    await assert.rejects(check(__filename), { code: 'PMEMOBJ_NOT_A_POOL', message: `${__filename} is not a pool of libpmemobj` })
    await assert.rejects(check(/** @type {any} */ (1)), TypeError)
    const location = create()
    const pool = Pool.open(location)
    const { sound, notes } = await check(location)
    assert.deepStrictEqual([sound, notes.map(({ kind }) => kind)], [true, ['heap']])
    pool.close()
    assert.strictEqual((await check(location)).sound, true)
  })

  describe('the command', () => {
    it('gives 0 for a sound pool, and says what is in it', async () => {
      const location = create()
      const { code, stdout, stderr } = await command(['check', location])
      assert.strictEqual(stderr, '')
      assert.strictEqual(code, 0)
      assert.match(stdout, /^.* is sound\.\n\nsize +8388608 bytes, of at most 68719476736\n/)
      assert.match(stdout, /^"ü" +1000 /m)
    })

    it('gives 1 for a damaged pool, and lists its problems', async () => {
      const location = create({ size: SIZE, maxSize: 0 })
      damage(location)
      const { code, stdout, stderr } = await command(['check', location])
      assert.strictEqual(stderr, '')
      assert.strictEqual(code, 1)
      assert.match(stdout, / is damaged: \d+ problems\.\n {2}page, at \d+: page \d+ fails its checksum/)
    })

    it('gives 2 where it cannot be checked', async () => {
      const { code, stdout, stderr } = await command(['check', folder.next()])
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, '')
      assert.match(stderr, /^pmemobj: .*: No such file or directory\n$/)
    })

    it('prints the report as JSON', async () => {
      const location = create()
      const { code, stdout } = await command(['check', '--json', location])
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(JSON.parse(stdout), await check(location))
    })
  })
})
