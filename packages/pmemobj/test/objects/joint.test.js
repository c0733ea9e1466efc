'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const fs = require('node:fs')
const { Pool, OrderedMap } = require('../..')
const binding = require('../../lib/binding/binding')
const { MAPS } = require('../../lib/objects/record/layout')
const { temporaryPools } = require('./temporary-pools')
const { startWorker } = require('../worker')

/** Makes a call of the addon fail once; `when` says of which arguments. */
function failing (name, code, when, work) {
  const usual = binding[name]
  binding[name] = (...args) => {
    if (!when(...args)) return usual(...args)
    binding[name] = usual
    throw Object.assign(new Error('planted'), { code })
  }
  try {
    return work()
  } finally {
    binding[name] = usual
  }
}

describe('a transaction over several pools', () => {
  const pools = temporaryPools()
  const pair = options => [pools.create({ n: 1, list: [] }, options), pools.create({ n: 2, list: [] }, options)]
  const no = () => { throw new RangeError('no') }
  const numbers = (...all) => all.map(pool => pool.root.n)
  const handleOf = pool => Pool.handleOf(pool)

  it('changes all of them, objects and maps', () => {
    const [a, b] = pair()
    const map = b.map('log')
    const given = Pool.transaction([a, b], () => {
      a.root.n = 10
      a.root.list.push({ big: 'x'.repeat(1000) })
      b.root.n = 20
      b.root.list.push(new Map([['k', new Date(5)]]))
      map.put('key', 'value')
      map.del('other')
      return 'given'
    })
    assert.strictEqual(given, 'given')
    const [again, other] = [pools.reopen(a), pools.reopen(b)]
    assert.deepStrictEqual([...numbers(again, other), again.root.list[0].big.length, other.root.list[0].get('k').getTime()], [10, 20, 1000, 5])
    assert.strictEqual(other.map('log').get('key', { encoding: 'utf8' }), 'value')
  })

  it('that throws changes none', () => {
    const [a, b] = pair()
    assert.throws(() => Pool.transaction([a, b], () => { a.root.n = 10; b.root.n = 20; no() }), RangeError)
    assert.deepStrictEqual(numbers(a, b), [1, 2])
    assert.deepStrictEqual(numbers(pools.reopen(a), pools.reopen(b)), [1, 2])
  })

  it('is an ordinary one where one of them has changed, or none has', () => {
    const [a, b] = pair()
    Pool.transaction([a, b], () => { b.root.n = 20 })
    Pool.transaction([a, a], () => { a.root.n = 10 })
    assert.strictEqual(Pool.transaction([a, b], () => a.root.n + b.root.n), 30)
    assert.deepStrictEqual([a, b].map(pool => binding.findMap(handleOf(pool), MAPS.joint)), [undefined, undefined])
    assert.deepStrictEqual(numbers(pools.reopen(a), pools.reopen(b)), [10, 20])
  })

  it('takes three pools', () => {
    const [a, b] = pair()
    const c = pools.create({ n: 3 })
    Pool.transaction([a, b, c], () => { for (const pool of [a, b, c]) pool.root.n *= 10 })
    assert.deepStrictEqual(numbers(...[a, b, c].map(pools.reopen)), [10, 20, 30])
  })

  it('takes one inside of it along, in one pool or in them all, which may fail alone', () => {
    const [a, b] = pair()
    Pool.transaction([a, b], () => {
      b.transaction(() => { b.root.n = 20 })
      Pool.transaction([b, a], () => { a.root.n = 10 })
      assert.throws(() => Pool.transaction([a, b], () => { a.root.n = 11; b.root.n = 21; no() }), RangeError)
      assert.deepStrictEqual(numbers(a, b), [10, 20])
    })
    assert.deepStrictEqual(numbers(pools.reopen(a), pools.reopen(b)), [10, 20])
  })

  it('is refused in one of fewer pools, which goes on', () => {
    const [a, b] = pair()
    a.transaction(() => {
      a.root.n = 10
      assert.throws(() => Pool.transaction([a, b], () => {}), { code: 'PMEMOBJ_IN_TRANSACTION' })
    })
    assert.deepStrictEqual(numbers(a, b), [10, 2])
  })

  it('takes no async function, no pool that is none, and no closed one', () => {
    const [a, b] = pair()
    assert.throws(() => Pool.transaction([a, b], async () => {}), TypeError)
    assert.throws(() => Pool.transaction([a, b], () => Promise.resolve()), TypeError)
    assert.throws(() => Pool.transaction([], () => {}), TypeError)
    assert.throws(() => Pool.transaction([a, {}], () => {}), TypeError)
    b.close()
    assert.throws(() => Pool.transaction([a, b], () => { a.root.n = 10 }), { code: 'PMEMOBJ_CLOSED' })
    assert.deepStrictEqual(numbers(a), [1])
    a.root.n = 5
    assert.deepStrictEqual(numbers(pools.reopen(a)), [5])
  })

  it('has bytes of buffers in one of them', () => {
    const [a, b] = pair()
    for (const pool of [a, b]) pool.root.bytes = new Uint8Array([1, 2])
    const change = pool => { pool.root.bytes.buffer.snapshot(); pool.root.bytes[0]++; pool.root.n++ }
    Pool.transaction([a, b], () => { a.root.n++; change(b) })
    assert.throws(() => Pool.transaction([a, b], () => { change(a); change(b) }), { code: 'PMEMOBJ_INVALID' })
    for (const pool of [a, b].map(pools.reopen)) assert.deepStrictEqual([pool.root.n, pool.root.bytes[0]], pool.path === a.path ? [2, 1] : [3, 2])
  })

  it('tells those that watch', async () => {
    const [a, b] = pair()
    const told = new Promise(resolve => {
      const seen = []
      for (const pool of [a, b]) pool.watch(pool.root, ({ changes }) => seen.push(changes[0].keys[0]) === 2 && resolve(seen))
    })
    Pool.transaction([a, b], () => { a.root.n = 10; b.root.n = 20 })
    assert.deepStrictEqual(await told, ['n', 'n'])
  })

  it('leaves no notes of transactions behind', () => {
    const [a, b] = pair()
    for (let i = 0; i < 10; i++) Pool.transaction([a, b], () => { a.root.n++; b.root.n++ })
    a.close()
    const again = pools.open(a.path)
    const handle = handleOf(again)
    const notes = new OrderedMap(handle, binding.findMap(handle, MAPS.joint), MAPS.joint)
    assert.deepStrictEqual(notes.iterator().nextv(10).filter((_, i) => i % 2 === 0), ['pool'])
  })

  it('that a pool has no room for has changed none', () => {
    const a = pools.create({ n: 1 })
    const b = pools.create({ n: 2 }, { size: 8 * 2 ** 20, maxSize: 0 })
    const tooMuch = () => { a.root.n++; b.root.much = Array.from({ length: 20 }, () => 'x'.repeat(2 ** 20)) }
    assert.throws(() => Pool.transaction([a, b], tooMuch), { code: 'PMEMOBJ_NO_SPACE' })
    assert.throws(() => Pool.transaction([b, a], tooMuch), { code: 'PMEMOBJ_NO_SPACE' })
    assert.deepStrictEqual([...numbers(a, b), b.root.much], [1, 2, undefined])
    Pool.transaction([a, b], () => { a.root.n = 10; b.root.n = 20 })
    assert.deepStrictEqual(numbers(pools.reopen(a), pools.reopen(b)), [10, 20])
  })

  describe('of which a part could not be brought in', () => {
    /** @returns {any[]} both pools, of which the second is closed, in doubt */
    const inDoubt = () => {
      const [a, b] = pair()
      const own = handleOf(b)
      assert.throws(() => failing('commit', 'PMEMOBJ_NO_SPACE', handle => handle === own, () => {
        Pool.transaction([a, b], () => { a.root.n = 10; b.root.n = 20; b.map('new').put('k', 'v') })
      }), { code: 'PMEMOBJ_IN_DOUBT', message: /is done, except that .* closed/ })
      assert.deepStrictEqual([a.closed, b.closed, a.root.n], [false, true, 10])
      return [a, b]
    }

    it('has it when the pool is opened again', () => {
      const [a, b] = inDoubt()
      const again = pools.open(b.path)
      assert.deepStrictEqual([...numbers(a, again), again.map('new').has('k')], [10, 20, true])
      Pool.transaction([a, again], () => { a.root.n++; again.root.n++ })
      assert.deepStrictEqual(numbers(pools.reopen(a), pools.reopen(again)), [11, 21])
    })

    it('tells why it could not bring it in, and brings it in though the other cannot forget it', () => {
      const [, b] = inDoubt()
      assert.throws(() => failing('commit', 'PMEMOBJ_NO_SPACE', () => true, () => pools.open(b.path)), { code: 'PMEMOBJ_NO_SPACE', message: 'planted' })
      const again = failing('del', 'PMEMOBJ_IO', () => true, () => pools.open(b.path))
      assert.deepStrictEqual(numbers(again), [20])
    })

    it('has it where the other pool was moved, and is given by its path, or opened', () => {
      const [a, b] = inDoubt()
      a.close()
      const moved = [`${a.path}-moved`, `${b.path}-moved`]
      ;[a, b].forEach((pool, i) => fs.cpSync(pool.path, moved[i], { recursive: true }))
      fs.renameSync(a.path, `${a.path}-away`)
      assert.throws(() => pools.open(b.path), { code: 'PMEMOBJ_IN_DOUBT', message: /does not exist/ })
      assert.throws(() => Pool.open(b.path, { coordinator: b.path }), { code: 'PMEMOBJ_IN_DOUBT' })
      const byPath = Pool.open(b.path, { coordinator: `${a.path}-away` })
      assert.deepStrictEqual(numbers(byPath), [20])
      byPath.close()
      const other = pools.open(moved[0])
      assert.throws(() => Pool.open(moved[1], { coordinator: pools.create({}) }), { code: 'PMEMOBJ_IN_DOUBT', message: /another one/ })
      const byPool = Pool.open(moved[1], { coordinator: other })
      assert.deepStrictEqual(numbers(byPool, other), [20, 10])
      byPool.close()
    })

    it('has it never, where its user says that the other pool is lost', () => {
      const [a, b] = inDoubt()
      a.close()
      fs.rmSync(a.path, { recursive: true })
      assert.throws(() => pools.open(b.path), { code: 'PMEMOBJ_IN_DOUBT' })
      const again = Pool.open(b.path, { coordinator: false })
      assert.deepStrictEqual([...numbers(again), again.map('new').has('k')], [2, false])
      again.close()
      assert.deepStrictEqual(numbers(pools.open(b.path)), [2])
    })

    it('can be read before as it was, and be destroyed', () => {
      const [a, b] = inDoubt()
      const reader = Pool.open(b.path, { readOnly: true })
      assert.deepStrictEqual(reader.maps(), ['new'])
      assert.strictEqual(reader.map('new').has('k'), false)
      reader.close()
      a.close()
      fs.rmSync(a.path, { recursive: true })
      assert.strictEqual(Pool.destroy(b.path), true)
    })
  })

  it('has the pool that others ask known durably before they note it, in relaxed pools too', () => {
    const [a, b] = pair({ durability: 'relaxed' })
    const flushed = []
    const { flush } = binding
    binding.flush = pool => {
      flushed.push(pool)
      return flush(pool)
    }
    try {
      Pool.transaction([a, b], () => { a.root.n = 10; b.root.n = 20 })
    } finally {
      binding.flush = flush
    }
    assert.deepStrictEqual(flushed.slice(0, 3).map(pool => pool === handleOf(a)), [true, false, false])
  })

  it('tells all pools that could not bring in their part', () => {
    const [a, b] = pair()
    const c = pools.create({ n: 3 })
    const usual = binding.commit
    let commits = 0
    binding.commit = (...args) => {
      if (args[0] !== handleOf(a) && ++commits <= 2) throw Object.assign(new Error('planted'), { code: 'PMEMOBJ_IO' })
      return usual(...args)
    }
    try {
      assert.throws(() => Pool.transaction([a, b, c], () => { for (const pool of [a, b, c]) pool.root.n = 10 }), error => {
        assert.deepStrictEqual([error.code, error.cause.message, ...[b, c].map(({ path }) => error.message.includes(`${path} (planted)`))], ['PMEMOBJ_IN_DOUBT', 'planted', true, true])
        return true
      })
    } finally {
      binding.commit = usual
    }
    assert.deepStrictEqual([b.closed, c.closed, ...numbers(a, pools.open(b.path), pools.open(c.path))], [true, true, 10, 10, 10])
  })

  it('of which it is not known whether it is done closes both, and the next opening finds out', () => {
    const [a, b] = pair()
    const own = handleOf(a)
    assert.throws(() => failing('commit', 'PMEMOBJ_IO', handle => handle === own, () => {
      Pool.transaction([a, b], () => { a.root.n = 10; b.root.n = 20 })
    }), { code: 'PMEMOBJ_IO' })
    assert.deepStrictEqual([a.closed, b.closed], [true, true])
    assert.deepStrictEqual(numbers(pools.open(b.path), pools.open(a.path)), [2, 1])
  })

  it('is refused where another thread writes one of them, which sees it as a whole in each', async () => {
    const [a, b] = pair()
    const worker = startWorker(`
      const pools = [location, data].map(path => Pool.open(path))
      parentPort.on('message', () => {
        let refused
        for (const pool of pools) pool.refresh()
        try { Pool.transaction(pools, () => { pools[0].root.n = 5 }) } catch (error) { refused = error.code }
        parentPort.postMessage([...pools.map(pool => pool.root.n), refused])
      })`, a.path, b.path)
    const ask = async () => {
      worker.postMessage('read')
      return (await once(worker, 'message'))[0]
    }
    assert.deepStrictEqual(await ask(), [1, 2, 'PMEMOBJ_READ_ONLY'])
    Pool.transaction([a, b], () => { a.root.n = 10; b.root.n = 20 })
    assert.deepStrictEqual(await ask(), [10, 20, 'PMEMOBJ_READ_ONLY'])
    await worker.terminate()
  })
})
