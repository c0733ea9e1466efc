'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { PmemLevel } = require('..')

describe('counts', () => {
  const keys = Array.from({ length: 3000 }, (_, i) => String(100_000 + i))
  let folder
  let db

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-'))
    db = new PmemLevel(path.join(folder, 'db'))
    await db.open()
    await db.batch(keys.map(key => ({ type: 'put', key, value: `of ${key}` })))
  })

  after(async () => {
    await db.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it('are those of a range, now or in a snapshot', async () => {
    const snapshot = db.snapshot()
    await db.del(keys[1000])
    assert.strictEqual(db.count(), 2999)
    assert.strictEqual(db.count({ gt: keys[900], lte: keys[1100] }), 199)
    assert.strictEqual(db.count({ gt: keys[900], lte: keys[1100], snapshot }), 200)
    assert.strictEqual(db.count({ gte: Buffer.from(keys[2990]) }), 10)
    await snapshot.close()
    await db.put(keys[1000], `of ${keys[1000]}`)
    assert.throws(() => db.count({ snapshot: {} }), TypeError)
  })

  it('let iterators of all kinds leave out entries, what was read ahead counted', async () => {
    for (const reverse of [false, true]) {
      const expected = reverse ? keys.slice().reverse() : keys
      for (const [iterator, entryOf] of [[db.iterator({ reverse }), key => [key, `of ${key}`]], [db.keys({ reverse }), key => key], [db.values({ reverse }), key => `of ${key}`]]) {
        assert.deepStrictEqual(await iterator.next(), entryOf(expected[0]))
        // It reads several ahead.
        assert.deepStrictEqual(await iterator.next(), entryOf(expected[1]))
        assert.strictEqual(iterator.skip(3), true)
        assert.deepStrictEqual(await iterator.next(), entryOf(expected[5]))
        assert.strictEqual(iterator.skip(1994), true)
        assert.deepStrictEqual(await iterator.nextv(2), [2000, 2001].map(i => entryOf(expected[i])))
        assert.strictEqual(iterator.skip(5000), true)
        assert.strictEqual(await iterator.next(), undefined)
        await iterator.close()
      }
    }
  })

  it('are refused by a database that is not open', async () => {
    const other = new PmemLevel(path.join(folder, 'other'))
    await other.open()
    await other.close()
    assert.throws(() => other.count(), { code: 'LEVEL_DATABASE_NOT_OPEN' })
  })
})
