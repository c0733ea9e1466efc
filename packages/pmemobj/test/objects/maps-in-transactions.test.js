'use strict'

const assert = require('node:assert')
const { Pool } = require('../..')
const { temporaryFolder } = require('../temporary-folder')
const { run } = require('../child')
const { runWorker } = require('../worker')

describe('maps in a transaction', () => {
  const folder = temporaryFolder()
  const inTransaction = { code: 'PMEMOBJ_IN_TRANSACTION' }
  let location, pool, map, other

  beforeEach(() => {
    location = folder.next()
    open()
    pool.root = { count: 0 }
    map.batch(['put', 'a', '1', 'put', 'b', '2'])
  })

  afterEach(() => pool.close())

  function open () {
    pool = Pool.open(location)
    map = pool.map('map')
    other = pool.map('other')
  }

  const all = map => map.iterator().nextv(100)

  function fails (work, error) {
    assert.throws(() => pool.transaction(work), error)
  }

  it('change with the objects', () => {
    pool.transaction(() => {
      pool.root.count++
      map.put('c', '3')
      map.del('a')
      map.batch(['put', 'b', 'two', 'put', 'd', '4', 'del', 'missing', undefined])
      pool.write([other, 'put', 'x', 'y', map, 'del', 'd', undefined])
    })
    assert.deepStrictEqual(all(map), ['b', 'two', 'c', '3'])
    assert.deepStrictEqual(all(other), ['x', 'y'])
    pool.close()
    open()
    assert.deepStrictEqual([pool.root.count, all(map), all(other)], [1, ['b', 'two', 'c', '3'], ['x', 'y']])
  })

  it('change in one commit', () => {
    const count = () => require('../../lib/binding/binding').epoch(Pool.handleOf(pool))
    const before = count()
    pool.transaction(() => {
      pool.root.count++
      for (let i = 0; i < 100; i++) map.put(`key ${i}`, `value ${i}`)
      other.put('x', 'y')
      assert.strictEqual(count(), before)
    })
    assert.strictEqual(count(), before + 1)
    assert.strictEqual(map.get('key 99'), 'value 99')
  })

  it('change without any object', () => {
    pool.transaction(() => map.put('c', '3'))
    assert.deepStrictEqual(all(map), ['a', '1', 'b', '2', 'c', '3'])
    const fresh = Pool.open(folder.next())
    fresh.transaction(() => fresh.map('map').put('a', '1'))
    assert.strictEqual(fresh.map('map').get('a'), '1')
    fresh.close()
  })

  it('are left as they were by one that throws', () => {
    fails(() => {
      pool.root.count++
      map.put('a', 'x')
      map.del('b')
      pool.write([other, 'put', 'x', 'y'])
      throw new Error('no')
    }, /^Error: no$/)
    assert.deepStrictEqual([pool.root.count, all(map), all(other)], [0, ['a', '1', 'b', '2'], []])
    map.put('c', '3')
    assert.deepStrictEqual(all(map), ['a', '1', 'b', '2', 'c', '3'])
    pool.transaction(() => map.put('d', '4'))
    assert.strictEqual(map.get('d'), '4')
  })

  it('are read as the transaction has left them', () => {
    const binary = Buffer.from([0, 255, 128])
    pool.transaction(() => {
      map.put('a', 'ä')
      map.put(binary, binary)
      map.del('b')
      assert.strictEqual(map.get('a'), 'ä')
      assert.strictEqual(map.get(Buffer.from('a')), 'ä')
      assert.ok(map.get('a', { encoding: 'buffer' }).equals(Buffer.from('ä')))
      const view = map.get(binary, { encoding: 'view' })
      assert.deepStrictEqual([view.constructor, [...view]], [Uint8Array, [...binary]])
      assert.ok(Buffer.isBuffer(map.get(binary, { encoding: 'buffer' })))
      assert.deepStrictEqual([map.get('b'), map.has('b'), map.has('a'), map.has(binary)], [undefined, false, true, true])
      map.put('c', '3')
      assert.deepStrictEqual(map.getMany(['a', 'b', 'c', 'x']), ['ä', undefined, '3', undefined])
      assert.deepStrictEqual(map.getMany(['b', 'c'], { encoding: 'buffer' }), [undefined, Buffer.from('3')])
      assert.deepStrictEqual(map.hasMany(['a', 'b', 'c', 'x']), [true, false, true, false])
      const many = Array.from({ length: 2500 }, (_, i) => i === 2400 ? 'c' : 'x')
      assert.strictEqual(map.getMany(many)[2400], '3')
      map.put('b', '')
      assert.deepStrictEqual([map.get('b'), map.has('b')], ['', true])
    })
    assert.ok(map.get(binary, { encoding: 'buffer' }).equals(binary))
    assert.strictEqual(map.get('b'), '')
  })

  it('keep what they were given, whatever becomes of it, and do not give it away', () => {
    const [key, value] = [Buffer.from('key'), Buffer.from('value')]
    pool.transaction(() => {
      map.put(key, value)
      key.fill('x')
      value.fill('x')
      map.get('key', { encoding: 'view' }).fill(0)
      map.get('key', { encoding: 'buffer' }).fill(0)
    })
    assert.strictEqual(map.get('key'), 'value')
    assert.strictEqual(map.has('xxx'), false)
  })

  it('lose what a transaction within has done, when that throws', () => {
    pool.transaction(() => {
      map.put('a', 'outer')
      map.put('c', 'outer')
      fails(() => {
        map.put('a', 'inner')
        map.del('b')
        map.del('c')
        other.put('x', 'inner')
        assert.deepStrictEqual(map.getMany(['a', 'b', 'c']), ['inner', undefined, undefined])
        throw new Error('no')
      }, /no/)
      assert.deepStrictEqual(map.getMany(['a', 'b', 'c']), ['outer', '2', 'outer'])
      assert.deepStrictEqual(all(other), [])
      pool.transaction(() => map.put('d', 'inner'))
    })
    assert.deepStrictEqual(all(map), ['a', 'outer', 'b', '2', 'c', 'outer', 'd', 'inner'])
  })

  it('refuse what would not be of the transaction', () => {
    pool.transaction(() => {
      const calls = [
        () => map.clear(), () => map.clearAsync(), () => map.putAsync('a', 'b'), () => map.delAsync('a'), () => map.batchAsync([]),
        () => pool.writeAsync([]), () => pool.dropMap('map')
      ]
      for (const call of calls) assert.throws(call, inTransaction)
      assert.deepStrictEqual(all(map), ['a', '1', 'b', '2'])
      pool.snapshot().close()
      map.put('c', '3')
      for (const call of calls) assert.throws(call, inTransaction)
      assert.throws(() => map.iterator(), inTransaction)
      assert.throws(() => pool.snapshot(), inTransaction)
      assert.deepStrictEqual(all(other), [])
    })
    assert.deepStrictEqual(all(map), ['a', '1', 'b', '2', 'c', '3'])
    map.clear()
    assert.deepStrictEqual(all(map), [])
  })

  it('may be read in an older snapshot', () => {
    const snapshot = pool.snapshot()
    pool.transaction(() => {
      map.put('a', 'new')
      assert.strictEqual(map.get('a', { snapshot }), '1')
      assert.deepStrictEqual(map.getMany(['a'], { snapshot }), ['1'])
      assert.deepStrictEqual(map.hasMany(['a', 'c'], { snapshot }), [true, false])
      assert.deepStrictEqual(map.iterator({ snapshot }).nextv(9), ['a', '1', 'b', '2'])
    })
    snapshot.close()
  })

  it('refuse what they always refuse, at once, and then nothing of it is done', () => {
    const long = 'k'.repeat(2 ** 15 + 1)
    const foreign = Pool.open(folder.next())
    pool.transaction(() => {
      const wrong = [
        () => map.put(1, 'x'), () => map.put('c', 1), () => map.put('c'), () => map.put('c', null), () => map.del(), () => map.get(),
        () => map.batch(['put', 'c', '3', 'put', 'd', 4]), () => map.batch(['put', 'c', '3', 'set', 'd', '4']), () => map.batch(['put', 'c']),
        () => pool.write([map, 'put', 'c', '3', other, 'put', 'd', 4]), () => pool.write([map, 'put', 'c', '3', foreign.map('map'), 'put', 'd', '4']),
        () => pool.write([map, 'put', 'c', '3', {}, 'put', 'd', '4']), () => pool.write([map]), () => pool.write({})
      ]
      for (const call of wrong) assert.throws(call, TypeError, String(call))
      assert.throws(() => map.put(long, 'x'), { code: 'PMEMOBJ_INVALID' })
      assert.strictEqual(map.has('c'), false)
    })
    assert.deepStrictEqual(all(map), ['a', '1', 'b', '2'])
    foreign.close()
  })

  it('are as before when there is no room for all of it', () => {
    const small = Pool.open(folder.next(), { size: '8MiB', maxSize: 0 })
    const map = small.map('map')
    map.put('a', '1')
    const value = Buffer.alloc(2 ** 20)
    assert.throws(() => small.transaction(() => {
      map.put('a', '2')
      for (let i = 0; i < 20; i++) map.put(`big ${i}`, value)
    }), { code: 'PMEMOBJ_NO_SPACE' })
    assert.deepStrictEqual(all(map), ['a', '1'])
    small.transaction(() => map.put('a', '3'))
    assert.strictEqual(map.get('a'), '3')
    small.close()
  })

  it('change all at once, or not at all, when the process is killed', async () => {
    pool.close()
    const output = await run(`
      const pool = Pool.open(process.argv[1])
      const map = pool.map('map')
      pool.transaction(() => { map.put('n', '1'); pool.root.count = 1 })
      pool.transaction(() => {
        map.put('n', '2')
        pool.root.count = 2
        process.stdout.write('killed')
        process.kill(process.pid, 'SIGKILL')
        for (;;);
      })`, [location]).catch(error => error.message)
    assert.match(output, /SIGKILL/)
    open()
    assert.deepStrictEqual([map.get('n'), pool.root.count], ['1', 1])
  })

  it('of threads that do not write the objects are changed as ever, but not in transactions', async () => {
    const script = `
      const pool = Pool.open(location)
      const map = pool.map('map')
      let code
      try { pool.transaction(() => map.put('a', 'x')) } catch (error) { code = error.code }
      map.put('code', code)
      pool.close()`
    assert.strictEqual(await runWorker(script, location), 0)
    assert.deepStrictEqual([map.get('code'), map.get('a')], ['PMEMOBJ_READ_ONLY', '1'])
  })
})
