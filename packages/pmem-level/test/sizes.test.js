'use strict'

const assert = require('node:assert')
const { constants } = require('node:buffer')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { maxKeySize, maxValueSize } = require('pmemobj')
const { PmemLevel } = require('..')

const GIB = 2 ** 30

/** Why a value of 1 GiB cannot be tried here, or undefined. */
function lackOf (folder) {
  const { bavail, bsize } = fs.statfsSync(folder)
  if (bavail * bsize < 3 * GIB) return 'less than 3 GiB of room'
  if (os.freemem() < 8 * GIB) return 'less than 8 GiB of memory'
}

describe('sizes of keys and values', () => {
  let folder
  let db

  beforeEach(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-'))
    db = new PmemLevel(path.join(folder, 'db'), { valueEncoding: 'buffer' })
    await db.open()
  })

  afterEach(async () => {
    await db.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it('keys from 1 byte to 32 KiB, of any bytes', async () => {
    assert.strictEqual(maxKeySize, 32 * 1024)
    const keys = [1, 2, 100, 4095, 4096, 4097, maxKeySize].flatMap(size => [Buffer.alloc(size, 'k'), Buffer.alloc(size, 0xff)])
    const options = { keyEncoding: 'buffer' }
    for (const key of keys) await db.put(key, key, options)
    for (const key of keys) assert.ok((await db.get(key, options)).equals(key))
    const sorted = [...keys].sort(Buffer.compare)
    assert.deepStrictEqual(await db.keys(options).all(), sorted)
    assert.deepStrictEqual(await db.keys({ ...options, reverse: true }).all(), sorted.reverse())
    await db.put('k'.repeat(maxKeySize), 'text')
    for (const call of [() => db.put(Buffer.alloc(maxKeySize + 1), '', options), () => db.batch([{ type: 'put', key: 'ü'.repeat(maxKeySize / 2) + 'x', value: '' }])]) {
      await assert.rejects(call, { code: 'LEVEL_PMEM_INVALID', message: /32 KiB/ })
    }
  })

  it('strings of every width, around the sizes where they are read in another way', async () => {
    for (const unit of ['a', 'ü', '€', '🐭']) {
      const width = Buffer.byteLength(unit)
      for (const size of [4080, 4092, 4096, 4100, 65536, 2 ** 20 + 8]) {
        for (const rest of ['', 'b', 'bc', 'bcd']) {
          const text = unit.repeat(Math.ceil(size / width)) + rest
          await db.put('text', text, { valueEncoding: 'utf8' })
          assert.ok(await db.get('text', { valueEncoding: 'utf8' }) === text, `${size} of ${unit}`)
          assert.ok((await db.get('text')).equals(Buffer.from(text)))
        }
      }
    }
  })

  it('pages of values of all sizes', async () => {
    const sizes = [0, 1, 200, 4095, 4096, 0, 4097, 100_000, 3, 300_000, 5000, 0]
    const value = index => Buffer.alloc(sizes[index], index + 1)
    await db.batch(sizes.map((_, i) => ({ type: 'put', key: String(i).padStart(2, '0'), value: value(i) })))
    for (const keyEncoding of ['utf8', 'buffer']) {
      const rows = await db.iterator({ keyEncoding }).all()
      assert.strictEqual(rows.length, sizes.length)
      rows.forEach(([key, found], i) => assert.ok(Number(key) === i && found.equals(value(i)), `row ${i}`))
    }
    const keys = sizes.map((_, i) => String(i).padStart(2, '0'))
    const found = await db.getMany([...keys, 'missing', ...keys])
    assert.strictEqual(found[sizes.length], undefined)
    found.splice(sizes.length, 1)
    found.forEach((bytes, i) => assert.ok(bytes.equals(value(i % sizes.length)), `value ${i}`))
  })

  it('many keys at once, of one state', async () => {
    const keys = Array.from({ length: 2500 }, (_, i) => `k${i}`)
    await db.batch(keys.map(key => ({ type: 'put', key, value: key })))
    assert.deepStrictEqual((await db.getMany(['none', ...keys])).map(value => value?.toString()), [undefined, ...keys])
    assert.deepStrictEqual(await db.getMany(keys, { valueEncoding: 'utf8' }), keys)
    assert.deepStrictEqual(await db.hasMany([...keys, 'none']), [...keys.map(() => true), false])
    assert.strictEqual(db.stats().snapshots, 0)
  })

  it('values of up to 1 GiB', async function () {
    const lack = lackOf(folder)
    if (lack !== undefined) {
      this.test.title += ` (skipped: ${lack})`
      return this.skip()
    }
    this.timeout(600_000)
    assert.strictEqual(maxValueSize, GIB)
    const value = Buffer.alloc(GIB, 'one gibibyte ')
    await db.close()
    await PmemLevel.destroy(db.location)
    await db.open({ maxSize: Math.floor(1.4 * GIB) })
    await db.put('big', value)
    assert.ok((await db.get('big')).equals(value))
    const tooLong = { code: 'LEVEL_PMEM_INVALID', message: /too long for a string/ }
    if (constants.MAX_STRING_LENGTH < GIB) {
      await assert.rejects(db.get('big', { valueEncoding: 'utf8' }), tooLong)
      await assert.rejects(db.iterator({ valueEncoding: 'utf8' }).all(), tooLong)
    }
    const [[key, found], ...others] = await db.iterator().all()
    assert.deepStrictEqual([key, found.length, others], ['big', GIB, []])
    assert.ok(found.subarray(-GIB / 4).equals(value.subarray(-GIB / 4)))
    await db.del('big')
    assert.strictEqual(await db.get('big'), undefined)
    // There is no room for both.
    await db.put('half', value.subarray(GIB / 2))
    assert.strictEqual((await db.get('half')).length, GIB / 2)
    // A view of zeros, which no memory was touched for.
    await assert.rejects(db.put('big', Buffer.alloc(GIB + 1)), { code: 'LEVEL_PMEM_INVALID', message: /1 GiB/ })
  })
})
