'use strict'

const assert = require('node:assert')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')
const { run } = require('./child')

const MIB = 2 ** 20

describe('writes that do not make their thread wait', () => {
  const folder = temporaryFolder()
  let pool
  let map

  beforeEach(() => {
    pool = Pool.open(folder.next())
    map = pool.map('a')
  })

  afterEach(() => pool.close())

  /** More than a thread waits for. */
  const bigBatch = value => Array.from({ length: 3000 }, (_, i) => ['put', `k${i}`, value.repeat(1000)]).flat()

  it('are done at once on persistent memory, as long as they are small', async function () {
    if (!pool.stats().isPmem) return this.skip()
    assert.strictEqual(map.putAsync('a', '1'), undefined)
    assert.strictEqual(map.batchAsync(['put', 'b', '2', 'del', 'c', undefined]), undefined)
    assert.strictEqual(map.delAsync('c'), undefined)
    assert.strictEqual(pool.writeAsync([map, 'put', 'c', '3']), undefined)
    assert.deepStrictEqual(map.iterator().nextv(9), ['a', '1', 'b', '2', 'c', '3'])
    assert.strictEqual(map.clearAsync({ lt: 'c' }), undefined)
    assert.deepStrictEqual(map.iterator().nextv(9), ['c', '3'])
  })

  it('give a promise where they are big, and the thread goes on', async () => {
    map.put('before', 'x')
    const written = map.batchAsync(bigBatch('1'))
    assert.ok(written instanceof Promise)
    assert.strictEqual(map.get('before'), 'x')
    assert.strictEqual(await written, undefined)
    assert.strictEqual(map.get('k2999'), '1'.repeat(1000))
  })

  it('may be put together bit by bit', async () => {
    map.put('gone', 'x')
    const batch = map.gather()
    batch.put('no', 'x')
    batch.clear()
    const long = Buffer.alloc(3 * MIB, 7)
    for (let i = 0; i < 9000; i++) batch.put(`k${i}`, i % 2 === 0 ? `é\ud800${i}` : Buffer.from([i]))
    batch.put(Buffer.from('long'), long)
    batch.put('', '')
    batch.del('gone')
    const written = batch.writeAsync()
    long.fill(8)
    await written
    assert.deepStrictEqual([map.get('no'), map.get('gone'), map.get(''), map.get('k2')], [undefined, undefined, '', 'é\ufffd2'])
    assert.deepStrictEqual(map.get('k8999', { encoding: 'buffer' }), Buffer.from([8999]))
    assert.deepStrictEqual(map.get('long', { encoding: 'buffer' }), Buffer.alloc(3 * MIB, 7))
    assert.strictEqual(map.getMany(Array.from({ length: 9000 }, (_, i) => `k${i}`)).length, 9000)
    assert.strictEqual(map.gather().writeAsync(), undefined)
    for (const put of [() => batch.put('a', undefined), () => batch.put('a', 1), () => batch.del(1)]) assert.throws(put, TypeError)
  })

  it('keep their order', async () => {
    const names = ['big', 'small', 'batch', 'clear', 'bigger', 'del', 'one']
    const [results, atOnce] = [[], []]
    // A write that finds nothing before it any longer is done when the call returns.
    const note = (name, promise) => promise === undefined ? atOnce.push(name) : promise.then(() => results.push(name))
    const all = [
      note('big', map.batchAsync([...bigBatch('1'), 'put', 'order', 'big'])),
      note('small', map.putAsync('order', 'small')),
      note('batch', map.batchAsync(['put', 'k0', 'batch', 'put', 'k1', 'batch'])),
      note('clear', map.clearAsync({ gte: 'k2', lt: 'l' })),
      note('bigger', map.batchAsync([...bigBatch('2'), 'put', 'k3', 'bigger'])),
      note('del', map.delAsync('k4')),
      note('one', pool.writeAsync([map, 'put', 'last', 'yes']))
    ]
    await Promise.all(all)
    assert.deepStrictEqual(results, names.filter(name => !atOnce.includes(name)))
    assert.ok(!atOnce.includes('big') && !atOnce.includes('bigger'))
    assert.deepStrictEqual(map.getMany(['order', 'k1', 'k3', 'k4', 'last']), ['small', '2'.repeat(1000), 'bigger', undefined, 'yes'])
  })

  it('come before those that wait', async () => {
    const big = map.batchAsync([...bigBatch('1'), 'put', 'order', 'first'])
    map.put('order', 'second')
    assert.strictEqual(map.get('order'), 'second')
    assert.strictEqual(map.get('k7'), '1'.repeat(1000))
    await big
    const again = map.batchAsync(bigBatch('2'))
    map.clear()
    assert.deepStrictEqual(map.iterator().nextv(9), [])
    await again
    assert.deepStrictEqual(map.iterator().nextv(9), [])
  })

  it('have their own copy of what they were given', async () => {
    const value = Buffer.alloc(4 * MIB, 'a')
    const shared = new Uint8Array(new SharedArrayBuffer(2 * MIB)).fill(1)
    const key = Buffer.alloc(10_000, 'k')
    const moved = new Uint8Array(2 * MIB).fill(2)
    const written = map.batchAsync(['put', key, value, 'put', 'shared', shared, 'put', 'moved', moved, 'put', 'text', 't'.repeat(MIB)])
    const expected = Buffer.from(value)
    value.fill('b')
    key.fill('l')
    shared.fill(3)
    structuredClone(moved, { transfer: [moved.buffer] })
    await written
    assert.ok(map.get('k'.repeat(10_000), { encoding: 'buffer' }).equals(expected))
    assert.ok(map.get('shared', { encoding: 'buffer' }).equals(Buffer.alloc(2 * MIB, 1)))
    assert.ok(map.get('moved', { encoding: 'buffer' }).equals(Buffer.alloc(2 * MIB, 2)))
    assert.strictEqual(map.get('text'), 't'.repeat(MIB))
  })

  it('clear long ranges, of the latest commit or a snapshot', async () => {
    await map.batchAsync(bigBatch('1'))
    const snapshot = pool.snapshot()
    map.put('k00', 'younger')
    const cleared = map.clearAsync({ snapshot, lt: 'k2' })
    assert.ok(cleared instanceof Promise)
    snapshot.close()
    await cleared
    assert.deepStrictEqual(map.iterator({ values: false, limit: 3 }).nextv(9), ['k00', 'k2', 'k20'])
    await map.clearAsync({ limit: 500, reverse: true })
    assert.strictEqual(map.iterator({ values: false }).nextv(9999).length, 1 + 1888 - 500)
    await map.clearAsync()
    assert.deepStrictEqual(map.iterator().nextv(9), [])
  })

  it('fail as the others do', async () => {
    const attempt = async action => { await action() }
    const invalid = { code: 'PMEMOBJ_INVALID' }
    const key = 'k'.repeat(32 * 1024 + 1)
    await assert.rejects(attempt(() => map.putAsync(key, '')), invalid)
    await assert.rejects(attempt(() => map.batchAsync([...bigBatch('1'), 'put', key, ''])), invalid)
    assert.strictEqual(map.has('k1'), false)
    assert.throws(() => map.putAsync('a', 1), TypeError)
    assert.throws(() => map.batchAsync(['put']), TypeError)
    assert.throws(() => map.batchAsync([...bigBatch('1'), 'put', 'a', {}]), TypeError)
    assert.throws(() => map.clearAsync({ limit: 'x' }), TypeError)
    assert.throws(() => pool.writeAsync([{}, 'put', 'a', 'b']), TypeError)
    const other = Pool.open(folder.next(), { size: 8 * MIB, maxSize: 0 })
    await assert.rejects(other.map('a').putAsync('a', Buffer.alloc(20 * MIB)), { code: 'PMEMOBJ_NO_SPACE' })
    other.close()
    for (const call of [() => map.putAsync('a', ''), () => map.delAsync('a'), () => map.batchAsync([]), () => map.clearAsync(), () => pool.writeAsync([])]) {
      pool.close()
      assert.throws(call, { code: 'PMEMOBJ_CLOSED' })
    }
  })

  it('are finished by close', async () => {
    const written = [map.batchAsync(bigBatch('1')), map.putAsync('a', 'b')]
    pool.close()
    await Promise.all(written)
    pool = Pool.open(pool.path)
    assert.deepStrictEqual([pool.map('a').get('a'), pool.map('a').get('k9')], ['b', '1'.repeat(1000)])
  })

  it('keep their process going until they are done, and not longer', async () => {
    const output = await run(`
      const map = Pool.open(process.argv[1]).map('a')
      map.putAsync('big', 'x'.repeat(${3 * MIB})).then(() => console.log(map.get('big').length))`, [folder.next()])
    assert.strictEqual(output, `${3 * MIB}\n`)
  })

  it('are dropped, or whole, when their process exits', async () => {
    const location = folder.next()
    await run(`
      const map = Pool.open(process.argv[1]).map('a')
      for (let i = 0; i < 5; i++) map.batchAsync(['put', 'big', 'x'.repeat(${3 * MIB}), 'put', 'n', String(i)])
      process.exit()`, [location])
    const other = Pool.open(location, { createIfMissing: false })
    const [n, big] = other.map('a').getMany(['n', 'big'])
    assert.ok(n === undefined ? big === undefined : big.length === 3 * MIB)
    other.close()
  })
})
