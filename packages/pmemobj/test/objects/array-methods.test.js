'use strict'

const assert = require('node:assert')
const { isProxy } = require('node:util').types
const { check } = require('../..')
const { assertAlike } = require('./alike')
const { sideBySide } = require('./side-by-side')
const { temporaryPools } = require('./temporary-pools')

describe('methods of arrays', () => {
  const mixed = () => [3, { n: 1 }, 'b', [1, [2, [3]]], null, 10, 'a', undefined, 2, { n: 2 }]

  sideBySide('push and pop', mixed,
    a => a.push(),
    a => a.push(1),
    a => a.push({ deep: [1] }, [2], 'three'),
    a => a.push(...Array(50).keys()),
    a => a.pop(),
    a => { for (let i = 0; i < 60; i++) a.pop() },
    a => [a.pop(), a.pop(), a.length],
    a => { while (a.length > 0) a.pop() },
    a => [a.pop(), a.length]
  )

  sideBySide('shift and unshift', mixed,
    a => a.unshift(),
    a => a.unshift({ first: true }, 'second'),
    a => a.shift(),
    a => [a.shift(), a.shift(), a.length],
    a => a.unshift(...Array(40).keys()),
    a => { for (let i = 0; i < 45; i++) a.shift() },
    a => { while (a.length > 0) a.shift() },
    a => [a.shift(), a.length]
  )

  sideBySide('splice', mixed,
    a => a.splice(),
    a => a.splice(2),
    a => a.splice(0, 0, 'a', 'b', { c: 1 }, ['d']),
    a => a.splice(1, 1),
    a => a.splice(-2, 1, 'from the end'),
    a => a.splice(1, 2, 'fewer'),
    a => a.splice(1, 1, 'more', 'than', 'before'),
    a => a.splice(100, 5, 'beyond'),
    a => a.splice(2, -5, 'none goes'),
    a => a.splice(0, Infinity, ...Array(80).keys()),
    a => a.splice(10, 50),
    a => a.splice(undefined)
  )

  sideBySide('sort and reverse', mixed,
    a => a.sort(),
    a => a.reverse(),
    a => a.sort((x, y) => String(x).length - String(y).length),
    a => a.sort(undefined),
    a => a.sort('not a function'),
    a => a.sort(() => { throw new RangeError('cannot compare') }),
    a => { let calls = 0; a.sort(() => { if (++calls > 5) throw new RangeError('cannot go on'); return -1 }) },
    a => a.toSorted(),
    a => a.toReversed()
  )

  sideBySide('sort is stable', () => Array.from({ length: 200 }, (_, index) => ({ key: index % 7, index })),
    a => a.sort((x, y) => x.key - y.key),
    a => a.sort((x, y) => y.index - x.index)
  )

  sideBySide('fill and copyWithin', mixed,
    a => a.fill(0, 1, 3),
    a => a.fill('x', -2),
    a => a.copyWithin(0, 3, 6),
    a => a.copyWithin(-3, 0),
    a => a.copyWithin(1, 0, 100),
    a => a.fill({ of: 'nobody' }).length,
    a => a[0] === a[1] === false || typeof a[0],
    a => a.fill(null)
  )

  sideBySide('those that read', mixed,
    a => a.map((value, index, whole) => [typeof value, index, whole === a]),
    a => a.filter(value => typeof value === 'object'),
    a => [a.find(value => value?.n === 2), a.findLast(value => value?.n), a.findIndex(value => value === 10), a.findLastIndex(value => value === null)],
    a => [a.indexOf('b'), a.lastIndexOf(2), a.includes(undefined), a.indexOf({}), a.indexOf(a[1]), a.includes(a[9])],
    a => [a.slice(), a.slice(2, 4), a.slice(-3), a.slice(5, -1)],
    a => [a.concat(1, [2, [3]], 'x'), [0].concat(a), a.concat(a), a.concat()],
    a => [a.flat(), a.flat(Infinity), a.flat(0), a.flatMap(value => [value, value])],
    a => [a.join(), a.join('-'), a.slice(0, 3).toString(), a.toLocaleString()],
    a => [a.every(Boolean), a.some(Boolean), a.every(() => true)],
    a => [a.reduce((sum, value) => sum + String(value), ''), a.reduceRight((all, value) => [...all, value], [])],
    a => { const seen = []; a.forEach((value, index) => seen.push([index, value])); return seen },
    a => [a.at(0), a.at(-1), a.at(100), a.at(-100)],
    a => [a.with(1, 'x'), a.toSpliced(1, 2, 'y'), a.toReversed()],
    a => a.with(100, 'x'),
    a => Object.groupBy?.(a, value => typeof value),
    a => Array.prototype.map.call(a, value => typeof value),
    a => Array.of(...a),
    a => a.map(),
    a => a.reduce((sum, value) => sum)
  )

  sideBySide('modifying while iterating', () => [1, 2, 3, 4, 5],
    a => { const seen = []; for (const value of a) { seen.push(value); if (a.length < 9) a.push(value * 10) } return seen },
    a => { const seen = []; a.forEach((value, index) => { seen.push(value); if (index % 2) a.pop() }); return seen },
    a => { const seen = []; for (const index in a) { seen.push(index); delete a[Number(index) + 1] } return seen },
    a => a.map((value, index) => { a[index + 1] = index; return value }),
    a => a.filter(() => { a.shift(); return true }),
    a => { const entries = a.entries(); a.length = 0; a.push('new'); return [...entries] },
    a => { const iterator = a.values(); const first = iterator.next(); a.push('later'); return [first, [...iterator], iterator.next()] },
    a => a.sort((x, y) => { a.length = 0; return 0 }),
    a => a.reduce((sum, value) => { a.push(1); return sum + value }, 0)
  )

  sideBySide('called on objects that are none', () => ({ length: 2, 0: 'a', 1: 'b' }),
    o => Array.prototype.push.call(o, 'c'),
    o => Array.prototype.pop.call(o),
    o => Array.prototype.reverse.call(o),
    o => Array.prototype.unshift.call(o, 'z'),
    o => Array.prototype.splice.call(o, 1, 1),
    o => Array.from(o),
    o => [].concat(o),
    o => Array.prototype.sort.call(o)
  )

  describe('what they give', () => {
    const pools = temporaryPools()

    it('is plain, and holds the very objects', () => {
      const { root } = pools.create(mixed())
      const given = [root.map(value => value), root.filter(() => true), root.slice(), root.concat(), [...root], Array.from(root), root.toReversed().toReversed()]
      for (const list of given) {
        assert.ok(Array.isArray(list) && !isProxy(list))
        list.forEach((value, index) => assert.strictEqual(value, root[index]))
      }
      given[0].push('of nobody')
      given[1][1].n = 'changed in the pool'
      assert.strictEqual(root.length, 10)
      assert.strictEqual(root[1].n, 'changed in the pool')
    })

    it('finds objects by what they are', () => {
      const { root } = pools.create(mixed())
      const object = root[9]
      assert.strictEqual(root.indexOf(object), 9)
      assert.strictEqual(root.lastIndexOf(object), 9)
      assert.ok(root.includes(object))
      assert.strictEqual(root.find(value => value?.n === 2), object)
      assert.strictEqual(root.pop(), object)
      root.unshift(object)
      assert.strictEqual(root[0], object)
      root.sort((a, b) => (a?.n ?? 0) - (b?.n ?? 0))
      assert.ok(root.includes(object))
    })

    it('of push with a value that cannot be kept is an error, and no element was added', () => {
      const pool = pools.create([1])
      for (const call of [a => a.push(2, () => {}), a => a.unshift(2, Symbol('s')), a => a.splice(0, 1, 2, new WeakSet()), a => a.fill(new WeakMap()), a => { a[5] = Promise.resolve('x') }]) {
        assert.throws(() => call(pool.root), TypeError)
        assertAlike(pool.root, [1])
      }
      assertAlike(pools.reopen(pool).root, [1])
    })
  })

  describe('whose arguments change the array meanwhile', () => {
    const pools = temporaryPools()
    /** @type {Record<string, (array: any, change: () => number) => unknown>} */
    const calls = {
      copyWithin: (a, change) => a.copyWithin({ valueOf: change }, 3),
      'copyWithin, from': (a, change) => a.copyWithin(0, { valueOf: change }),
      'copyWithin, to': (a, change) => a.copyWithin(0, 3, { valueOf: () => change() + 20 }),
      fill: (a, change) => a.fill(7, { valueOf: change }),
      'fill, value': (a, change) => a.fill({ get n () { return change() } }, 1),
      splice: (a, change) => a.splice({ valueOf: change }, 2, 'x'),
      'splice, items': (a, change) => a.splice(1, 2, { get n () { return change() } }),
      sort: (a, change) => a.sort(() => change() - 1),
      push: (a, change) => a.push({ get n () { return change() } }, 1),
      unshift: (a, change) => a.unshift({ get n () { return change() } }, 1),
      element: (a, change) => { a[39] = { get n () { return change() } } },
      length: (a, change) => { a.length = { valueOf: () => change() + 35 } }
    }
    /** @type {Record<string, (array: any) => unknown>} */
    const changes = { clear: a => { a.length = 0 }, shorten: a => { a.length = 5 }, shift: a => a.splice(0, 20), lengthen: a => a.push(...new Array(70).fill(1)), reverse: a => a.reverse() }
    for (const [name, call] of Object.entries(calls)) {
      it(`${name}: leave one that is whole`, () => {
        for (const change of Object.values(changes)) {
          const pool = pools.create({ a: Array.from({ length: 40 }, (_, n) => n) })
          let isDone = false
          pool.transaction(() => {
            const { a } = pool.root
            call(a, () => {
              if (!isDone) change(a)
              isDone = true
              return 0
            })
          })
          const plain = pool.plain(pool.root)
          assert.ok(isDone)
          assertAlike(pools.reopen(pool).root, plain)
        }
      })
    }
  })

  describe('are one operation each', () => {
    const pools = temporaryPools()
    const calls = {
      push: a => a.push('x', { y: 1 }, ['z']),
      unshift: a => a.unshift('x', { y: 1 }),
      splice: a => a.splice(1, 3, 'x', 'y'),
      sort: a => a.sort(),
      reverse: a => a.reverse(),
      shift: a => a.shift(),
      fill: a => a.fill(7),
      copyWithin: a => a.copyWithin(0, 20)
    }
    for (const [name, call] of Object.entries(calls)) {
      it(`${name}: one commit`, async () => {
        const made = pools.create(Array.from({ length: 100 }, (_, index) => `v${(index * 37) % 100}`))
        made.close()
        const location = made.path
        const commits = async operation => {
          const pool = pools.open(location)
          operation(pool.root)
          pool.close()
          return (await check(location)).epoch
        }
        const before = await commits(() => {})
        const idle = await commits(() => {})
        assert.strictEqual(await commits(call) - idle, idle - before + 1)
      })
    }
  })
})
