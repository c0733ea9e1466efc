'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { writer } = require('../../lib/objects/record/writer')
const { sideBySide } = require('./side-by-side')
const { temporaryPools } = require('./temporary-pools')

const numbers = count => Array.from({ length: count }, (_, i) => i)
const LONG = 'long '.repeat(100)

sideBySide('an array as a queue', () => numbers(100),
  a => a.shift(),
  a => { for (let i = 0; i < 40; i++) a.shift() },
  a => { for (let i = 0; i < 40; i++) a.push({ i }) },
  a => a.splice(0, 50).length,
  a => { for (let i = 0; i < 200; i++) { a.push(i, LONG); a.shift() } },
  a => { while (a.length > 0) a.shift() },
  a => { a.push(1, 2, 3) },
  a => { a.push(...numbers(50)) },
  a => { a.length = 33 },
  a => { a.length = 32 })

sideBySide('an array that grows at its start', () => [],
  a => a.unshift('first'),
  a => { for (let i = 0; i < 100; i++) a.unshift(i, { i }) },
  a => a.splice(3, 2, 'a', LONG, 'c'),
  a => a.splice(5, 20).length,
  a => { a.unshift(...numbers(500)) },
  a => a.splice(-4, 2, 'near the end'),
  a => { while (a.length > 33) a.pop() },
  a => a.pop(),
  a => a.unshift(1),
  a => { while (a.length > 0) a.pop() },
  a => a.unshift(...numbers(64)))

describe('arrays whose both ends are cheap', () => {
  const pools = temporaryPools()

  it('shift and unshift of a hundred thousand elements write no more than of a thousand', () => {
    for (const count of [1000, 100_000]) {
      const { root } = pools.create(numbers(count))
      root.unshift(0)
      for (let i = 0; i < 200; i++) {
        for (const change of [() => root.shift(), () => root.push(i), () => root.unshift(i), () => root.splice(2, 1)]) {
          change()
          // The bytes of the last commit.
          assert.ok(writer.at < 400, `${writer.at} bytes by ${change}`)
        }
      }
    }
  })

  const value = fc.oneof(fc.integer(), fc.constant(LONG), fc.constant({ an: 'object' }))
  const step = fc.oneof(
    fc.record({ how: fc.constantFrom('push', 'unshift'), items: fc.array(value, { maxLength: 3 }), times: fc.constantFrom(1, 1, 40) }),
    fc.record({ how: fc.constantFrom('pop', 'shift'), items: fc.constant([]), times: fc.constantFrom(1, 3, 50) }),
    fc.record({ how: fc.constant('splice'), items: fc.tuple(fc.nat(100), fc.nat(60), value), times: fc.constant(1) }),
    fc.record({ how: fc.constant('set'), items: fc.tuple(fc.nat(120), value), times: fc.constant(1) }))
  const program = fc.array(fc.record({ way: fc.constantFrom('alone', 'together', 'taken back', 'inner'), steps: fc.array(step, { maxLength: 5 }), reopen: fc.boolean() }), { maxLength: 6 })

  function run (array, steps) {
    for (const { how, items, times } of steps) {
      for (let i = 0; i < times; i++) {
        if (how === 'set') { if (items[0] < array.length) array[items[0]] = items[1] } else array[how](...items)
      }
    }
  }

  function runIn (way, pool, steps) {
    if (way === 'alone') run(pool.root, steps)
    else if (way === 'together') pool.transaction(() => run(pool.root, steps))
    else if (way === 'taken back') assert.throws(() => pool.transaction(() => { run(pool.root, steps); throw new RangeError('no') }), RangeError)
    else {
      pool.transaction(() => {
        run(pool.root, steps)
        assert.throws(() => pool.transaction(() => { run(pool.root, steps); throw new RangeError('no') }), RangeError)
      })
    }
  }

  it('hold what plain ones do, whatever is done at their ends, taken back, and opened again', () => {
    fc.assert(fc.property(fc.nat(120), program, (length, parts) => {
      let pool = pools.create(numbers(length))
      const plain = numbers(length)
      for (const { way, steps, reopen } of parts) {
        runIn(way, pool, steps)
        if (way !== 'taken back') run(plain, steps)
        assert.strictEqual(JSON.stringify(pool.root), JSON.stringify(plain))
        if (reopen) pool = pools.reopen(pool)
      }
      pool.collect()
      pool = pools.reopen(pool)
      assert.strictEqual(JSON.stringify(pool.root), JSON.stringify(plain))
      pool.close()
    }), { numRuns: Number(process.env.PROGRAMS ?? 60) })
  })

  it('give back what was taken from them', () => {
    let pool = pools.create({ queue: numbers(1000).map(i => ({ i, text: LONG })) })
    const { queue } = pool.root
    for (let i = 0; i < 900; i++) { assert.strictEqual(queue.shift().i, i) }
    pool = pools.reopen(pool)
    // The root, the queue, and its elements.
    assert.deepStrictEqual(pool.collect(), { objects: 900, kept: 102 })
    assert.deepStrictEqual(pool.root.queue.map(({ i }) => i), numbers(1000).slice(900))
    assert.strictEqual(JSON.stringify(pools.reopen(pool).root.queue[99]), JSON.stringify({ i: 999, text: LONG }))
  })
})
