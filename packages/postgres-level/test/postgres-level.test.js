'use strict'

const assert = require('node:assert')
const { readFileSync } = require('node:fs')
const path = require('node:path')
const { inspect } = require('node:util')
const { PostgresLevel } = require('..')
const { makeStatements } = require('../lib/statements')
const { withServer } = require('./server')

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' }

describe('postgres-level', () => {
  const context = withServer()

  it('says in its README every statement that it sends', () => {
    const statements = makeStatements('potoroo')
    const texts = Object.values(statements).flatMap(each => typeof each === 'function' ? each(30_000, 30_000) : each).map(({ text }) => text)
    const [, block] = /** @type {RegExpExecArray} */ (/^```sql\n([\s\S]*?)^```$/m.exec(readFileSync(path.join(__dirname, '../README.md'), 'utf8')))
    assert.deepStrictEqual(block.trim().split('\n'), texts)
  })

  it('needs a URL, and never repeats its password', () => {
    for (const location of ['', 'people', 'http://me:secret@host/db', 'postgres:secret']) {
      assert.throws(() => new PostgresLevel(location), error => error instanceof TypeError && !error.message.includes('secret'))
    }
    assert.throws(() => new PostgresLevel(context.server.url, { prefix: 'a; DROP' }), TypeError)
    const level = new PostgresLevel('postgres://me:secret@127.0.0.1:1/db?sslmode=disable')
    assert.strictEqual(level.location, 'postgres://me@127.0.0.1:1/db')
    assert.ok(!inspect(level, { depth: 9, showHidden: true }).includes('secret'))
    return assert.rejects(level.open(), error => error.cause.code === 'LEVEL_UNAVAILABLE' && !inspect(error.cause.message).includes('secret'))
  })

  it('is opened by several at the same time where there are no tables', async () => {
    const levels = await Promise.all(Array.from({ length: 8 }, () => context.open({ prefix: 'together' })))
    await Promise.all(levels.map((level, i) => level.put(`k${i}`, 'x')))
    assert.strictEqual((await levels[0].keys().all()).length, 8)
  })

  it('keeps keys of any length in the order of their bytes', async () => {
    const level = await context.open()
    const begin = Buffer.alloc(2000, 'p')
    const keys = [Buffer.from('a'), Buffer.alloc(1999, 'p'), begin]
    for (let i = 0; i < 300; i++) keys.push(Buffer.concat([begin, Buffer.from([i >> 1, i & 1 ? 9 : 200]), Buffer.alloc(i % 7, i)]))
    keys.push(Buffer.alloc(20_000, 'q'), Buffer.from('z'))
    const order = [...keys].sort(Buffer.compare)
    await level.batch(keys.map(key => ({ type: 'put', key, value: key.subarray(-3) })), BYTES)
    const read = options => level.keys({ ...BYTES, ...options }).all()
    assert.deepStrictEqual(await read(), order)
    assert.deepStrictEqual(await read({ reverse: true }), [...order].reverse())
    for (const at of [1, 2, 3, 4, 100, 250, order.length - 2]) {
      assert.deepStrictEqual(await read({ gt: order[at] }), order.slice(at + 1))
      assert.deepStrictEqual(await read({ lt: order[at], reverse: true }), order.slice(0, at).reverse())
      assert.deepStrictEqual(await read({ gte: order[at], limit: 5 }), order.slice(at, at + 5))
      assert.deepStrictEqual(await level.get(order[at], BYTES), order[at].subarray(-3))
    }
    await level.clear({ ...BYTES, gte: order[5], lt: order[100] })
    assert.deepStrictEqual(await read(), [...order.slice(0, 5), ...order.slice(100)])
  })

  it('keeps values of 64 MiB', async () => {
    const level = await context.open()
    const value = Buffer.alloc(64 * 1024 * 1024, 'v')
    await level.put('large', value, { valueEncoding: 'buffer' })
    assert.ok(value.equals(await level.get('large', { valueEncoding: 'buffer' })))
  })

  it('writes batches of many statements all or not', async () => {
    const level = await context.open()
    const count = 45_000
    await level.batch(Array.from({ length: count }, (_, i) => ({ type: 'put', key: `k${i}`, value: `${i}` })))
    assert.strictEqual((await level.keys().all()).length, count)
    await level.clear()
    assert.deepStrictEqual(await level.keys().all(), [])
  })

  it('does writes of a key in the order of their calls', async () => {
    const level = await context.open()
    await Promise.all(Array.from({ length: 50 }, (_, i) => level.put('a', String(i))))
    assert.strictEqual(await level.get('a'), '49')
    const [cleared] = [level.clear(), level.put('b', '1')]
    await cleared
    assert.deepStrictEqual(await level.keys().all(), ['b'])
  })

  it('asks the engine nothing for a snapshot that is not read', async () => {
    const level = await context.open({ maxSnapshots: 1, connectTimeout: 300 })
    const snapshots = Array.from({ length: 50 }, () => level.snapshot())
    await Promise.all(snapshots.map(snapshot => snapshot.close()))
    assert.strictEqual(context.server.query("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"), '0')
  })

  it('lets snapshots that were taken between two writes share a connection', async () => {
    const level = await context.open({ maxSnapshots: 1, connectTimeout: 2000 })
    await level.put('a', '1')
    const snapshots = Array.from({ length: 20 }, () => level.snapshot())
    await level.put('a', '2')
    for (const snapshot of snapshots) assert.strictEqual(await level.get('a', { snapshot }), '1')
    await Promise.all(snapshots.map(snapshot => snapshot.close()))
    assert.strictEqual(await level.get('a'), '2')
  })
})
