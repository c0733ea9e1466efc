'use strict'

const assert = require('node:assert')
const { assertAlike } = require('./alike')
const { sideBySide } = require('./side-by-side')
const { temporaryPools } = require('./temporary-pools')

describe('objects', () => {
  const account = () => ({ name: 'Alice', money: 100, address: { city: 'Perth', lines: ['1 Hay St', 'Level 2'] }, tags: {} })

  sideBySide('properties are set, read and deleted', account,
    o => { o.money = 50 },
    o => { o.money -= 1; return o.money },
    o => { o.email = 'alice@example.com' },
    o => { o.address.city = 'Hobart' },
    o => { o.address.lines[1] = 'Level 3' },
    o => o.missing,
    o => o.address.missing?.deeper,
    o => o.missing.deeper,
    o => delete o.name,
    o => delete o.name,
    o => delete o.missing,
    o => { o.name = 'Bob' },
    o => Object.keys(o),
    o => delete o.address,
    o => { o.address = { city: 'Darwin' } }
  )

  sideBySide('what is asked of them', account,
    o => ['name' in o, 'missing' in o, 'toString' in o, '__proto__' in o, 'constructor' in o],
    o => [Object.hasOwn(o, 'name'), Object.hasOwn(o, 'toString'), Object.prototype.hasOwnProperty.call(o, 'tags')],
    o => [o, Object.create(o)].map(each => Object.prototype.propertyIsEnumerable.call(each, 'name')),
    o => [typeof o, o instanceof Object, o.constructor === Object, Object.getPrototypeOf(o) === Object.prototype],
    o => [Object.keys(o), Object.values(o), Object.entries(o), Object.getOwnPropertyNames(o), Object.getOwnPropertySymbols(o)],
    o => Reflect.ownKeys(o),
    o => { const names = []; for (const name in o) names.push(name); return names },
    o => ({ ...o }),
    o => { const { name, ...rest } = o; return [name, rest] },
    o => Object.assign({}, o, { more: 1 }),
    o => Object.fromEntries(Object.entries(o)),
    o => Object.getOwnPropertyDescriptors(o),
    o => Object.getOwnPropertyDescriptor(o, 'missing'),
    o => [Object.isExtensible(o), Object.isFrozen(o), Object.isSealed(o)],
    o => [String(o), `${o}`, o + '', Number(o), o.toString(), o.toLocaleString(), o.valueOf() === o],
    o => [o == o.valueOf(), o === { ...o }, Object.is(o, o)], // eslint-disable-line eqeqeq
    o => Object.groupBy?.(Object.entries(o), ([key]) => key.length),
    o => [...o],
    o => o()
  )

  sideBySide('Object.assign into them', account,
    o => Object.assign(o, { money: 1, more: { deep: [] } }, null, undefined, 'xy'),
    o => Object.assign(o.tags, o.address),
    o => Object.assign(o, [7, 8])
  )

  sideBySide('Reflect', account,
    o => [Reflect.get(o, 'name'), Reflect.has(o, 'name'), Reflect.has(o, 'x')],
    o => [Reflect.set(o, 'name', 'Carol'), Reflect.set(o, 'x', 1)],
    o => [Reflect.deleteProperty(o, 'x'), Reflect.deleteProperty(o, 'x')],
    o => [Reflect.defineProperty(o, 'name', { value: 'Dave' }), Reflect.getOwnPropertyDescriptor(o, 'name')],
    o => Reflect.defineProperty(o, 'y', { value: 1, writable: true, enumerable: true, configurable: true }),
    o => [Reflect.isExtensible(o), Reflect.getPrototypeOf(o) === Object.prototype],
    o => Reflect.setPrototypeOf(o, Object.prototype),
    o => { const receiver = {}; return [Reflect.set(o, 'name', 'Eve', receiver), receiver] },
    o => Reflect.apply(Object.prototype.hasOwnProperty, o, ['name']),
    o => Reflect.ownKeys(o)
  )

  sideBySide('Object.defineProperty with the attributes that a property has anyway', account,
    o => Object.defineProperty(o, 'name', { value: 'Frank' }),
    o => Object.defineProperty(o, 'name', {}),
    o => Object.defineProperty(o, 'name', { enumerable: true }),
    o => Object.defineProperty(o, 'new', { value: [1], writable: true, enumerable: true, configurable: true }),
    o => Object.defineProperties(o, { name: { value: 'G' }, money: { value: -0 } })
  )

  sideBySide('names that are special', () => JSON.parse('{"__proto__": {"own": 1}, "constructor": 2, "toString": 3, "hasOwnProperty": 4, "valueOf": null}'),
    o => [o.__proto__, Object.hasOwn(o, '__proto__'), Object.getPrototypeOf(o) === Object.prototype], // eslint-disable-line no-proto
    o => { o.__proto__ = 5 }, // eslint-disable-line no-proto
    o => delete o.__proto__, // eslint-disable-line no-proto
    o => [o.__proto__ === Object.prototype, '__proto__' in o, Object.hasOwn(o, '__proto__')], // eslint-disable-line no-proto
    o => { o.__proto__ = 5 }, // eslint-disable-line no-proto
    o => Object.hasOwn(o, '__proto__'),
    o => Object.defineProperty(o, '__proto__', { value: 6, writable: true, enumerable: true, configurable: true }),
    o => { o.__proto__ = { own: 7 } }, // eslint-disable-line no-proto
    o => delete o.constructor,
    o => o.constructor === Object,
    o => { o.constructor = 'again' },
    o => [delete o.toString, typeof o.toString, String(o)],
    o => { o[''] = 'the empty name' },
    o => { o.__defineGetter__ = 1; o.isPrototypeOf = 2; o.then = 3; o.toJSON = 4; o.length = 5; o.prototype = 6; o.inspect = 7 }
  )

  const numeric = ['1', '0', '-0', '-1', '01', '1.0', '1.5', '1e3', '4294967294', '4294967295', '4294967296', '9007199254740991',
    '9007199254740992', 'NaN', 'Infinity', '', ' ', '0x1', '+1', '2147483647', '2147483648', 'a', '00', '10', '9']

  sideBySide('names like numbers, and their order', () => Object.fromEntries(numeric.map((name, index) => [name, index])),
    o => [o[0], o[-0], o[1], o['01'], o[1.5], o[4294967295], o[2 ** 53], o[NaN]],
    o => { o[5] = 'between' },
    o => { o[4294967293] = 'before the last index' },
    o => { o.z = 1 },
    o => delete o[1],
    o => { o[1] = 'again' },
    o => delete o['-1'],
    o => { o['-1'] = 'at the end' },
    o => Object.keys(o),
    o => JSON.stringify(o)
  )

  sideBySide('names that come and go in any order', () => ({}),
    ...Array.from({ length: 120 }, (_, index) => {
      const name = `n${(index * 7919) % 23}`
      return index % 3 === 2 ? o => delete o[name] : o => { o[name] = index }
    })
  )

  sideBySide('many names, from few to more than share a shape', () => ({ first: 0 }),
    o => { for (let i = 0; i < 126; i++) o[`name${i}`] = i },
    o => { o.one = 1 },
    o => { o.two = 2 },
    o => { o.three = 3 },
    o => delete o.name64,
    o => { o.name64 = 'at the end' },
    o => { for (let i = 0; i < 400; i++) o[`more${i}`] = { i } },
    o => { o.more7.i = 'seven' },
    o => { for (let i = 0; i < 390; i++) delete o[`more${i}`] },
    o => { o[7] = 'at the beginning' },
    o => { for (const name of Object.keys(o)) delete o[name] },
    o => { o.alone = true }
  )

  describe('of 10,000 names', () => {
    const pools = temporaryPools()
    const make = () => Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`name ${index}`, index % 3 ? index : `v${index}`]))

    it('are copied, read, changed and opened again', () => {
      let pool = pools.create(make())
      const plain = make()
      assertAlike(pool.root, plain)
      for (const o of [plain, pool.root]) {
        for (let i = 0; i < 10_000; i += 37) o[`name ${i}`] = -i
        for (let i = 5; i < 10_000; i += 1111) delete o[`name ${i}`]
        o['one more'] = {}
      }
      assertAlike(pool.root, plain)
      pool = pools.reopen(pool)
      assert.strictEqual(pool.root['name 9999'], plain['name 9999'])
      assertAlike(pool.root, plain)
    })

    it('grow one by one', () => {
      const pool = pools.create({})
      const plain = make()
      pool.transaction(() => { for (const name of Object.keys(plain)) pool.root[name] = plain[name] })
      assertAlike(pool.root, plain)
      assertAlike(pools.reopen(pool).root, plain)
    })
  })

  describe('in the prototype chain of others', () => {
    const pools = temporaryPools()

    it('give what they have, and are not changed by what is set on the heir', () => {
      const { root } = pools.create({ a: 1, inner: { b: 2 } })
      const heir = Object.create(root)
      assert.strictEqual(heir.a, 1)
      assert.ok('inner' in heir)
      heir.a = 3
      heir.c = 4
      assert.deepStrictEqual({ ...heir }, { a: 3, c: 4 })
      assertAlike(root, { a: 1, inner: { b: 2 } })
      const names = []
      for (const name in heir) names.push(name)
      assert.deepStrictEqual(names, ['a', 'c', 'inner'])
      class Child {}
      Object.setPrototypeOf(Child.prototype, root)
      assert.strictEqual(new Child().a, 1)
    })

    it('do not take what is meant for a Proxy around them', () => {
      const { root } = pools.create({ a: 1 })
      const seen = []
      const around = new Proxy(root, { set (target, name, value) { seen.push(name); return Reflect.set(target, name, value) } })
      around.a = 2
      around.b = 3
      assert.deepStrictEqual(seen, ['a', 'b'])
      assertAlike(root, { a: 2, b: 3 })
    })
  })

  describe('of one shape', () => {
    const pools = temporaryPools()

    it('do not change with each other', () => {
      const make = () => Array.from({ length: 100 }, (_, index) => ({ id: index, name: `n${index}`, on: index % 2 === 0 }))
      const change = list => {
        list[3].extra = 'x'
        delete list[4].name
        list[5].on = { deep: true }
        delete list[6].id
        list[6].id = 'last'
        list[7] = { name: 'other order', id: 7, on: false }
      }
      const pool = pools.create(make())
      const plain = make()
      change(plain)
      change(pool.root)
      assertAlike(pool.root, plain)
      assertAlike(pools.reopen(pool).root, plain)
    })
  })

  describe('nested deeply', () => {
    const pools = temporaryPools()

    it('are kept to 2,000 levels, and what is too deep for the stack is refused whole', () => {
      const nest = depth => {
        let value = { depth }
        for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { value }
        return value
      }
      let pool = pools.create(nest(2000))
      const depthOf = value => {
        let depth = 0
        for (; value.depth === undefined; depth++) value = Array.isArray(value) ? value[0] : value.value
        return depth
      }
      assert.strictEqual(depthOf(pool.root), 2000)
      pool = pools.reopen(pool)
      assert.strictEqual(depthOf(pool.root), 2000)
      let kept = 20_000
      try {
        pool.root = nest(kept)
      } catch (error) {
        assert.ok(error instanceof RangeError, error)
        kept = 2000
      }
      assert.strictEqual(depthOf(pool.root), kept)
      assert.strictEqual(depthOf(pools.reopen(pool).root), kept)
    })

    it('grow downwards one by one', () => {
      const pool = pools.create({})
      let at = pool.root
      for (let i = 0; i < 1000; i++) {
        at.next = { i }
        at = at.next
      }
      let count = 0
      for (let next = pools.reopen(pool).root.next; next; next = next.next) assert.strictEqual(next.i, count++)
      assert.strictEqual(count, 1000)
    })
  })
})
