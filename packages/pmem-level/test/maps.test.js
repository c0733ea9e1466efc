'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { Pool } = require('pmemobj')
const { PmemLevel } = require('..')

describe('databases of one pool', () => {
  let folder
  let location
  let count = 0

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-')) })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  beforeEach(() => { location = path.join(folder, `${count++}`) })

  const open = async (map, options) => {
    const db = new PmemLevel(location, { map, ...options })
    await db.open()
    return db
  }

  const cause = code => error => error.code === 'LEVEL_DATABASE_NOT_OPEN' && error.cause.code === code

  function worker (body) {
    return new Worker(`
      const { parentPort, workerData: location } = require('node:worker_threads')
      const { PmemLevel } = require(${JSON.stringify(require.resolve('..'))})
      async function main () { ${body} }
      main()`, { eval: true, workerData: location })
  }

  it('have keys of their own, and the pool is open as long as one is', async () => {
    const [a, b] = [await open('a'), await open('b')]
    assert.deepStrictEqual([a.map, b.map], ['a', 'b'])
    await a.put('key', 'of a')
    await b.put('key', 'of b')
    await a.close()
    assert.strictEqual(b.getSync('key'), 'of b')
    assert.throws(() => Pool.open(location), { code: 'PMEMOBJ_IN_USE' })
    await b.put('more', '1')
    await b.close()
    const pool = Pool.open(location)
    assert.deepStrictEqual(pool.maps(), ['a', 'b'])
    pool.close()
    const again = await open('a', { createIfMissing: false })
    assert.deepStrictEqual(await again.iterator().all(), [['key', 'of a']])
    await again.close()
  })

  it('find each other by every name of the pool', async () => {
    const a = await open('a')
    const link = path.join(folder, `${count++}`)
    fs.symlinkSync(location, link)
    const b = new PmemLevel(path.relative(process.cwd(), link), { map: 'b' })
    await b.put('key', 'of b')
    await assert.rejects(new PmemLevel(link, { map: 'a' }).open(), cause('LEVEL_LOCKED'))
    await Promise.all([a.close(), b.close()])
  })

  it('are in the map level where none is named', async () => {
    const plain = new PmemLevel(location)
    await plain.put('key', 'plain')
    const other = await open('other')
    await assert.rejects(open('level'), cause('LEVEL_LOCKED'))
    await Promise.all([plain.close(), other.close()])
    const same = await open('level')
    assert.strictEqual(same.getSync('key'), 'plain')
    await same.close()
  })

  it('have any names that maps may have', async () => {
    const names = ['__proto__', 'constructor', 'ü/../\u{1f998}', ' ', 'x'.repeat(255)]
    const levels = await Promise.all(names.map(name => open(name)))
    await Promise.all(levels.map((level, i) => level.put('name', names[i])))
    for (const [i, level] of levels.entries()) assert.deepStrictEqual(await level.iterator().all(), [['name', names[i]]])
    await Promise.all(levels.map(level => level.close()))
    for (const wrong of ['', 3, null]) assert.throws(() => new PmemLevel(location, { map: wrong }), TypeError)
    for (const wrong of ['\0undo', 'x'.repeat(256)]) await assert.rejects(open(wrong), cause('LEVEL_PMEM_INVALID'))
    Pool.open(location).close()
  })

  it('are there, or not, each for itself', async () => {
    const a = await open('a', { errorIfExists: true })
    await assert.rejects(open('b', { createIfMissing: false }), cause('LEVEL_PMEM_NOT_FOUND'))
    const b = await open('b', { errorIfExists: true })
    await b.close()
    await assert.rejects(open('b', { errorIfExists: true }), cause('LEVEL_PMEM_EXISTS'))
    await assert.rejects(open('c', { durability: 'relaxed' }), cause('LEVEL_PMEM_INVALID'))
    await a.close()
    Pool.open(location).close()
  })

  it('are dropped one by one, and the pool when it is empty', async () => {
    const [a, b] = [await open('a'), await open('b')]
    await a.batch(Array.from({ length: 1000 }, (_, i) => ({ type: 'put', key: `${i}`, value: 'x'.repeat(500) })))
    await b.put('key', 'of b')
    const { used } = b.stats()
    await assert.rejects(PmemLevel.destroy(location, { map: 'a' }), { code: 'LEVEL_LOCKED' })
    await a.close()
    await PmemLevel.destroy(location, { map: 'a' })
    await PmemLevel.destroy(location, { map: 'a' })
    await assert.rejects(PmemLevel.destroy(location, { ifEmpty: true }), { code: 'LEVEL_LOCKED' })
    await b.close()
    await PmemLevel.destroy(location, { ifEmpty: true })
    const again = await open('b')
    assert.strictEqual(again.getSync('key'), 'of b')
    assert.ok(again.stats().used < used - 400_000)
    await again.close()
    await PmemLevel.destroy(location, { map: 'b' })
    await PmemLevel.destroy(location, { ifEmpty: true })
    assert.strictEqual(fs.existsSync(location), false)
    await PmemLevel.destroy(location, { map: 'b' })
  })

  it('are not dropped while another thread has them', async () => {
    const a = await open('a')
    const other = worker(`
      const [a, b] = ['a', 'b'].map(map => new PmemLevel(location, { map }))
      await a.put('by', 'worker')
      await b.put('by', 'worker')
      parentPort.once('message', () => Promise.all([a.close(), b.close()]))
      parentPort.postMessage('open')`)
    await once(other, 'message')
    assert.strictEqual(a.getSync('by'), 'worker')
    await a.close()
    for (const map of ['a', 'b']) await assert.rejects(PmemLevel.destroy(location, { map }), { code: 'LEVEL_LOCKED' })
    const again = await open('a')
    assert.strictEqual(again.getSync('by'), 'worker')
    await again.close()
    other.postMessage('close')
    await once(other, 'exit')
    for (const map of ['a', 'b']) await PmemLevel.destroy(location, { map })
    const pool = Pool.open(location)
    assert.deepStrictEqual(pool.maps(), [])
    pool.close()
  })

  it('are backed up one by one, into pools of their own', async () => {
    const [a, b] = [await open('a'), await open('b')]
    await a.put('key', 'of a')
    await b.put('key', 'of b')
    const elsewhere = path.join(folder, `${count++}`)
    await PmemLevel.restore(elsewhere, a.backup())
    const copy = new PmemLevel(elsewhere)
    assert.deepStrictEqual(await copy.iterator().all(), [['key', 'of a']])
    await Promise.all([a.close(), b.close(), copy.close()])
  })
})
