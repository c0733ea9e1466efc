'use strict'

const assert = require('node:assert')
const { types } = require('node:util')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

class Unknown { constructor () { this.n = 1 } }

/** Values that no pool keeps, by what they are. */
const refused = {
  'a function': () => function named () {},
  'an arrow function': () => () => {},
  'a class': () => class {},
  'a symbol': () => Symbol('s'),
  'a well-known symbol': () => Symbol.iterator,
  'a WeakMap': () => new WeakMap(),
  'a WeakSet': () => new WeakSet(),
  'a WeakRef': () => new WeakRef({}),
  'a promise': () => Promise.resolve('x'),
  'a regular expression with a property': () => Object.assign(/x/g, { a: 1 }),
  'a boxed string with a property': () => Object.assign(Object('x'), { a: 1 }),
  'an instance of a class that extends RegExp': () => new (class extends RegExp {})('x'),
  'an instance of a class that extends Number': () => new (class extends Number {})(1),
  'bytes that claim to be doubles': () => Object.setPrototypeOf(new Uint8Array([1, 2]), Float64Array.prototype),
  'doubles that claim to be bytes': () => Object.setPrototypeOf(new Float64Array([1, 2]), Uint8Array.prototype),
  'a DataView that claims to be bytes': () => Object.setPrototypeOf(new DataView(new ArrayBuffer(8)), Uint8Array.prototype),
  'bytes that claim to be a DataView': () => Object.setPrototypeOf(new Uint8Array(8), DataView.prototype),
  ...Object.fromEntries([new Map(), new Set(), new Date(0), /x/, new DataView(new ArrayBuffer(8)), new Uint8Array(8), [1], Object(1), Object('x'), Object(1n), Object(Symbol.for('s')), Object(true)]
    .map(value => [`${types.isBoxedPrimitive(value) ? 'a boxed ' + typeof value.valueOf() : value.constructor.name} that claims to be a plain object`, () => Object.setPrototypeOf(value, Object.prototype)])),
  'an error of a class': () => new (class Failure extends Error {})('x'),
  'an error of the web': () => new DOMException('x'),
  'a boxed symbol': () => Object(Symbol('s')),
  'shared memory': () => new SharedArrayBuffer(8),
  'a view of shared memory': () => new Uint8Array(new SharedArrayBuffer(8)),
  'an instance of a class': () => new Unknown(),
  'an heir of a plain object': () => Object.create({ inherited: 1 }),
  'a generator': () => (function * () { yield 1 })(),
  'an iterator of an array': () => [1].values(),
  'an iterator of a map': () => new Map([[1, 2]]).entries(),
  'the arguments of a function with a symbol': () => ({ [Symbol('name')]: 1 }),
  'a URL': () => new URL('http://localhost/'),
  'an Intl object': () => new Intl.NumberFormat(),
  'a proxy of a function': () => new Proxy(() => {}, {}),
  'what is not even plain': () => globalThis
}

describe('what cannot be kept', () => {
  const pools = temporaryPools()
  const make = () => ({ a: { b: [1, 2] }, map: new Map([['k', 'v']]), set: new Set([1]), text: 'x'.repeat(500) })

  for (const [kind, value] of Object.entries(refused)) {
    it(`${kind} is a TypeError wherever it is assigned, and nothing has changed`, () => {
      const pool = pools.create(make())
      const { root } = pool
      const ways = [
        () => { root.a = value() },
        () => { root.new = value() },
        () => { root.a.b[0] = value() },
        () => { root.a.b.push(3, value()) },
        () => { root.text = { deep: [{ fine: 1 }, value()] } },
        () => { root.new = new Map([['k', value()]]) },
        () => { root.new = new Set([value()]) },
        () => root.map.set('k', value()),
        () => root.map.set(value(), 1),
        () => root.set.add(value()),
        () => { pool.root = value() },
        () => { pool.root = [value()] },
        () => pool.create(value()),
        () => Object.defineProperty(root, 'a', { value: value() }),
        () => Object.assign(root.a, { b: value() })
      ]
      for (const way of ways) assert.throws(way, TypeError, String(way))
      assert.strictEqual(pool.root, root)
      assertAlike(root, make())
      root.a.c = 'works'
      assertAlike(pools.reopen(pool).root, { ...make(), a: { b: [1, 2], c: 'works' } })
    })
  }

  it('is named, with the property that it has', () => {
    const pool = pools.create({})
    assert.throws(() => { pool.root.x = { click () {} } }, { name: 'TypeError', message: /function.*\.click/ })
    assert.throws(() => { pool.root.x = [new Unknown()] }, { name: 'TypeError', message: /Unknown/ })
    assert.throws(() => { pool.root.x = Symbol('s') }, { name: 'TypeError', message: /symbol/ })
  })

  it('is named by the path in what is assigned', () => {
    const pool = pools.create({})
    const no = () => {}
    for (const [value, place] of [
      [{ list: [1, { click: no }] }, '.list.1.click'],
      [{ list: [[no]] }, '.list.0.0'],
      [{ at: { mark: Symbol('mark') } }, '.at.mark'],
      [{ days: { last: new Date(), all: [{ no }] } }, '.days.all.0.no'],
      [{ error: new Error('it'), deep: [{ no }] }, '.deep.0.no'],
      [[new Map([['key', [no]]])], /\.0$/],
      [Array.from({ length: 12 }).reduce(inner => ({ a: inner }), no), '.….a.a.a.a.a.a.a.a']
    ]) {
      const message = place instanceof RegExp ? place.source.slice(0, -1) : place.replace(/[.]/g, '\\.')
      assert.throws(() => { pool.root.at = value }, { name: 'TypeError', message: new RegExp(`cannot be kept in a pool, as ${place instanceof RegExp ? '.*' : ''}${message}: `) })
    }
    const cycle = { inner: {} }
    Object.assign(cycle.inner, { cycle, no })
    assert.throws(() => { pool.root.at = cycle }, { message: /, as \.inner\.no: / })
  })

  it('is refused soon where it gives new values without end, and nothing has changed then', () => {
    const pool = pools.create({})
    const property = { enumerable: true, configurable: true, writable: true }
    const proxy = () => new Proxy({}, { ownKeys: () => ['a'], get: proxy, getOwnPropertyDescriptor: () => ({ ...property, value: proxy() }) })
    const wide = () => new Proxy({}, { ownKeys: () => ['a', 'b'], get: wide, getOwnPropertyDescriptor: () => ({ ...property, value: 1 }) })
    const getter = () => ({ get next () { return getter() } })
    pool.root.n = 1
    const before = pool.plain(pool.root)
    for (const make of [proxy, wide, getter, () => new Map([[1, proxy()]])]) {
      assert.throws(() => pool.transaction(() => {
        pool.root.n = 2
        pool.root.endless = make()
      }), { name: 'TypeError', message: /^More than 32768 Proxies, or objects with getters, / })
      assert.deepStrictEqual(pool.plain(pool.root), before)
    }
  })

  it('is not refused for Proxies and getters that end', () => {
    const pool = pools.create({})
    const reactive = value => new Proxy(value, {})
    pool.root.list = reactive(Array.from({ length: 20_000 }, (_, i) => reactive({ i })))
    pool.root.own = Array.from({ length: 20_000 }, (_, i) => ({ get i () { return i } }))
    assert.deepStrictEqual([pool.root.list.length, pool.root.list[19_999].i, pool.root.own[19_999].i], [20_000, 19_999, 19_999])
  })

  it('is to be registered, its message says, only where that would do', () => {
    class Point {}
    const pool = pools.create({})
    assert.throws(() => { pool.root.at = new Point() }, { name: 'TypeError', message: 'An instance of Point cannot be kept in a pool: its class is not registered, see pool.register()' })
    assert.throws(() => { pool.root.at = { last: new DOMException('no') } }, { name: 'TypeError', message: 'An instance of DOMException cannot be kept in a pool, as .last: keep its name, message and stack' })
    assert.throws(() => { pool.root.at = new Intl.NumberFormat() }, { name: 'TypeError', message: 'An instance of NumberFormat cannot be kept in a pool: keep the values that it was made of' })
    const alternatives = [
      [() => {}, 'what it works on'], [Symbol('s'), 'its description'], [Object(Symbol('s')), 'its description'],
      [Promise.resolve(), 'what it gives, once that was awaited'], [new WeakMap(), 'a Map'], [new WeakSet(), 'a Set'], [new WeakRef({}), 'the object itself'],
      [new SharedArrayBuffer(1), 'an ArrayBuffer'], [(function * () {})(), 'an array of what it gives'], [new Map().keys(), 'an array of what it gives'],
      [new URL('http://localhost/'), 'its href']
    ]
    for (const [value, instead] of alternatives) {
      assert.throws(() => { pool.root.at = value }, error => error.message.includes(`: keep ${instead}`), instead)
    }
    assert.throws(() => pool.register(RegExp), { name: 'TypeError', message: 'The class RegExp cannot be registered: instances of RegExp are more than their properties' })
  })

  it('a symbol as a name is a TypeError; asked for, it is not there', () => {
    const symbol = Symbol('s')
    for (const value of [{ a: 1 }, [1]]) {
      const pool = pools.create(value)
      const { root } = pool
      assert.throws(() => { root[symbol] = 1 }, TypeError)
      assert.throws(() => Object.defineProperty(root, symbol, { value: 1, writable: true, enumerable: true, configurable: true }), TypeError)
      assert.throws(() => { root.a = { [symbol]: 1 } }, TypeError)
      assert.deepStrictEqual([root[symbol], symbol in root, Object.hasOwn(root, symbol), delete root[symbol]], [undefined, false, false, true])
      assertAlike(pools.reopen(pool).root, value)
    }
  })

  const attributes = {
    'a getter': { get: () => 1, enumerable: true, configurable: true },
    'a setter': { set () {}, enumerable: true, configurable: true },
    'not writable': { value: 1, writable: false, enumerable: true, configurable: true },
    'not enumerable': { value: 1, writable: true, enumerable: false, configurable: true },
    'not configurable': { value: 1, writable: true, enumerable: true, configurable: false }
  }
  for (const [kind, descriptor] of Object.entries(attributes)) {
    it(`a property that is ${kind} is a TypeError in an object or array of the pool`, () => {
      const pool = pools.create({ a: 1, list: [1] })
      for (const [object, names] of [[pool.root, ['a', 'new']], [pool.root.list, ['0', '1']]]) {
        for (const name of names) assert.throws(() => Object.defineProperty(object, name, descriptor), TypeError)
      }
      assert.throws(() => Object.defineProperty(pool.root, 'b', { value: 1 }), TypeError)
      assertAlike(pools.reopen(pool).root, { a: 1, list: [1] })
    })
  }

  for (const method of ['freeze', 'seal', 'preventExtensions']) {
    it(`Object.${method} is a TypeError`, () => {
      const pool = pools.create({ a: {}, list: [] })
      for (const object of [pool.root, pool.root.a, pool.root.list]) {
        assert.throws(() => Object[method](object), TypeError)
        assert.ok(Object.isExtensible(object) && !Object.isFrozen(object) && !Object.isSealed(object))
      }
      pool.root.a.b = 1
      pool.root.list.push(1)
      assertAlike(pools.reopen(pool).root, { a: { b: 1 }, list: [1] })
    })
  }

  it('another prototype is a TypeError, and its own is none', () => {
    const pool = pools.create({ a: 1, list: [] })
    const message = /^The prototype of what is in a pool cannot be changed: copy/
    for (const [object, prototype] of [[pool.root, Object.prototype], [pool.root.list, Array.prototype]]) {
      for (const other of [null, {}, pool.root.list, class {}.prototype]) {
        assert.throws(() => Object.setPrototypeOf(object, other), { name: 'TypeError', message })
        assert.throws(() => { object.__proto__ = other }, TypeError) // eslint-disable-line no-proto
        assert.throws(() => Reflect.setPrototypeOf(object, other), TypeError)
      }
      assert.strictEqual(Object.setPrototypeOf(object, prototype), object)
    }
    assertAlike(pools.reopen(pool).root, { a: 1, list: [] })
  })
})

describe('plain values that are odd, but can be copied', () => {
  const pools = temporaryPools()

  it('without prototype', () => {
    const value = Object.assign(Object.create(null), { a: 1, toString: 'own', __proto__: 'a name like any other' })
    const pool = pools.create({ value })
    assertAlike(pool.root.value, value)
    pool.root.value.b = 2
    value.b = 2
    const { root } = pools.reopen(pool)
    assertAlike(root.value, value)
    assert.strictEqual(Object.getPrototypeOf(root.value), null)
  })

  it('frozen: what is in the pool is not', () => {
    const pool = pools.create(Object.freeze({ a: Object.freeze([1]) }))
    pool.root.a.push(2)
    pool.root.b = 3
    assertAlike(pools.reopen(pool).root, { a: [1, 2], b: 3 })
  })

  it('with getters: what they give is in the pool, as it is where an object is spread', () => {
    let calls = 0
    const pool = pools.create({ get sum () { return ++calls } })
    assert.strictEqual(calls, 1)
    assertAlike(pools.reopen(pool).root, { sum: 1 })
  })

  it('proxies of plain objects and arrays', () => {
    const pool = pools.create({ value: new Proxy({ a: [1] }, {}), list: new Proxy([1, 2], {}) })
    assertAlike(pools.reopen(pool).root, { value: { a: [1] }, list: [1, 2] })
  })

  const failing = {
    'a getter that throws': () => ({ get a () { throw new RangeError('no') } }),
    'a proxy that throws when it is read': () => new Proxy({ a: 1 }, { get () { throw new RangeError('no') } }),
    'a proxy that throws when it is listed': () => new Proxy({ a: 1 }, { ownKeys () { throw new RangeError('no') } }),
    'a proxy that throws when it is asked for its prototype': () => new Proxy({ a: 1 }, { getPrototypeOf () { throw new RangeError('no') } })
  }
  for (const [kind, value] of Object.entries(failing)) {
    it(`${kind} deep inside: its error comes through, and nothing has changed`, () => {
      const pool = pools.create({ a: [1], text: 'x' })
      for (const way of [
        () => { pool.root.a = [1, { b: [{}, value()] }] },
        () => pool.root.a.push({}, value()),
        () => { pool.root = { ok: 1, bad: value() } },
        () => pool.create([value()])
      ]) assert.throws(way, RangeError)
      assertAlike(pools.reopen(pool).root, { a: [1], text: 'x' })
    })
  }

  it('a value that changes the pool while it is copied', () => {
    const pool = pools.create({ list: [1] })
    const meddling = { get a () { pool.root.list.push(2); pool.root.other = 3; return 4 } }
    pool.root.copied = meddling
    assertAlike(pools.reopen(pool).root, { list: [1, 2], other: 3, copied: { a: 4 } })
  })
})
