'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const { inspect } = require('node:util')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

class PaymentError extends RangeError {
  constructor (message, account) {
    super(message)
    this.name = 'PaymentError'
    this.account = account
  }

  get where () { return `account ${this.account}` }
}

const OWN = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]

describe('errors in a pool', () => {
  const pools = temporaryPools()

  for (const Kind of OWN) {
    it(`${Kind.name}: message, stack, cause and own properties are there again`, () => {
      const plain = Object.assign(new Kind('no', { cause: { deep: new Kind('inner') } }), { code: 'E_NO', details: [1] })
      const { root } = pools.reopen(pools.create(plain))
      assert.ok(root instanceof Kind && Object.getPrototypeOf(root) === Kind.prototype)
      assert.deepStrictEqual([root.name, root.message, root.stack, String(root)], [Kind.name, 'no', plain.stack, String(plain)])
      assert.ok(root.cause.deep instanceof Kind && root.cause.deep.message === 'inner')
      assert.deepStrictEqual([root.code, [...root.details]], ['E_NO', [1]])
      assert.deepStrictEqual(Reflect.ownKeys(root), Reflect.ownKeys(plain))
      assert.deepStrictEqual(Object.keys(root), ['code', 'details'])
      assert.strictEqual(Object.prototype.toString.call(root), '[object Error]')
      assert.strictEqual(JSON.stringify(root), JSON.stringify(plain))
      assert.deepStrictEqual(root, plain)
      assert.deepStrictEqual(plain, root)
    })
  }

  it('AggregateError has its errors, one of which is elsewhere, too', () => {
    const one = new Error('one')
    const { root } = pools.reopen(pools.create({ one, all: new AggregateError([one, new TypeError('two')], 'both') }))
    assert.ok(root.all instanceof AggregateError)
    assert.strictEqual(root.all.errors[0], root.one)
    assert.strictEqual(root.all.errors[1].message, 'two')
    assert.deepStrictEqual(Object.keys(root.all), [])
  })

  it('those of Node.js have their codes', () => {
    let missing, odd
    try { fs.readFileSync('/no/such/file') } catch (error) { missing = error }
    try { fs.readFileSync(1.5) } catch (error) { odd = error }
    const { root } = pools.reopen(pools.create({ missing, odd }))
    assert.deepStrictEqual({ ...root.missing }, { ...missing })
    assert.strictEqual(root.missing.code, 'ENOENT')
    assert.strictEqual(root.odd.code, odd.code)
  })

  it('those of a registered class have its prototype', () => {
    const pool = pools.create()
    pool.register(PaymentError)
    pool.root = new PaymentError('too much', 7)
    const again = pools.reopen(pool)
    // Not registered yet: it is shown nevertheless, with the name of its class.
    assert.match(inspect(again.root), /PaymentError: too much/)
    assert.throws(() => again.root.where, { code: 'PMEMOBJ_INVALID' })
    again.register(PaymentError)
    assert.ok(again.root instanceof PaymentError)
    assert.deepStrictEqual([again.root.where, again.root.name, Object.keys(again.root)], ['account 7', 'PaymentError', ['name', 'account']])
    assert.throws(() => pools.create(new PaymentError('too much', 7)), /see pool.register\(\)/)
  })

  it('change like objects, durably, and with a transaction', () => {
    let pool = pools.create(new Error('first'))
    pool.root.message = 'second'
    pool.root.code = 1
    pool.root.cause = 'the weather'
    assert.throws(() => pool.transaction(() => {
      pool.root.message = 'third'
      delete pool.root.code
      throw new Error('no')
    }), /^Error: no$/)
    pool = pools.reopen(pool)
    assert.deepStrictEqual([pool.root.message, pool.root.code, pool.root.cause], ['second', 1, 'the weather'])
    assert.deepStrictEqual(Object.keys(pool.root), ['code'])
    Object.defineProperty(pool.root, 'message', { value: 'fourth', writable: true, enumerable: false, configurable: true })
    delete pool.root.cause
    pool = pools.reopen(pool)
    assert.deepStrictEqual([pool.root.message, 'cause' in pool.root], ['fourth', false])
  })

  it('keep two hundred properties, and cycles', () => {
    const plain = Object.assign(new Error('many'), Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`name ${i}`, i])))
    plain.cause = plain
    Object.defineProperty(plain, 'cause', { enumerable: false })
    const { root } = pools.reopen(pools.create(plain))
    assert.strictEqual(root.cause, root)
    assert.deepStrictEqual({ ...root }, { ...plain })
  })

  it('are shown like plain ones, and copied to real ones', () => {
    const plain = Object.assign(new RangeError('no', { cause: 'it' }), { code: 1 })
    const pool = pools.reopen(pools.create({ plain }))
    assert.strictEqual(inspect(pool.root), inspect({ plain }))
    const copy = pool.plain(pool.root.plain)
    assertAlike(Object.getOwnPropertyDescriptors(copy).message, Object.getOwnPropertyDescriptors(plain).message)
    assert.strictEqual(structuredClone(copy).message, 'no')
    assert.deepStrictEqual(copy, plain)
  })

  it('are copied from one pool to another', () => {
    const one = pools.create(new RangeError('no'))
    const other = pools.create([one.root])
    assert.ok(other.root[0] instanceof RangeError && other.root[0] !== one.root)
    assert.deepStrictEqual(Object.keys(pools.reopen(other).root[0]), [])
  })
})
