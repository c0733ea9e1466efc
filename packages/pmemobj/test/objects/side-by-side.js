'use strict'

const assert = require('node:assert')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

/**
 * Does the same to a plain value and to a persistent one, and demands that both give the same results and are
 * alike after each step, and after the pool was opened again. All of it in several ways: each step by itself, with
 * the pool opened again after each, in a transaction, in one that throws (nothing happened then), and before the
 * value is attached to the root.
 *
 * @param {string} title
 * @param {() => any} make gives the value, a new one each time
 * @param {...(value: any) => unknown} steps each gets the value
 */
function sideBySide (title, make, ...steps) {
  describe(title, () => {
    const pools = temporaryPools()

    it('step by step', () => {
      const pool = pools.create(make())
      const plain = walk(make(), () => pool.root, steps)
      assertAlike(pools.reopen(pool).root, plain, 'opened again')
    })

    it('opened again after each step', () => {
      let pool = pools.create(make())
      walk(make(), () => pool.root, steps, () => { pool = pools.reopen(pool) })
    })

    it('in a transaction', () => {
      const pool = pools.create(make())
      const plain = pool.transaction(() => walk(make(), () => pool.root, steps))
      assertAlike(pool.root, plain, 'after the transaction')
      assertAlike(pools.reopen(pool).root, plain, 'opened again')
    })

    it('in a transaction that throws', () => {
      const pool = pools.create(make())
      const before = pool.root
      const reason = new Error('all of it goes')
      assert.throws(() => pool.transaction(() => {
        walk(make(), () => pool.root, steps)
        throw reason
      }), error => error === reason)
      assert.strictEqual(pool.root, before)
      assertAlike(pool.root, make(), 'after the transaction')
      assertAlike(pools.reopen(pool).root, make(), 'opened again')
    })

    it('before it is attached', () => {
      const pool = pools.create()
      const loose = pool.create(make())
      const plain = walk(make(), () => loose, steps)
      pool.root = loose
      assert.strictEqual(pool.root, loose)
      assertAlike(pool.root, plain, 'attached')
      assertAlike(pools.reopen(pool).root, plain, 'opened again')
    })
  })
}

/** Does the steps to both, and gives the plain value. */
function walk (plain, persistent, steps, afterEach = () => {}) {
  assertAlike(persistent(), plain, 'at first')
  for (const [number, step] of steps.entries()) {
    const expected = outcomeOf(step, plain)
    const actual = outcomeOf(step, persistent())
    assertAlike(actual, expected, `what step ${number} gives`)
    afterEach()
    assertAlike(persistent(), plain, `after step ${number}`)
  }
  return plain
}

/** Gives what a step returns or throws; of errors only the kind, for their words may differ. */
function outcomeOf (step, value) {
  try {
    const returned = step(value)
    return returned === value ? { returned: 'itself' } : { returned }
  } catch (error) {
    if (error.code !== undefined) throw error
    return { threw: error.name }
  }
}

module.exports = { sideBySide }
