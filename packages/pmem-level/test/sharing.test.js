'use strict'

const assert = require('node:assert')
const { execFile } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { Worker } = require('node:worker_threads')
const { PmemLevel } = require('..')

const MIB = 2 ** 20

describe('PmemLevel in several threads, and in the way of none', () => {
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

  async function inWorker (script) {
    const program = `
      const { PmemLevel } = require(${JSON.stringify(require.resolve('..'))})
      async function main (db) { ${script} }
      main(new PmemLevel(require('node:worker_threads').workerData))`
    const [code] = await once(new Worker(program, { eval: true, workerData: db.location }), 'exit')
    assert.strictEqual(code, 0)
  }

  it('is one database in all of them', async () => {
    await db.put('a', '1')
    await inWorker(`
      await db.put('b', 'seen ' + await db.get('a'))
      await db.sublevel('sub').batch([{ type: 'put', key: 'c', value: '3' }])
      await db.close()`)
    assert.strictEqual(db.getSync('b'), 'seen 1')
    assert.deepStrictEqual(await db.sublevel('sub').iterator().all(), [['c', '3']])
    await inWorker("await db.put('d', 'left open')")
    assert.strictEqual(db.getSync('d'), 'left open')
  })

  it('is locked where a thread opens it twice', async () => {
    await inWorker(`
      await db.open()
      const again = new PmemLevel(db.location)
      const error = await again.open().catch(error => error)
      if (error.cause?.code !== 'LEVEL_LOCKED') throw error
      const destroyed = await PmemLevel.destroy(db.location).catch(error => error)
      if (destroyed.code !== 'LEVEL_LOCKED') throw destroyed`)
    await assert.rejects(PmemLevel.destroy(db.location), { code: 'LEVEL_LOCKED' })
  })

  it('is one pool with one durability, whoever asks first', async () => {
    const shared = path.join(folder, 'shared')
    const first = new PmemLevel(shared, { map: 'a', durability: 'relaxed' })
    await first.open()
    await inWorker(`
      const { location } = db
      const open = async (map, options) => {
        const other = new PmemLevel(location + '/../shared', { map, ...options })
        await other.open()
        return other
      }
      const unnamed = await open('b')
      const relaxed = await open('c', { durability: 'relaxed' })
      const error = await open('d', { durability: 'strict' }).catch(error => error)
      if (error.cause?.code !== 'LEVEL_PMEM_INVALID') throw error
      await Promise.all([unnamed.close(), relaxed.close()])`)
    await first.close()
  })

  it('opens with the key that another thread has given it', async () => {
    const shared = path.join(folder, 'shared')
    const [old, key] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const first = new PmemLevel(shared, { map: 'a', key: old })
    await first.open()
    await inWorker(`
      const location = db.location + '/../shared'
      const [old, key] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
      const holder = new PmemLevel(location, { map: 'b', key: old })
      await holder.open()
      await holder.rotateKey(key)
      const late = new PmemLevel(location, { map: 'c', key: old })
      const error = await late.open().catch(error => error)
      if (error.cause?.code !== 'LEVEL_PMEM_WRONG_KEY') throw error
      await Promise.all([holder.close(), late.close()])`)
    const refused = new PmemLevel(shared, { map: 'd', key: old })
    await assert.rejects(refused.open(), error => error.cause.code === 'LEVEL_PMEM_WRONG_KEY')
    const second = new PmemLevel(shared, { map: 'd', key })
    await second.open()
    await Promise.all([first.close(), second.close()])
  })

  it('closes, and says so, where the disk has not taken what is relaxed', async () => {
    const program = `
      const assert = require('node:assert')
      const fs = require('node:fs')
      const { PmemLevel } = require(${JSON.stringify(require.resolve('..'))})
      async function main () {
        const db = new PmemLevel(process.argv[1], { durability: 'relaxed' })
        await db.put('a', '1')
        await db.flush()
        await db.put('b', '2')
        fs.truncateSync(process.argv[1] + '/000000.pmem', 0)
        await assert.rejects(db.close(), error => error.code === 'LEVEL_DATABASE_NOT_CLOSED' && /^LEVEL_/.test(error.cause.code))
        await db.close()
        assert.strictEqual(db.status, 'closed')
        fs.rmSync(process.argv[1], { recursive: true })
        const again = new PmemLevel(process.argv[1])
        await again.open()
        await again.close()
      }
      main()`
    await promisify(execFile)(process.execPath, ['-e', program, path.join(folder, 'lost')], { env: { ...process.env, PMEM_IS_PMEM_FORCE: '0' } })
  })

  it('writes what is big on another thread, in order', async () => {
    const value = 'v'.repeat(1000)
    const order = []
    const big = Array.from({ length: 5000 }, (_, i) => ({ type: 'put', key: `k${i}`, value }))
    await Promise.all([
      db.batch(big).then(() => order.push('batch')),
      db.put('k1', 'small').then(() => order.push('put')),
      db.clear({ gte: 'k2' }),
      db.del('k0').then(() => order.push('del'))
    ])
    assert.deepStrictEqual(order, ['batch', 'put', 'del'])
    assert.deepStrictEqual(await db.getMany(['k0', 'k1', 'k10', 'k2']), [undefined, 'small', value, undefined])
  })

  it('closes after what was begun, and fails with codes', async () => {
    const written = db.put('big', 'x'.repeat(3 * MIB))
    const refused = assert.rejects(db.batch([{ type: 'put', key: 'k'.repeat(40_000), value: 'x'.repeat(3 * MIB) }]), { code: 'LEVEL_PMEM_INVALID' })
    await db.close()
    await Promise.all([written, refused])
    await db.open()
    assert.strictEqual(db.getSync('big').length, 3 * MIB)
  })
})

describe('a PmemLevel that is full', () => {
  let folder

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-')) })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  for (const [what, options] of [['that grew as far as it may', { maxSize: 24 * MIB }], ['of one file', { size: 24 * MIB, maxSize: 0 }]]) {
    it(`${what} says so, has lost nothing, and has room for what is deleted`, async () => {
      const db = new PmemLevel(path.join(folder, `${options.size ?? 0}`), { ...options, valueEncoding: 'buffer' })
      const full = { code: 'LEVEL_PMEM_FULL' }
      const value = index => Buffer.alloc(50_000, index)
      let count = 0
      await assert.rejects(async () => { for (; ; count++) await db.put(`${count}`, value(count)) }, full)
      assert.ok(count > 100, `${count} values`)
      await assert.rejects(db.batch(Array.from({ length: 600 }, (_, i) => ({ type: 'put', key: `batch${i}`, value: value(i) }))), full)
      await assert.rejects(db.put('big', Buffer.alloc(30 * MIB)), full)
      assert.deepStrictEqual(await db.keys({ gte: 'b' }).all(), [])
      for (let i = 0; i < count; i++) assert.ok((await db.get(`${i}`)).equals(value(i)))
      await db.batch(Array.from({ length: 20 }, (_, i) => ({ type: 'del', key: `${i}` })))
      for (let i = 0; i < 15; i++) await db.put(`new${i}`, value(i))
      await db.clear()
      for (let i = 0; i < count - 20; i++) await db.put(`${i}`, value(i))
      await db.close()
      await db.open()
      assert.strictEqual((await db.keys().all()).length, count - 20)
      await db.close()
    })
  }
})

describe('a PmemLevel off persistent memory', () => {
  let folder

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-')) })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  for (const durability of ['strict', 'relaxed']) {
    it(`is the same to its users (${durability})`, async () => {
      const program = `
        const assert = require('node:assert')
        const { PmemLevel } = require(${JSON.stringify(require.resolve('..'))})
        async function main () {
          const db = new PmemLevel(process.argv[1], { durability: ${JSON.stringify(durability)} })
          await db.open()
          assert.strictEqual(db.stats().isPmem, false)
          const written = Promise.all(Array.from({ length: 200 }, (_, i) => db.put('k' + i, String(i))))
          assert.strictEqual(db.getSync('k199'), '199')
          await written
          await db.batch(Array.from({ length: 100 }, (_, i) => ({ type: 'del', key: 'k' + i })))
          await db.clear({ gte: 'k150' })
          await db.flush()
          assert.deepStrictEqual((await db.keys().all()).length, 50)
          await assert.rejects(db.put('k'.repeat(40000), ''), { code: 'LEVEL_PMEM_INVALID' })
          db.put('last', '1')
          await db.close()
          await assert.rejects(db.flush(), { code: 'LEVEL_DATABASE_NOT_OPEN' })
          await db.open()
          console.log(await db.get('last'))
        }
        main()`
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', program, path.join(folder, durability)], { env: { ...process.env, PMEM_IS_PMEM_FORCE: '0' } })
      assert.strictEqual(stdout, '1\n')
    })
  }
})
