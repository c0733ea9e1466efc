'use strict'

const assert = require('node:assert')
const { setImmediate: nextTurn } = require('node:timers/promises')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

const bank = () => ({ accounts: { a: { money: 100 }, b: { money: 0 } }, log: [] })

describe('pool.transaction', () => {
  const pools = temporaryPools()

  it('keeps all that its function did', () => {
    const pool = pools.create(bank())
    const { a, b } = pool.root.accounts
    pool.transaction(() => {
      a.money -= 50
      b.money += 50
      pool.root.log.push({ amount: 50 })
    })
    const after = { accounts: { a: { money: 50 }, b: { money: 50 } }, log: [{ amount: 50 }] }
    assertAlike(pool.root, after)
    assertAlike(pools.reopen(pool).root, after)
  })

  it('undoes all that its function did when it throws, and throws the very same', () => {
    const pool = pools.create(bank())
    const { root } = pool
    const { a, b } = root.accounts
    for (const reason of [new Error('overdrawn'), 'a string', undefined, null, 7, { code: 'X' }]) {
      let thrown = 'nothing'
      try {
        pool.transaction(() => {
          a.money -= 500
          b.money += 500
          b.new = { deep: [a] }
          delete root.accounts.a
          root.log.push(1, 2, 3)
          root.log.length = 1
          throw reason
        })
      } catch (error) {
        thrown = error
      }
      assert.strictEqual(thrown, reason)
      assertAlike(root, bank())
      assert.strictEqual(root.accounts.a, a)
    }
    assertAlike(pools.reopen(pool).root, bank())
  })

  it('gives what its function gives', () => {
    const pool = pools.create(bank())
    for (const value of [undefined, null, 0, 'text', 1n, pool.root, pool.root.log, Symbol.iterator, Math.max]) {
      assert.strictEqual(pool.transaction(() => value), value)
    }
    const plain = { of: 'nobody' }
    assert.strictEqual(pool.transaction(() => plain), plain)
    assert.strictEqual(pool.transaction(() => { pool.root.log.push(1) }), undefined)
    assert.strictEqual(pool.transaction(() => (pool.root.accounts.c = pool.create({ n: 1 }))), pool.root.accounts.c)
  })

  it('sees within what it wrote', () => {
    const pool = pools.create(bank())
    pool.transaction(() => {
      pool.root.accounts.c = { money: 1 }
      assert.strictEqual(pool.root.accounts.c.money, 1)
      pool.root.accounts.c.money++
      assert.strictEqual(pool.root.accounts.c.money, 2)
      assert.deepStrictEqual(Object.keys(pool.root.accounts), ['a', 'b', 'c'])
      pool.root.log = pool.root.log.concat([1, 2, 3]).filter(n => n !== 2)
      assertAlike(pool.root.log, [1, 3])
      delete pool.root.accounts
      assert.strictEqual('accounts' in pool.root, false)
    })
    assertAlike(pools.reopen(pool).root, { log: [1, 3] })
  })

  it('may change nothing, and one thing many times', () => {
    const pool = pools.create(bank())
    pool.transaction(() => {})
    pool.transaction(() => pool.root.log.length)
    pool.transaction(() => { for (let i = 0; i < 10_000; i++) pool.root.accounts.a.money = i })
    assert.strictEqual(pools.reopen(pool).root.accounts.a.money, 9999)
  })

  it('calls its function once, without arguments', () => {
    const pool = pools.create()
    const calls = []
    pool.transaction(function (...words) { calls.push(words) })
    assert.deepStrictEqual(calls, [[]])
  })

  it('takes only functions', () => {
    const pool = pools.create()
    for (const value of [undefined, null, 1, 'x', {}, Promise.resolve()]) assert.throws(() => pool.transaction(value), TypeError)
  })

  describe('within another', () => {
    it('joins it', () => {
      const pool = pools.create(bank())
      const result = pool.transaction(() => {
        pool.root.log.push('outer')
        const inner = pool.transaction(() => pool.transaction(() => pool.root.log.push('inner')))
        pool.root.log.push('after')
        return inner
      })
      assert.strictEqual(result, 2)
      assertAlike(pools.reopen(pool).root.log, ['outer', 'inner', 'after'])
    })

    it('undoes only its own changes when it throws and the outer one goes on', () => {
      const pool = pools.create(bank())
      const { a } = pool.root.accounts
      pool.transaction(() => {
        a.money = 1
        pool.root.log.push('outer')
        assert.throws(() => pool.transaction(() => {
          a.money = 2
          a.more = true
          pool.root.log.push('inner')
          pool.root.accounts.c = { money: 3 }
          throw new RangeError('only this')
        }), RangeError)
        assertAlike(a, { money: 1 })
        assertAlike(pool.root.log, ['outer'])
        pool.root.log.push('after')
      })
      const after = { accounts: { a: { money: 1 }, b: { money: 0 } }, log: ['outer', 'after'] }
      assertAlike(pool.root, after)
      assertAlike(pools.reopen(pool).root, after)
    })

    it('goes with the outer one when that throws later', () => {
      const pool = pools.create(bank())
      assert.throws(() => pool.transaction(() => {
        pool.transaction(() => { pool.root.log.push('inner') })
        throw new RangeError('all')
      }), RangeError)
      assertAlike(pool.root, bank())
      assertAlike(pools.reopen(pool).root, bank())
    })

    it('undoes to each level, however deep', () => {
      const pool = pools.create({ list: [] })
      const descend = level => pool.transaction(() => {
        pool.root.list.push(level)
        if (level < 50) {
          try {
            descend(level + 1)
          } catch (error) {
            assert.strictEqual(error.message, `level ${level + 1}`)
          }
        }
        if (level % 2) throw new Error(`level ${level}`)
      })
      descend(0)
      assertAlike(pool.root.list, [0])
      for (const level of [2, 4, 6]) pool.transaction(() => { pool.root.list.push(level); assert.throws(() => descend(level + 1)) })
      assertAlike(pools.reopen(pool).root.list, [0, 2, 4, 6])
    })

    it('an error that the inner function catches itself undoes nothing', () => {
      const pool = pools.create({ list: [] })
      pool.transaction(() => {
        pool.root.list.push(1)
        try {
          pool.root.list.push(2)
          pool.root.list.push(() => {})
        } catch (error) {
          assert.ok(error instanceof TypeError)
        }
        pool.root.list.push(3)
      })
      assertAlike(pools.reopen(pool).root.list, [1, 2, 3])
    })
  })

  describe('of functions that do not end when they return', () => {
    const change = pool => pool.root.log.push(1)
    const later = {
      'an async function': pool => async function () { change(pool) },
      'an async arrow function': pool => async () => { change(pool) },
      'a generator': pool => function * () { change(pool) },
      'an async generator': pool => async function * () { change(pool) },
      'a function that gives a generator': pool => () => { change(pool); return (function * () {})() },
      'a function that gives a promise': pool => () => { change(pool); return Promise.resolve(1) },
      'a function that gives a promise that rejects': pool => () => { change(pool); return Promise.reject(new Error('unheard')) },
      'a function that gives a thenable': pool => () => { change(pool); return { then () {} } },
      'a function that gives a callable thenable': pool => () => { change(pool); return Object.assign(() => {}, { then () {} }) }
    }
    for (const [kind, fn] of Object.entries(later)) {
      it(`${kind} is refused, and nothing has changed`, async () => {
        const pool = pools.create(bank())
        assert.throws(() => pool.transaction(fn(pool)), TypeError)
        assertAlike(pool.root, bank())
        pool.root.log.push('works')
        await nextTurn()
        assertAlike(pools.reopen(pool).root, { ...bank(), log: ['works'] })
      })
    }
  })

  describe('after one that threw', () => {
    it('everything works as before', () => {
      const pool = pools.create(bank())
      for (let i = 0; i < 20; i++) {
        assert.throws(() => pool.transaction(() => { pool.root.log.push({ i }); throw new Error('no') }))
        pool.transaction(() => { pool.root.log.push({ i }) })
        pool.root.accounts.a.money = i
      }
      const after = { accounts: { a: { money: 19 }, b: { money: 0 } }, log: Array.from({ length: 20 }, (_, i) => ({ i })) }
      assertAlike(pool.root, after)
      assertAlike(pools.reopen(pool).root, after)
    })
  })

  describe('of two pools', () => {
    it('are of their own: what one undoes, the other keeps', () => {
      const one = pools.create({ n: 0 })
      const two = pools.create({ n: 0 })
      assert.throws(() => one.transaction(() => {
        one.root.n = 1
        two.transaction(() => { two.root.n = 1 })
        throw new RangeError('only one')
      }), RangeError)
      assertAlike([one.root.n, two.root.n], [0, 1])
      assertAlike([pools.reopen(one).root.n, pools.reopen(two).root.n], [0, 1])
    })
  })
})
