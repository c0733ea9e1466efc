'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { PmemLevel } = require('..')

describe('entriesSync', () => {
  let folder
  let db

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-'))
    db = new PmemLevel(path.join(folder, 'db'))
    await db.open()
    await db.batch(Array.from({ length: 100 }, (_, i) => ({ type: 'put', key: String(100 + i), value: `of ${i}` })))
  })

  after(async () => {
    await db.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it('gives the entries of a range in both directions, no more than are wanted', () => {
    assert.deepStrictEqual(db.entriesSync({ gte: '110', lt: '112' }), [['110', 'of 10'], ['111', 'of 11']])
    assert.deepStrictEqual(db.entriesSync({ gt: '110', lte: '112', reverse: true, limit: 5 }), [['112', 'of 12'], ['111', 'of 11']])
    assert.deepStrictEqual(db.entriesSync({ gte: '110', limit: 1 }), [['110', 'of 10']])
    assert.deepStrictEqual(db.entriesSync({ gte: '2' }), [])
  })

  it('gives all of them where they are big', async () => {
    const value = 'x'.repeat(3 * 1024 * 1024)
    await db.batch(['300', '301', '302'].map(key => ({ type: 'put', key, value })))
    assert.deepStrictEqual(db.entriesSync({ gte: '300', limit: 10 }), ['300', '301', '302'].map(key => [key, value]))
  })

  it('sees what was written before, and a snapshot what was there', async () => {
    const snapshot = db.snapshot()
    await db.put('4', 'new')
    assert.deepStrictEqual(db.entriesSync({ gte: '4' }), [['4', 'new']])
    assert.deepStrictEqual(db.entriesSync({ gte: '4', snapshot }), [])
    await snapshot.close()
  })

  it('is refused by a database that is closed', () => {
    assert.throws(() => new PmemLevel(path.join(folder, 'other')).entriesSync(), { code: 'LEVEL_DATABASE_NOT_OPEN' })
  })
})
