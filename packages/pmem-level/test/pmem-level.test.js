'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { MemoryLevel } = require('memory-level')
const { codes: poolCodes, Pool } = require('pmemobj')
const PmemLevel = require('..')
const { codes } = require('../lib/errors')

describe('PmemLevel', () => {
  let folder
  let db
  let count = 0

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-')) })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  const next = () => path.join(folder, `${count++}`)

  beforeEach(async () => {
    db = new PmemLevel(next())
    await db.open()
  })

  afterEach(() => db.close())

  async function failsToOpen (level, code, poolCode) {
    await assert.rejects(level.open(), error => {
      assert.strictEqual(error.code, 'LEVEL_DATABASE_NOT_OPEN')
      assert.strictEqual(error.cause.code, code)
      assert.strictEqual(error.cause.cause.code, poolCode)
      return true
    })
  }

  it('is exported both ways', () => {
    assert.strictEqual(PmemLevel.PmemLevel, PmemLevel)
  })

  it('has a location, and needs one', () => {
    assert.strictEqual(path.dirname(db.location), folder)
    for (const wrong of [undefined, '', 3, {}]) assert.throws(() => new PmemLevel(wrong), TypeError)
  })

  it('makes the folders above its location', async () => {
    const deep = new PmemLevel(path.join(next(), 'a', 'b'))
    await deep.put('key', 'value')
    await deep.close()
    assert.ok(fs.existsSync(deep.location))
  })

  it('has what was written when it opens again', async () => {
    await db.batch([{ type: 'put', key: 'a', value: '1' }, { type: 'put', key: 'b', value: '2' }])
    await db.del('a')
    await db.close()
    await db.open({ createIfMissing: false })
    assert.deepStrictEqual(await db.iterator().all(), [['b', '2']])
  })

  it('says how big it is, and what it lies on', async () => {
    const { size, maxSize, used, isPmem, snapshots } = db.stats()
    assert.ok(used < size && size < maxSize)
    assert.deepStrictEqual([typeof isPmem, snapshots], ['boolean', 0])
    await db.close()
    assert.throws(() => db.stats(), { code: 'LEVEL_DATABASE_NOT_OPEN' })
  })

  it('can be one file of a fixed size', async () => {
    const fixed = new PmemLevel(next(), { size: 16 * 2 ** 20, maxSize: 0, valueEncoding: 'buffer' })
    await fixed.open()
    assert.strictEqual(fs.statSync(fixed.location).size, 16 * 2 ** 20)
    const value = Buffer.alloc(2 ** 20)
    await assert.rejects(async () => {
      for (let i = 0; ; i++) await fixed.put(String(i), value)
    }, { code: 'LEVEL_PMEM_FULL' })
    await fixed.clear()
    await fixed.put('a', value)
    await fixed.close()
  })

  it('does its work before a call returns', () => {
    assert.strictEqual(db.synchronous, true)
    const written = db.put('a', '1')
    assert.strictEqual(db.getSync('a'), '1')
    return written
  })

  it('fails to open with the reason as its cause', async () => {
    await failsToOpen(new PmemLevel(db.location), 'LEVEL_LOCKED', 'PMEMOBJ_IN_USE')
    await failsToOpen(new PmemLevel(next(), { createIfMissing: false }), 'LEVEL_PMEM_NOT_FOUND', 'PMEMOBJ_NOT_FOUND')
    const foreign = next()
    fs.writeFileSync(foreign, 'a letter')
    await failsToOpen(new PmemLevel(foreign), 'LEVEL_PMEM_NOT_A_POOL', 'PMEMOBJ_NOT_A_POOL')
    await db.close()
    await failsToOpen(new PmemLevel(db.location, { errorIfExists: true }), 'LEVEL_PMEM_EXISTS', 'PMEMOBJ_EXISTS')
  })

  it('refuses keys of more than 32 KiB, and goes on', async () => {
    const key = 'k'.repeat(32 * 1024 + 1)
    const invalid = { code: 'LEVEL_PMEM_INVALID' }
    await assert.rejects(db.put(key, ''), invalid)
    await assert.rejects(db.batch([{ type: 'put', key: 'a', value: '' }, { type: 'put', key, value: '' }]), invalid)
    await assert.rejects(db.batch().put('a', '').put(key, '').write(), invalid)
    assert.strictEqual(await db.has('a'), false)
    assert.strictEqual(await db.get(key), undefined)
  })

  it('refuses snapshots of another kind', async () => {
    const other = new MemoryLevel()
    await other.open()
    const snapshot = other.snapshot()
    await assert.rejects(db.get('a', { snapshot }), TypeError)
    assert.throws(() => db.iterator({ snapshot }), TypeError)
    await other.close()
  })

  it('refuses snapshots of another database', async () => {
    const other = new PmemLevel(next())
    await other.open()
    const snapshot = other.snapshot()
    await assert.rejects(db.get('a', { snapshot }), { code: 'LEVEL_PMEM_INVALID' })
    for (const read of ['iterator', 'keys', 'values']) assert.throws(() => db[read]({ snapshot }), { code: 'LEVEL_PMEM_INVALID' })
    // None of them holds it.
    await snapshot.close()
    await other.close()
  })

  it('reads ahead without passing the limit, or a seek by', async () => {
    await db.batch(Array.from({ length: 300 }, (_, i) => ({ type: 'put', key: String(i).padStart(3, '0'), value: `${i}` })))
    for (const limit of [1, 2, 9, 10, 73, 74, 299, 300, 301, -1]) {
      let rows = 0
      for await (const [key, value] of db.iterator({ limit })) assert.deepStrictEqual([Number(key), value], [rows, `${rows++}`])
      assert.strictEqual(rows, limit === -1 ? 300 : Math.min(limit, 300))
    }
    const iterator = db.iterator({ limit: 20 })
    for (let i = 0; i < 12; i++) await iterator.next()
    iterator.seek('100')
    assert.deepStrictEqual(await iterator.next(), ['100', '100'])
    assert.deepStrictEqual((await iterator.nextv(5)).map(([key]) => key), ['101', '102', '103', '104', '105'])
    assert.deepStrictEqual((await iterator.all()).map(([key]) => key), ['106', '107'])
  })

  it('gives all rows through every mixture of next and nextv', async () => {
    await db.batch(Array.from({ length: 500 }, (_, i) => ({ type: 'put', key: String(i).padStart(3, '0'), value: 'v'.repeat(i) })))
    for (const valueEncoding of ['utf8', 'buffer', 'view']) {
      const iterator = db.iterator({ valueEncoding })
      const found = []
      for (let turn = 0; ; turn++) {
        const rows = turn % 3 === 0 ? await iterator.nextv(turn % 50 + 1) : [await iterator.next()]
        if (rows.length === 0 || rows[0] === undefined) break
        found.push(...rows)
      }
      assert.deepStrictEqual(found.map(([key, value]) => [Number(key), value.length]), Array.from({ length: 500 }, (_, i) => [i, i]))
    }
  })

  it('keeps an explicit snapshot through a clear, of a sublevel too', async () => {
    const sublevel = db.sublevel('sub', { valueEncoding: 'json' })
    await sublevel.put('a', { b: 1 })
    await db.put('a', 'outside')
    const snapshot = sublevel.snapshot()
    await sublevel.clear()
    assert.strictEqual(await sublevel.get('a'), undefined)
    assert.deepStrictEqual(await sublevel.get('a', { snapshot }), { b: 1 })
    assert.deepStrictEqual(await sublevel.iterator({ snapshot }).all(), [['a', { b: 1 }]])
    assert.strictEqual(db.getSync('a'), 'outside')
    await snapshot.close()
  })

  it('is destroyed, unless it is open', async () => {
    await assert.rejects(PmemLevel.destroy(db.location), { code: 'LEVEL_LOCKED' })
    await db.close()
    await PmemLevel.destroy(db.location)
    assert.strictEqual(fs.existsSync(db.location), false)
    await PmemLevel.destroy(db.location)
    for (const wrong of [undefined, '', 3]) await assert.rejects(PmemLevel.destroy(wrong), TypeError)
  })

  it('is backed up as it was, and restored', async () => {
    const sublevel = db.sublevel('sub', { valueEncoding: 'json' })
    await db.batch([{ type: 'put', key: 'a', value: '1' }, { type: 'put', key: 'b', value: 'x'.repeat(300_000) }])
    await sublevel.put('c', { d: 1 })
    const before = await db.iterator().all()
    const snapshot = db.snapshot()
    const chunks = []
    for await (const chunk of db.backup()) {
      chunks.push(chunk)
      await db.put('a', '2')
    }
    assert.notDeepStrictEqual(await db.iterator().all(), before)
    const copy = new PmemLevel(next())
    for (const source of [chunks, db.backup({ snapshot })]) {
      const { entries } = await PmemLevel.restore(copy.location, source)
      await copy.open()
      assert.deepStrictEqual(await copy.iterator().all(), before)
      assert.strictEqual(entries, before.length)
      await copy.close()
      await PmemLevel.destroy(copy.location)
    }
    await snapshot.close()
    assert.strictEqual(db.stats().snapshots, 0)
  })

  it('lets go of a backup that is destroyed, read or not, and says why one fails', async () => {
    await db.put('a', 'x'.repeat(300_000))
    for (const read of [false, true]) {
      const stream = db.backup()
      if (read) await once(stream, 'readable')
      stream.destroy()
      await once(stream, 'close')
      // Its source closes in turn.
      await new Promise(setImmediate)
      assert.strictEqual(db.stats().snapshots, 0)
    }
    assert.throws(() => db.backup({ snapshot: {} }), TypeError)
    await assert.rejects(PmemLevel.restore(db.location, []), { code: 'LEVEL_PMEM_EXISTS' })
    await assert.rejects(PmemLevel.restore(next(), []), { code: 'LEVEL_PMEM_NOT_A_BACKUP' })
    const stream = db.backup()
    await db.close()
    await assert.rejects(once(stream.resume(), 'end'), { code: 'LEVEL_DATABASE_NOT_OPEN' })
    assert.throws(() => db.backup(), { code: 'LEVEL_DATABASE_NOT_OPEN' })
    await db.open()
  })

  it('closes while iterators and snapshots are open', async () => {
    await db.put('a', '1')
    const iterator = db.iterator()
    await iterator.next()
    const snapshot = db.snapshot()
    await db.close()
    await assert.rejects(iterator.next(), { code: 'LEVEL_ITERATOR_NOT_OPEN' })
    await snapshot.close()
    Pool.open(db.location).close()
  })
})

describe('PmemLevel in the place of a LevelDOWN', () => {
  it('says at once what to use', async () => {
    const PouchDB = require('pouchdb')
    const advice = { code: 'LEVEL_LEGACY', message: /adapter: 'pmem'/ }
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-down-'))
    const level = new PmemLevel(path.join(folder, 'pool'))
    for (const down of [PmemLevel, PmemLevel.down, () => level]) assert.throws(() => new PouchDB('never made', { db: down }), advice)
    assert.throws(() => level.open({}, () => {}), advice)
    class Extended extends PmemLevel {}
    assert.equal(level.constructor, PmemLevel)
    assert.ok(new Extended(path.join(folder, 'other')) instanceof PmemLevel)
    await level.open()
    await level.close()
    fs.rmSync(folder, { recursive: true })
  })
})

describe('codes of errors', () => {
  it('has one for each of pmemobj, in the README as in the code', () => {
    assert.deepStrictEqual(Object.keys(codes).sort(), Object.keys(poolCodes).sort())
    const readme = fs.readFileSync(path.join(__dirname, '../README.md'), 'utf8')
    const rows = [...readme.matchAll(/^\| `(LEVEL_\w+)` \| `(PMEMOBJ_\w+)` \|/gm)].map(([, ours, theirs]) => [theirs, ours])
    assert.deepStrictEqual(Object.fromEntries(rows), codes)
  })
})
