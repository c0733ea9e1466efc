'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { PmemLevel } = require('..')

describe('writeBatch', () => {
  let folder
  let db

  beforeEach(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-'))
    db = new PmemLevel(path.join(folder, 'db'))
    await db.open()
  })

  afterEach(async () => {
    await db.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const reopened = async () => {
    await db.close()
    await db.open()
  }

  it('puts and deletes text and bytes, in order', async () => {
    await db.put('a', '1')
    await db.writeBatch([
      { type: 'put', key: 'ä', value: '\u{1f600}' },
      { type: 'put', key: Buffer.from('b'), value: Buffer.from([0, 255]) },
      { type: 'del', key: 'a' },
      { type: 'put', key: 'c', value: '1' },
      { type: 'put', key: 'c', value: '' }
    ])
    await reopened()
    assert.deepStrictEqual(await db.iterator({ valueEncoding: 'buffer' }).all(), [
      ['b', Buffer.from([0, 255])], ['c', Buffer.alloc(0)], ['ä', Buffer.from('\u{1f600}')]
    ])
  })

  it('takes none and many', async () => {
    await db.writeBatch([])
    await db.writeBatch(Array.from({ length: 3000 }, (_, i) => ({ type: 'put', key: String(10000 + i), value: `${i}` })), {})
    assert.strictEqual(db.count(), 3000)
  })

  it('writes all or nothing', async () => {
    const good = { type: 'put', key: 'a', value: '1' }
    for (const wrong of [{ type: 'put', key: 'b' }, { type: 'put', key: null, value: '1' }, { type: 'get', key: 'b', value: '1' }, { type: 'put', key: 'k'.repeat(40000), value: '1' }]) {
      await assert.rejects(async () => db.writeBatch([good, wrong]))
    }
    assert.strictEqual(db.count(), 0)
  })

  it('is refused by a database that is closed', async () => {
    await db.close()
    await assert.rejects(async () => db.writeBatch([{ type: 'put', key: 'a', value: '1' }]), { code: 'LEVEL_DATABASE_NOT_OPEN' })
    await db.open()
    assert.strictEqual(db.count(), 0)
  })
})
