'use strict'

const assert = require('node:assert')
const { inspect } = require('node:util')
const { Pool } = require('../..')
const { temporaryFolder } = require('../temporary-folder')
const { runWorker } = require('../worker')

let constructed = 0

class Account {
  owner
  money = 0

  constructor (owner) {
    constructed++
    this.owner = owner
  }

  static of (owner) { return new Account(owner) }

  get isRich () { return this.money > 1000 }

  get cents () { return this.money * 100 }

  set cents (cents) { this.money = cents / 100 }

  pay (sum, other) {
    this.money -= sum
    other.money += sum
    return this
  }

  * [Symbol.iterator] () { yield * [this.owner, this.money] }

  toJSON () { return { account: this.owner } }
}

class Savings extends Account {
  rate = 0.01

  grow () { return this.pay(-this.money * this.rate, { money: 0 }) }

  get isRich () { return super.isRich && this.rate > 0 }
}

describe('instances of classes in a pool', () => {
  const folder = temporaryFolder()
  let location
  let pool
  beforeEach(() => {
    location = folder.next()
    pool = Pool.create(location)
    register()
  })
  afterEach(() => pool.close())

  function register () {
    pool.register(Account)
    pool.register(Savings, { name: 'com.bank.Savings' })
  }

  function reopen () {
    pool.close()
    pool = Pool.open(location)
  }

  it('have their methods, getters and setters', () => {
    pool.root = { a: new Account('a'), b: Account.of('b') }
    reopen()
    register()
    constructed = 0
    const { a, b } = pool.root
    assert.ok(a instanceof Account)
    assert.strictEqual(a.constructor, Account)
    assert.strictEqual(Object.getPrototypeOf(a), Account.prototype)
    assert.deepStrictEqual(Object.keys(a), ['owner', 'money'])
    a.cents = 500050
    assert.strictEqual(a.money, 5000.5)
    assert.ok(a.isRich && !b.isRich)
    assert.strictEqual(a.pay(5000, b), a)
    assert.deepStrictEqual([...b], ['b', 5000])
    assert.strictEqual(JSON.stringify(b), '{"account":"b"}')
    assert.strictEqual(constructed, 0)
    reopen()
    register()
    assert.strictEqual(pool.root.b.money, 5000)
  })

  it('inherit', () => {
    pool.root = new Savings('s')
    pool.root.money = 10000
    reopen()
    register()
    const { root } = pool
    assert.ok(root instanceof Savings && root instanceof Account)
    assert.strictEqual(root.grow().money, 10100)
    assert.ok(root.isRich)
    assert.strictEqual('grow' in root, true)
    assert.strictEqual(Object.hasOwn(root, 'grow'), false)
  })

  it('may have properties that hide those of the class', () => {
    pool.root = new Account('a')
    assert.throws(() => { pool.root.isRich = true }, TypeError)
    pool.root.pay = 'own'
    assert.deepStrictEqual(Object.keys(pool.root), ['owner', 'money', 'pay'])
    delete pool.root.pay
    assert.strictEqual(typeof pool.root.pay, 'function')
    assert.throws(() => { pool.root.pay = () => {} }, TypeError)
  })

  it('are in other objects, and refer to each other', () => {
    const a = new Account('a')
    const b = new Savings('b')
    a.friend = b
    b.friend = a
    pool.root = { map: new Map([[a, [b]]]), list: [a, new Set([b])] }
    reopen()
    register()
    const { map, list } = pool.root
    assert.strictEqual(list[0].friend.friend, list[0])
    assert.ok(map.get(list[0])[0] === list[0].friend && list[1].has(list[0].friend))
    assert.ok(pool.plain(list)[0].friend instanceof Savings)
    assert.strictEqual(pool.plain(list)[0].friend.constructor, Savings)
  })

  it('are shown with their class', () => {
    pool.root = new Savings('s')
    assert.strictEqual(inspect(pool.root), inspect(new Savings('s')))
    assert.deepStrictEqual(pool.plain(pool.root), new Savings('s'))
  })

  it('take part in transactions', () => {
    pool.root = [new Account('a'), new Account('b')]
    const [a, b] = pool.root
    assert.throws(() => pool.transaction(() => {
      a.pay(10, b)
      throw new Error('no')
    }), /no/)
    assert.deepStrictEqual([a.money, b.money], [0, 0])
    pool.transaction(() => a.pay(10, b))
    assert.deepStrictEqual([a.money, b.money], [-10, 10])
  })

  it('are refused where the class is not registered', () => {
    class Other {}
    assert.throws(() => { pool.root = { deep: [new Other()] } }, { name: 'TypeError', message: /Other.*not registered/ })
    assert.throws(() => { pool.root = Object.create(new Account('a')) }, TypeError)
    assert.strictEqual(pool.root, undefined)
  })

  it('show what they have, but not what their class has, until it is registered', () => {
    pool.root = new Account('a')
    reopen()
    const { root } = pool
    assert.strictEqual(root.owner, 'a')
    assert.strictEqual(inspect({ root }), "{ root: Account { owner: 'a', money: 0 } }")
    assert.strictEqual(JSON.stringify([root]), '[{"owner":"a","money":0}]')
    assert.deepStrictEqual({ ...pool.plain(root) }, { owner: 'a', money: 0 })
    assert.strictEqual(pool.plain(root).constructor.name, 'Account')
    assert.strictEqual(`${root}`, '[object Object]')
    for (const work of [() => root.pay, () => root instanceof Account, () => [...root], () => { root.more = 1 }]) {
      assert.throws(work, { code: 'PMEMOBJ_INVALID', message: /class Account .* not registered/ })
    }
    root.money = 7
    register()
    assert.ok(root instanceof Account)
    assert.deepStrictEqual([...root], ['a', 7])
    root.more = 1
    reopen()
    register()
    assert.deepStrictEqual(Object.entries(pool.root), [['owner', 'a'], ['money', 7], ['more', 1]])
  })

  it('get a new class under the old name', () => {
    pool.root = new Account('a')
    reopen()
    class Renamed { hello () { return `hello ${this.owner}` } }
    pool.register(Renamed, { name: 'Account' })
    assert.strictEqual(pool.root.hello(), 'hello a')
  })

  it('have classes that are registered once, under one name', () => {
    register()
    const other = { Account: class Account {} }.Account
    assert.throws(() => pool.register(other), { code: 'PMEMOBJ_INVALID' })
    assert.throws(() => pool.register(Account, { name: 'Konto' }), { code: 'PMEMOBJ_INVALID' })
    pool.register(other, { name: 'Account 2' })
    pool.root = [new Account('a'), Reflect.construct(other, [])]
    reopen()
    register()
    pool.register(other, { name: 'Account 2' })
    assert.ok(pool.root[0] instanceof Account && pool.root[1] instanceof other)
  })

  it('are of classes that have nothing but properties', () => {
    for (const Base of [Array, Map, Set, Date, ArrayBuffer, Uint8Array, Buffer, DataView, RegExp, Number, Promise, WeakMap]) {
      assert.throws(() => pool.register(Base), { name: 'TypeError', message: /cannot be registered/ }, Base.name)
      const sub = { Sub: class extends Base {} }.Sub
      assert.throws(() => pool.register(sub), { name: 'TypeError', message: /class Sub cannot be registered/ }, Base.name)
    }
    assert.throws(() => pool.register(Object), { code: 'PMEMOBJ_INVALID' })
    for (const none of [undefined, null, {}, 'Account', () => {}, class {}]) {
      assert.throws(() => pool.register(none), TypeError)
    }
    pool.register(class {}, { name: 'a class without name' })
    for (const name of ['', 5, null]) assert.throws(() => pool.register(class {}, { name }), TypeError)
    assert.throws(() => pool.register(class {}, { name: '\0' }), { code: 'PMEMOBJ_INVALID' })
  })

  it('are of no class that has something private', () => {
    class Secret {
      #code = 1
      known = 2
      get code () { return this.#code }
    }
    class Heir extends Secret {}
    class Method { #work () {} work () { this.#work() } }
    class Getter { get #work () { return 1 } work () { return this.#work } }
    for (const each of [Secret, Heir, Method, Getter]) {
      assert.throws(() => pool.register(each), { name: 'TypeError', message: /cannot be registered.*private #(code|work)/ }, each.name)
    }
    for (const each of [URL, URLSearchParams, AbortController, TextDecoder, Intl.NumberFormat]) {
      assert.throws(() => pool.register(each), { name: 'TypeError', message: /cannot be registered/ }, each.name)
    }
  })

  it('may be of one that only looks as if it had, or whose class itself has', () => {
    class Colours {
      static #made = 0
      // #not = 1
      red = '#f00'
      names = `
        #red = 1;
      `
      static make () { Colours.#made++; return new Colours() }
      static get made () { return Colours.#made }
      is (other) { return /^#[a-f]/.test(other) }
    }
    pool.register(Colours)
    pool.root = Colours.make()
    assert.strictEqual(pool.root.is(pool.root.red), true)
  })

  it('may be old constructors, and have no prototype at all', () => {
    function Point (x) { this.x = x }
    Point.prototype.twice = function () { return this.x * 2 }
    pool.register(Point)
    pool.root = { point: new Point(4), bare: Object.assign(Object.create(null), { a: 1, constructor: 2 }) }
    reopen()
    pool.register(Point)
    const { point, bare } = pool.root
    assert.strictEqual(point.twice(), 8)
    assert.strictEqual(Object.getPrototypeOf(bare), null)
    assert.deepStrictEqual([bare.a, bare.constructor, bare.toString, 'toString' in bare], [1, 2, undefined, false])
    assert.strictEqual(inspect(bare), '[Object: null prototype] { a: 1, constructor: 2 }')
    assert.deepStrictEqual(pool.plain(bare), Object.assign(Object.create(null), { a: 1, constructor: 2 }))
    bare.__proto__ = 3 // eslint-disable-line no-proto
    assert.deepStrictEqual(Object.keys(bare), ['a', 'constructor', '__proto__'])
    assert.strictEqual(Object.getPrototypeOf(bare), null)
  })

  it('with many properties keep their class', () => {
    const account = new Account('a')
    for (let i = 0; i < 300; i++) account[`property ${i}`] = i
    pool.root = account
    for (let i = 0; i < 250; i++) delete pool.root[`property ${i}`]
    reopen()
    register()
    assert.ok(pool.root instanceof Account)
    assert.strictEqual(Object.keys(pool.root).length, 52)
  })

  it('are registered in each thread that reads them', async () => {
    pool.root = new Account('a')
    const ended = runWorker(`
      class Account { get name () { return 'account of ' + this.owner } }
      const pool = Pool.open(location)
      pool.register(Account)
      if (pool.root.name !== 'account of a') throw new Error(pool.root.name)
      pool.close()`, location)
    assert.strictEqual(await ended, 0)
  })
})
