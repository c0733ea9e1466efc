'use strict'

const assert = require('node:assert')
const { inspect } = require('node:util')
const { assertAlike } = require('./alike')
const { sideBySide } = require('./side-by-side')
const { temporaryPools } = require('./temporary-pools')

/** A graph with every kind of loop. */
function graph () {
  const a = { name: 'a' }
  const b = { name: 'b', list: [a] }
  a.b = b
  a.self = a
  const ring = []
  ring.push(ring, a, ring)
  const root = { a, b, ring, twice: [b, b], none: null }
  root.root = root
  return root
}

describe('references', () => {
  const pools = temporaryPools()

  it('lead to the same object each time', () => {
    const pool = pools.create({ a: { b: [{}] } })
    const { root } = pool
    assert.strictEqual(pool.root, root)
    assert.strictEqual(root.a, root.a)
    assert.strictEqual(root.a.b[0], pool.root.a.b[0])
    assert.strictEqual(Object.values(root)[0], root.a)
    assert.strictEqual(Object.entries(root.a)[0][1], root.a.b)
    assert.strictEqual(Object.getOwnPropertyDescriptor(root, 'a').value, root.a)
    assert.strictEqual({ ...root }.a, root.a)
    const held = new Map([[root.a, 'a']])
    const weak = new WeakSet([root.a.b])
    assert.strictEqual(held.get(pool.root.a), 'a')
    assert.ok(weak.has(pool.root.a.b))
  })

  it('that were shared or in a circle when they were copied are so in the pool', () => {
    let pool = pools.create(graph())
    for (let round = 0; round < 2; round++) {
      const { root } = pool
      assertAlike(root, graph())
      assert.strictEqual(root.root, root)
      assert.strictEqual(root.a.self.b.list[0], root.a)
      assert.strictEqual(root.twice[0], root.twice[1])
      assert.strictEqual(root.ring[0][2], root.ring)
      pool = pools.reopen(pool)
    }
  })

  sideBySide('within a graph', graph,
    o => { o.none = o.a },
    o => { o.none.name = 'A' },
    o => [o.a === o.none, o.a.self === o.b.list[0], o.root.root === o],
    o => { o.twice[0] = o.ring },
    o => { o.b.back = o },
    o => { o.list = [o.list, o.b, o.a.b] },
    o => delete o.a,
    o => o.ring.splice(0, 2),
    o => { o.b.list.push(o.b.list) },
    o => { o.root = o.b },
    o => { for (const name of Object.keys(o)) delete o[name] }
  )

  it('a plain value that is assigned twice in a turn is one object', async () => {
    const pool = pools.create({ list: [], map: new Map(), set: new Set() })
    const { root } = pool
    const plain = { n: [1] }
    const inner = plain.n
    root.a = plain
    root.b = plain
    root.inner = inner
    root.list.push(plain, inner, plain)
    root.map.set(plain, 1).set(plain, 2)
    root.set.add(plain).add(plain)
    assert.notStrictEqual(root.a, plain)
    assert.strictEqual(root.b, root.a)
    assert.strictEqual(root.inner, root.a.n)
    assert.deepStrictEqual([root.list.indexOf(plain), root.list.lastIndexOf(plain), root.list.indexOf(inner), root.list.includes({})], [0, 2, 1, false])
    assert.deepStrictEqual([root.map.size, root.map.get(plain), root.set.size, root.set.has(plain)], [1, 2, 1, true])
    root.a.n.push(2)
    root.c = plain
    assert.strictEqual(root.c, root.a, 'the pool\'s object has changed, and the plain one has not')
    await new Promise(setImmediate)
    root.d = plain
    assert.notStrictEqual(root.d, root.a)
    const again = pools.reopen(pool).root
    assertAlike([again.a.n, again.d.n], [[1, 2], [1]])
    assert.strictEqual(again.b.n, again.inner)
    assert.strictEqual([...again.map.keys()][0], again.list[2])
  })

  for (const value of [{ n: 1 }, [1], new Map([[1, 2]]), new Set([1]), new Date(0), Buffer.from('abc'), Uint8Array.of(1), { deep: [Buffer.from('x'), new Date(1)] }]) {
    it(`a value of any kind is one object: ${inspect(value)}`, () => {
      const { root } = pools.create({})
      Object.assign(root, { a: value, b: value })
      assert.strictEqual(root.a, root.b)
    })
  }

  it('a value that is frozen, or sealed, is one object', () => {
    for (const value of [Object.freeze({ n: 1 }), Object.seal([1]), Object.freeze(new Map([[1, 2]]))]) {
      const { root } = pools.create({})
      Object.assign(root, { a: value, b: [value] })
      assert.strictEqual(root.a, root.b[0])
    }
  })

  it('what the pool has changed does not matter', () => {
    const date = new Date(0)
    const { root } = pools.create({ a: date })
    root.a.setTime(5)
    root.b = date
    assert.strictEqual(root.a, root.b)
  })

  it('a transaction within another that throws takes back its own copies only', () => {
    const pool = pools.create({}, { strict: true })
    const { root } = pool
    const [kept, lost] = [{ n: 1 }, { n: 2 }]
    pool.transaction(() => {
      root.a = kept
      assert.throws(() => pool.transaction(() => {
        root.lost = lost
        throw new Error('all of it goes')
      }), /all of it goes/)
      root.b = kept
    })
    assert.strictEqual(root.a, root.b)
    assert.deepStrictEqual([kept, lost].map(Object.isFrozen), [true, false])
    root.c = lost
    const again = pools.reopen(pool).root
    assert.strictEqual(again.a, again.b)
    assert.deepStrictEqual([again.a.n, again.c.n], [1, 2])
  })

  it('what did not fit into the pool is copied anew', () => {
    const pool = pools.create({}, { size: '8MiB', maxSize: '8MiB', strict: true })
    const big = { text: 'x'.repeat(16 * 2 ** 20) }
    assert.throws(() => { pool.root.big = big }, { code: 'PMEMOBJ_NO_SPACE' })
    pool.root.small = { n: 1 }
    assert.ok(!Object.isFrozen(big))
    big.text = 'y'
    pool.root.big = big
    assertAlike(pools.reopen(pool).root, { small: { n: 1 }, big: { text: 'y' } })
  })

  it('cycles may be made step by step', () => {
    const pool = pools.create({})
    const [a, b] = [{}, {}]
    Object.assign(pool.root, { a, b })
    pool.root.a.b = b
    pool.root.b.a = a
    const { root } = pools.reopen(pool)
    assert.strictEqual(root.a.b, root.b)
    assert.strictEqual(root.b.a, root.a)
  })

  const CHANGES = [
    [{ n: 1 }, value => { value.n = 2 }], [{ n: 1 }, value => { value.m = 2 }], [{ n: 1 }, value => delete value.n],
    [[1], value => value.push(2)], [new Map([[1, 2]]), value => value.set(1, 3)], [new Set([1]), value => value.add(2)],
    [[1], value => { value.length = 2 }], [new Date(0), value => value.setTime(1)], [Buffer.from('ab'), value => { value[0] = 2 }], [Uint8Array.of(1), value => { value[0] = 2 }], [{ deep: [{}] }, value => { value.deep[0].x = 1 }]
  ]
  for (const [value, change] of CHANGES) {
    it(`what was changed meanwhile is copied anew: ${change}`, () => {
      const { root } = pools.create({})
      const before = Buffer.isBuffer(value) ? Buffer.from(value) : structuredClone(value)
      root.a = value
      change(value)
      root.b = value
      assertAlike(root.a, before)
      assertAlike(root.b, value)
    })
  }

  it('of many values that come one by one each is known, and those that are taken back are not', () => {
    const pool = pools.create({})
    const { root } = pool
    const values = Array.from({ length: 10_000 }, (_, n) => ({ n }))
    root.all = []
    pool.transaction(() => {
      for (const value of values) root.all.push(value)
    })
    for (const n of [0, 4095, 4096, 4097, 9999]) assert.strictEqual(root.all.indexOf(values[n]), n)
    const others = Array.from({ length: 6000 }, (_, n) => ({ n }))
    assert.throws(() => pool.transaction(() => {
      for (const other of others) root.all.push(other)
      throw new Error('taken back')
    }), /taken back/)
    for (const n of [0, 5999]) assert.strictEqual(root.all.indexOf(others[n]), -1)
    assert.strictEqual(root.all.indexOf(values[9999]), 9999)
  })

  it('a long list whose end was changed is copied anew, in time that grows with its length', () => {
    const { root } = pools.create({})
    const last = { n: 0, next: null }
    let list = last
    for (let n = 1; n < 20_000; n++) list = { n, next: list }
    root.a = list
    root.b = list
    assert.strictEqual(root.b, root.a)
    last.n = -1
    root.b = list
    const lastOf = node => {
      while (node.next !== null) node = node.next
      return node.n
    }
    assert.deepStrictEqual([lastOf(root.a), lastOf(root.b)], [0, -1])
  })

  it('what is around a value that was changed is copied anew, and the rest is shared', () => {
    const { root } = pools.create({})
    const [left, right] = [{ n: 1 }, { n: 2 }]
    const whole = { left, right, self: {} }
    whole.self.whole = whole
    root.a = whole
    left.n = 3
    root.b = whole
    assert.notStrictEqual(root.a, root.b)
    assert.strictEqual(root.b.self.whole, root.b)
    assert.strictEqual(root.a.right, root.b.right)
    assertAlike([root.a.left, root.b.left], [{ n: 1 }, { n: 3 }])
  })

  it('what a transaction that threw has copied is copied anew', () => {
    const pool = pools.create({})
    const plain = { n: 1 }
    assert.throws(() => pool.transaction(() => {
      pool.root.a = plain
      pool.root.a.n = 2
      throw new Error('all of it goes')
    }), /all of it goes/)
    pool.root.b = plain
    assertAlike(pools.reopen(pool).root, { b: { n: 1 } })
  })

  it('in strict mode a write to what was copied throws', () => {
    const pool = pools.create({}, { strict: true })
    const plain = { n: [1], map: new Map(), set: new Set(), date: new Date(0), bytes: Uint8Array.of(1) }
    pool.root.a = plain
    pool.root.frozen = Object.freeze([Object.freeze(new Map([[1, 2]])), new Proxy([], {})])
    const { n, map, set, date } = plain
    for (const write of [() => { plain.x = 1 }, () => n.push(2), () => map.set(1, 1), () => map.clear(), () => set.add(1), () => set.delete(1), () => date.setTime(1)]) {
      assert.throws(write, TypeError)
    }
    pool.root.a.n.push(2)
    const free = { n: 1 }
    assert.throws(() => pool.transaction(() => {
      pool.root.b = free
      throw new Error('all of it goes')
    }), /all of it goes/)
    free.n = 2
    assertAlike(pools.reopen(pool).root.a.n, [1, 2])
  })

  it('what was collected is copied anew', () => {
    const pool = pools.create({})
    const plain = { n: 1 }
    pool.root.a = plain
    delete pool.root.a
    pool.collect()
    pool.root.b = plain
    assertAlike(pools.reopen(pool).root, { b: { n: 1 } })
  })

  it('persistent ones are referred to, wherever they are within what is copied', () => {
    const pool = pools.create({ a: { n: 1 } })
    const { root } = pool
    root.b = root.a
    root.list = [root.a, { deep: { a: root.a } }, root]
    assert.strictEqual(root.b, root.a)
    assert.strictEqual(root.list[1].deep.a, root.a)
    assert.strictEqual(root.list[2], root)
    root.a.n = 2
    assert.strictEqual(root.list[0].n, 2)
    const again = pools.reopen(pool).root
    assert.strictEqual(again.list[1].deep.a, again.b)
    assert.strictEqual(again.list[2], again)
    assert.strictEqual(again.b.n, 2)
  })

  it('may be of an object to itself', () => {
    const pool = pools.create({ list: [] })
    pool.root.self = pool.root
    pool.root.list.push(pool.root.list)
    const { root } = pools.reopen(pool)
    assert.strictEqual(root.self.self, root)
    assert.strictEqual(root.list[0][0], root.list)
  })

  it('survive that a subtree is moved, or cut off and put back', () => {
    const pool = pools.create({ from: { tree: { leaves: [{ n: 1 }, { n: 2 }] } }, to: {} })
    const { root } = pool
    const leaf = root.from.tree.leaves[1]
    root.to.tree = root.from.tree
    delete root.from.tree
    assert.strictEqual(root.to.tree.leaves[1], leaf)
    const tree = root.to.tree
    delete root.to.tree
    leaf.n = 'changed while nothing referred to it'
    root.to.again = tree
    assert.strictEqual(root.to.again.leaves[1], leaf)
    assertAlike(pools.reopen(pool).root, { from: {}, to: { again: { leaves: [{ n: 1 }, { n: 'changed while nothing referred to it' }] } } })
  })

  it('to an object that was replaced stay usable while they are held', () => {
    const pool = pools.create({ a: { n: 1 }, list: [{ m: 1 }] })
    const old = pool.root.a
    const element = pool.root.list[0]
    pool.root.a = { n: 2 }
    pool.root.list.length = 0
    old.n = 3
    element.m = 4
    assert.strictEqual(old.n, 3)
    assert.strictEqual(element.m, 4)
    assert.strictEqual(pool.root.a.n, 2)
    pool.root.list.push(element, old)
    assertAlike(pools.reopen(pool).root, { a: { n: 2 }, list: [{ m: 4 }, { n: 3 }] })
  })

  it('of two pools: an object of the other is copied', () => {
    const one = pools.create({ a: { n: [1] }, twice: null })
    const two = pools.create({ b: { m: 1 } })
    one.root.a.self = one.root.a
    two.root.copy = one.root.a
    assert.notStrictEqual(two.root.copy, one.root.a)
    assert.strictEqual(two.root.copy.self, two.root.copy)
    two.root.copy.n.push(2)
    assertAlike(pools.reopen(one).root.a.n, [1])
    assertAlike(pools.reopen(two).root.copy.n, [1, 2])
  })

  it('of two pools: a plain value is one object in each', async () => {
    const [one, two, three] = [pools.create({}), pools.create({}), pools.create({})]
    const value = { n: [1] }
    for (let turn = 0; turn < 3; turn++) {
      for (const { root } of [one, two, three, two, one, three]) Object.assign(root, { b: root.a, a: value, n: value.n })
      for (const { root } of [one, two, three]) {
        assert.strictEqual(root.b, root.a)
        assert.strictEqual(root.n, root.a.n)
        assert.notStrictEqual(root.former, root.a)
        root.former = root.a
      }
      await new Promise(setImmediate)
    }
  })

  it('of two pools: an object of the other is copied each time, also in one turn', () => {
    const one = pools.create({ a: { n: [1], when: new Date(0) }, list: [[1]] })
    const two = pools.create({})
    for (const name of ['a', 'list']) {
      two.root.copy = one.root[name]
      if (name === 'a') two.root.copy.more = true
      else two.root.copy.push(2)
      two.root.copy = one.root[name]
      assert.notStrictEqual(two.root.copy, one.root[name])
      assertAlike(two.root.copy, one.plain(one.root[name]))
    }
  })

  it('of two pools: what holds objects of both refers to its own, and has copies of the others', () => {
    const one = pools.create({ a: { n: 1 } })
    const two = pools.create({ b: { m: 1 } })
    two.root.both = [one.root.a, two.root.b, { deep: one.root.a }]
    assert.strictEqual(two.root.both[1], two.root.b)
    assert.strictEqual(two.root.both[0], two.root.both[2].deep)
    one.close()
    const { root } = pools.reopen(two)
    assertAlike(root.both, [root.both[0], { m: 1 }, { deep: root.both[0] }])
    assertAlike(root.both[0], { n: 1 })
    assert.strictEqual(root.both[1], root.b)
  })
})
