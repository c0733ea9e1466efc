'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const jspmdk = require('pmemobj/jspmdk')
const { temporaryFolder } = require('./temporary-folder')

const { constants } = jspmdk

describe('the names of JSPMDK', () => {
  const folder = temporaryFolder()
  let location, pool

  beforeEach(() => {
    location = folder.next()
    pool = jspmdk.new_pool(location, constants.MIN_POOL_SIZE)
    pool.create()
  })

  afterEach(() => {
    try { pool.close() } catch {}
  })

  /** The pool as another program finds it. */
  function reopen () {
    pool.close()
    pool = jspmdk.new_pool(location)
    pool.open()
    return pool.root
  }

  it('check() is -1, 0 or 1; create() and open() want the one and the other', () => {
    assert.strictEqual(pool.check(), 1)
    pool.close()
    assert.strictEqual(pool.check(), 1)
    assert.strictEqual(fs.statSync(location).mode & 0o777, 0o600)
    assert.throws(() => pool.create(), { code: 'PMEMOBJ_EXISTS' })
    pool.open()
    assert.throws(() => pool.open(), /already created or opened/)
    const none = jspmdk.new_pool(folder.next())
    assert.strictEqual(none.check(), -1)
    assert.throws(() => none.open(), { code: 'PMEMOBJ_NOT_FOUND' })
    assert.throws(() => none.root, /not opened or already closed/)
    const text = folder.next()
    fs.writeFileSync(text, 'no pool')
    assert.strictEqual(jspmdk.new_pool(text).check(), 0)
  })

  it('a bank: accounts of the root, and a transfer that is whole or not at all', () => {
    pool.root = { accounts: [{ money: 100 }, { money: 0 }] }
    const transfer = amount => pool.transaction(() => {
      const [from, to] = pool.root.accounts
      from.money -= amount
      to.money += amount
      if (from.money < 0) throw new Error('too little')
    })
    transfer(60)
    assert.throws(() => transfer(60), /too little/)
    const { accounts } = reopen()
    assert.deepStrictEqual(accounts.map(({ money }) => money).join(), '40,60')
  })

  it('create_object(): what the root comes to refer to stays, and gc() frees the rest', () => {
    pool.root = {}
    const object = pool.create_object({ a: 1, b: { b: 2 } })
    const array = pool.create_object([1, 2, 3, { a: 1 }])
    assert.ok(object instanceof jspmdk.PersistentObject && object.constructor.name === 'PersistentObject')
    assert.ok(array instanceof jspmdk.PersistentArray && Array.isArray(array))
    assert.deepStrictEqual([object.is_array(), array.is_array(), object.b.is_array()], [false, true, false])
    object.c = { c: 1 }
    object.d = object.c
    delete object.a
    assert.ok('b' in object && !('a' in object) && object.b === object.b && object.d === object.c) // eslint-disable-line no-self-compare
    assert.deepStrictEqual(Object.getOwnPropertyNames(object).sort(), ['b', 'c', 'd'])
    assert.deepStrictEqual([array.push(5), array.pop(), array.pop().a, array.length], [5, 5, 1, 3])
    array.length = 2
    pool.root.object = object
    pool.root.array = array
    pool.gc()
    const root = reopen()
    assert.strictEqual(JSON.stringify(root), '{"object":{"b":{"b":2},"c":{"c":1},"d":{"c":1}},"array":[1,2]}')
    assert.ok(root.object.c === root.object.d)
  })

  it('create_arraybuffer(): flush() and persist(), and snapshot() in a transaction', () => {
    const buffer = pool.create_arraybuffer(new ArrayBuffer(64))
    pool.root = { buffer }
    const bytes = new Uint8Array(buffer)
    bytes[0] = 1
    buffer.flush(0, 1)
    buffer.persist(0, 1)
    pool.root.buffer.persist()
    assert.throws(() => pool.transaction(() => {
      buffer.snapshot(0, 2)
      bytes[0] = 7
      throw new Error('no')
    }), /no/)
    assert.strictEqual(new Uint8Array(reopen().buffer)[0], 1)
  })

  it('tx_begin() and its like: committed, aborted, one in the other', () => {
    const stages = []
    const stage = () => stages.push(pool.tx_stage())
    pool.root = { n: 1 }
    stage()
    pool.tx_begin()
    assert.ok(pool.tx_stage == constants.TX_STAGE_WORK) // eslint-disable-line eqeqeq
    stage()
    pool.root.n = 2
    pool.tx_commit()
    stage()
    pool.tx_end()
    stage()
    pool.tx_begin()
    pool.root.n = 3
    pool.tx_begin()
    pool.root.m = 4
    pool.tx_abort()
    stage()
    pool.tx_end()
    stage()
    assert.throws(() => pool.tx_end(), /neither committed nor aborted/)
    pool.tx_abort()
    pool.tx_end()
    assert.deepStrictEqual(stages, [0, 1, 2, 0, 3, 1])
    assert.strictEqual(JSON.stringify(reopen()), '{"n":2}')
    assert.throws(() => pool.tx_commit(), /no transaction/)
  })

  it('bind(): methods of a class on an object of the pool', () => {
    class Counter {
      add (n) { this.count += n; return this }
      get twice () { return 2 * this.count }
    }
    pool.root = { count: 1 }
    const counter = jspmdk.bind(pool.root, Counter)
    assert.ok(counter instanceof Counter)
    assert.strictEqual(counter.add(4).twice, 10)
    assert.strictEqual(reopen().count, 5)
    assert.throws(() => jspmdk.bind({}, Counter), /can not bind/)
  })
})
