'use strict'

const assert = require('node:assert')
const { inspect } = require('node:util')
const { temporaryPools } = require('./temporary-pools')

describe('what is refused, in words', () => {
  const pools = temporaryPools()
  let pool
  beforeEach(() => { pool = pools.create({ list: [], object: {}, map: new Map(), date: new Date(0) }) })

  it('advises to register a class only where that would do', () => {
    class Point {}
    assert.throws(() => { pool.root.at = new Point() }, { name: 'TypeError', message: 'An instance of Point (which is not registered) cannot be kept in a pool' })
    assert.throws(() => { pool.root.at = new Error('no') }, { name: 'TypeError', message: 'An instance of Error cannot be kept in a pool' })
    assert.throws(() => { pool.root.at = { last: new RangeError('no') } }, { name: 'TypeError', message: 'An instance of RangeError cannot be kept in a pool, as .last' })
    assert.throws(() => pool.register(RegExp), { name: 'TypeError', message: 'The class RegExp cannot be registered: instances of RegExp are more than their properties' })
  })

  it('says that prototypes stay', () => {
    const message = 'The prototype of what is in a pool cannot be changed'
    assert.throws(() => Object.setPrototypeOf(pool.root.object, null), { name: 'TypeError', message })
    assert.throws(() => Object.setPrototypeOf(pool.root.list, null), { name: 'TypeError', message })
    assert.strictEqual(Object.setPrototypeOf(pool.root.list, Array.prototype), pool.root.list)
  })

  it('is none where something of a closed pool is only shown', () => {
    const { root } = pool
    const all = [root, root.list, root.map]
    pool.close()
    for (const object of all) {
      assert.throws(() => Object.keys(object).length + object.size, { code: 'PMEMOBJ_CLOSED' })
      assert.match(inspect({ object }), /of a closed pool/)
    }
  })
})
