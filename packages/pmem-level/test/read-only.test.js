'use strict'

const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { PmemLevel } = require('..')

describe('a PmemLevel that is read only', () => {
  let folder
  let location
  let writer
  let count = 0

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-')) })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  beforeEach(async () => {
    location = path.join(folder, `${count++}`)
    writer = new PmemLevel(location)
    await writer.put('a', '1')
  })

  afterEach(() => writer.close())

  const open = async options => {
    const db = new PmemLevel(location, { readOnly: true, ...options })
    await db.open()
    return db
  }

  const cause = code => error => error.code === 'LEVEL_DATABASE_NOT_OPEN' && error.cause.code === code

  it('shows the moment of opening, beside the one that writes', async () => {
    const db = await open()
    await writer.put('a', '2')
    assert.strictEqual(await db.get('a'), '1')
    assert.deepStrictEqual(await db.keys().all(), ['a'])
    const later = await open()
    assert.strictEqual(await later.get('a'), '2')
    await Promise.all([db.close(), later.close()])
  })

  it('is read in another process', () => {
    const seen = execFileSync(process.execPath, ['-e', `
      const { PmemLevel } = require(${JSON.stringify(path.join(__dirname, '..'))})
      const db = new PmemLevel(${JSON.stringify(location)}, { readOnly: true })
      db.get('a').then(console.log)`], { encoding: 'utf8' })
    assert.strictEqual(seen, '1\n')
  })

  it('refuses writes, and makes nothing', async () => {
    const db = await open()
    const refused = { code: 'LEVEL_PMEM_READ_ONLY' }
    await assert.rejects(db.put('a', '2'), refused)
    await assert.rejects(db.del('a'), refused)
    await assert.rejects(db.batch([{ type: 'put', key: 'a', value: '2' }]), refused)
    await assert.rejects(db.clear(), refused)
    await assert.rejects(db.compact(), refused)
    assert.strictEqual(await db.get('a'), '1')
    await db.close()
    await assert.rejects(open({ map: 'other' }), cause('LEVEL_PMEM_NOT_FOUND'))
    location = path.join(folder, 'none', 'here')
    await assert.rejects(open(), cause('LEVEL_PMEM_NOT_FOUND'))
    assert.strictEqual(fs.existsSync(path.join(folder, 'none')), false)
  })
})
