'use strict'

const assert = require('node:assert')
const { setImmediate: nextTurn } = require('node:timers/promises')
const { Pool } = require('../..')
const { temporaryPools } = require('./temporary-pools')

const LONG = 'a string that is longer than a slot '.repeat(20)

/** An error by which a test takes something back. */
class Undo extends Error {}

function undone (pool, work) {
  assert.throws(() => pool.transaction(() => {
    work()
    throw new Undo()
  }), Undo)
}

describe('new objects in a transaction', () => {
  const pools = temporaryPools()
  let pool

  beforeEach(() => { pool = pools.create({ held: {} }) })

  function reopen () {
    pool = pools.reopen(pool)
    return pool.plain(pool.root)
  }

  const makeValue = () => ({ number: 1, text: LONG, list: [1, { deep: { text: LONG } }, 'two'], empty: [], nothing: {} })

  it('are there at once, and are the same each time', () => {
    pool.transaction(() => {
      pool.root.value = makeValue()
      assert.deepStrictEqual(pool.plain(pool.root.value), makeValue())
      assert.strictEqual(pool.root.value.list[1], pool.root.value.list[1])
      assert.strictEqual(pool.root.value, pool.root.value)
    })
    assert.deepStrictEqual(reopen().value, makeValue())
  })

  it('are changed before they are in the pool', () => {
    pool.transaction(() => {
      pool.root.value = makeValue()
      const { value } = pool.root
      value.number = 2
      value.text = 'short'
      value.list[1].deep.text += '!'
      value.list.push({ more: [value] })
      value.empty.push(...new Array(40).fill(7))
      delete value.nothing
    })
    const { value } = reopen()
    assert.deepStrictEqual([value.number, value.text, value.list[1].deep.text, value.empty.length, 'nothing' in value], [2, 'short', LONG + '!', 40, false])
    assert.strictEqual(value.list[3].more[0], value)
    assert.strictEqual(pool.collect().objects, 1)
  })

  it('get names like those of none before', () => {
    pool.transaction(() => {
      pool.root.value = { aNewName: 1, another: [{ aNewName: 2, another: 3 }] }
      assert.strictEqual(pool.root.value.another[0].aNewName, 2)
    })
    undone(pool, () => {
      pool.root.other = { aNameThatNeverStays: 1 }
      assert.strictEqual(pool.root.other.aNameThatNeverStays, 1)
    })
    pool.root.last = { aNameThatNeverStays: 2 }
    assert.deepStrictEqual(reopen(), { held: {}, value: { aNewName: 1, another: [{ aNewName: 2, another: 3 }] }, last: { aNameThatNeverStays: 2 } })
  })

  it('are with the program still where they were taken back', () => {
    let held, part
    undone(pool, () => {
      pool.root.value = makeValue()
      held = pool.root.value
      part = held.list[1]
      held.number = 5
    })
    assert.ok(!('value' in pool.root))
    assert.deepStrictEqual(pool.plain(held), makeValue())
    pool.root.again = held
    assert.strictEqual(pool.root.again, held)
    assert.strictEqual(pool.root.again.list[1], part)
    part.deep.text = 'other'
    const expected = makeValue()
    expected.list[1].deep.text = 'other'
    assert.deepStrictEqual(reopen().again, expected)
  })

  it('stay, and only what was done to them is taken back', () => {
    pool.transaction(() => {
      pool.root.value = makeValue()
      let held
      undone(pool, () => {
        held = pool.root.value
        held.text = 'other'
        held.list.length = 0
        held.list.push({ of: 'the inner one' })
      })
      assert.strictEqual(pool.root.value, held)
      assert.deepStrictEqual(pool.plain(held), makeValue())
      held.list[1].deep.text = 'last'
    })
    const expected = makeValue()
    expected.list[1].deep.text = 'last'
    assert.deepStrictEqual(reopen().value, expected)
    assert.strictEqual(pool.collect().objects, 0)
  })

  it('of an inner transaction go, and those of the outer one stay', () => {
    pool.transaction(() => {
      pool.root.first = { place: 1, text: LONG }
      undone(pool, () => {
        pool.root.second = { place: 2, text: LONG, first: pool.root.first }
        assert.strictEqual(pool.root.second.first.place, 1)
      })
      pool.root.third = { place: 3, first: pool.root.first }
      assert.strictEqual(pool.root.third.first, pool.root.first)
    })
    const root = reopen()
    assert.deepStrictEqual(root.first, { place: 1, text: LONG })
    assert.strictEqual(root.third.first, root.first)
    assert.ok(!('second' in root))
  })

  it('are one where one plain value is stored twice', () => {
    const plain = { of: { many: 1 } }
    pool.transaction(() => {
      pool.root.one = plain
      pool.root.two = { inner: plain.of }
      assert.strictEqual(pool.root.two.inner, pool.root.one.of)
      plain.of.many = 2
      pool.root.three = plain
      assert.notStrictEqual(pool.root.three, pool.root.one)
      pool.root.map = new Map([[plain, plain]])
      assert.strictEqual(pool.root.map.get(pool.root.three), pool.root.three)
    })
    assert.strictEqual(pool.root.map.get(plain), pool.root.three)
    pool.root.list = [plain.of]
    const { list } = pool.root
    assert.ok(list.includes(plain.of))
    assert.strictEqual(list[0], pool.root.three.of)
  })

  it('are one as long as all that was copied is the same', () => {
    const makePlain = () => ({ nan: NaN, zero: -0, text: LONG, texts: [LONG, LONG + 2], big: 2n ** 70n, symbol: Symbol.for('a'), nothing: undefined, object: pool.root.held, child: { list: [] } })
    for (const change of [
      plain => { plain.zero = 0 }, plain => { plain.text += 1 }, plain => { plain.texts.reverse() }, plain => { plain.big++ },
      plain => { plain.nothing = null }, plain => { plain.object = { ...plain.object } }, plain => { plain.child.list.push(1) },
      plain => { plain.child = {} }, plain => { delete plain.nan }, plain => { plain.aNewName = 1 }, plain => Object.setPrototypeOf(plain, null)
    ]) {
      const plain = makePlain()
      pool.root.first = plain
      pool.root.second = plain
      assert.strictEqual(pool.root.first, pool.root.second)
      change(plain)
      pool.root.third = plain
      assert.notStrictEqual(pool.root.third, pool.root.first)
      plain.object = pool.plain(pool.root.third.object)
      assert.deepStrictEqual(pool.plain(pool.root.third), plain, String(change))
    }
  })

  it('are others where what they hold was changed and copied since', () => {
    const plain = { child: { number: 1 } }
    pool.root.first = plain
    plain.child.number = 2
    pool.root.child = plain.child
    pool.root.second = plain
    assert.strictEqual(pool.root.second.child, pool.root.child)
    const map = new Map([[1, plain.child]])
    pool.root.third = map
    plain.child.number = 3
    pool.root.child = plain.child
    pool.root.fourth = map
    assert.strictEqual(pool.root.fourth.get(1), pool.root.child)
    assert.deepStrictEqual(reopen(), {
      held: {}, first: { child: { number: 1 } }, child: { number: 3 }, second: { child: { number: 2 } }, third: new Map([[1, { number: 2 }]]), fourth: new Map([[1, { number: 3 }]])
    })
  })

  it('are others where the first ones were taken back', () => {
    const plain = { number: 1 }
    let held
    undone(pool, () => {
      pool.root.value = plain
      held = pool.root.value
    })
    pool.root.value = plain
    assert.notStrictEqual(pool.root.value, held)
    assert.deepStrictEqual(reopen().value, plain)
  })

  it('are one in each of two pools', () => {
    const other = pools.create({})
    const plain = { number: 1 }
    Pool.transaction([pool, other], () => {
      for (const each of [pool, other, pool, other]) each.root[each.root.a === undefined ? 'a' : 'b'] = plain
      assert.strictEqual(pool.root.a, pool.root.b)
      assert.strictEqual(other.root.a, other.root.b)
      pool.root.a.number = 2
    })
    assert.deepStrictEqual([pool.root.b.number, other.root.b.number], [2, 1])
  })

  it('are read once, also beside what is no plain object', () => {
    const asked = []
    const shared = { get a () { asked.push('a'); return 1 } }
    const value = { get b () { asked.push('b'); return shared }, shared, map: new Map([[shared, [shared]]]), when: new Date(0), ['__proto__']: 5, [Symbol.for('s')]: [shared] }
    pool.root.value = value
    assert.deepStrictEqual(asked.sort(), ['a', 'b'])
    const kept = pool.root.value
    assert.ok([kept.b, kept.map.get(kept.shared)[0], kept[Symbol.for('s')][0]].every(each => each === kept.shared))
    assert.deepStrictEqual(Object.getOwnPropertyDescriptor(kept, '__proto__').value, 5)
    assert.strictEqual(kept.shared.a, 1)
  })

  it('may be made by getters of others', () => {
    const { root } = pool
    pool.transaction(() => {
      root.outer = { before: [1], get inner () { root.made = { by: 'a getter', text: LONG }; return root.made }, after: { text: LONG } }
    })
    undone(pool, () => { root.lost = { get inner () { root.lostToo = { text: LONG }; throw new Undo() } } })
    assert.deepStrictEqual(reopen(), {
      held: {}, made: { by: 'a getter', text: LONG }, outer: { before: [1], inner: { by: 'a getter', text: LONG }, after: { text: LONG } }
    })
    assert.strictEqual(pool.root.outer.inner, pool.root.made)
  })

  it('are read when it is their turn, whatever getters before them have done', () => {
    const makeTricky = () => {
      const list = [1]
      const holes = [1]
      const object = { a: 1 }
      return {
        get first () {
          for (let i = 0; i < 100; i++) list.push({ i })
          holes.length = 3
          for (let i = 0; i < 300; i++) object['name' + i] = [i]
          return 1
        },
        list,
        holes,
        object
      }
    }
    const expected = makeTricky()
    assert.strictEqual(expected.first, 1)
    pool.root.value = makeTricky()
    const { list, holes, object } = reopen().value
    assert.deepStrictEqual({ list, holes, object }, { list: expected.list, holes: expected.holes, object: expected.object })
  })

  it('are not there where one of their values is refused', () => {
    assert.throws(() => { pool.root.value = { good: { text: LONG }, bad: { call () {} } } }, TypeError)
    pool.root.next = { good: 1 }
    assert.deepStrictEqual(reopen(), { held: {}, next: { good: 1 } })
  })

  it('of thousands, some are looked at, and half are taken back', () => {
    const number = i => ({ i, square: { of: i * i }, text: i % 50 === 0 ? LONG : 'short' })
    const kept = []
    pool.root.list = []
    pool.transaction(() => {
      const { list } = pool.root
      for (let round = 0; round < 10; round++) {
        const numbers = Array.from({ length: 500 }, (_, i) => round * 1000 + i)
        const add = () => {
          for (const i of numbers) list.push(number(i))
          list.at(-7).square.of = -1
        }
        if (round % 2 === 1) undone(pool, add)
        else {
          add()
          kept.push(...numbers.map(i => i % 1000 === 493 ? { ...number(i), square: { of: -1 } } : number(i)))
        }
      }
      assert.deepStrictEqual(pool.plain(list), kept)
    })
    assert.deepStrictEqual(reopen().list, kept)
    assert.strictEqual(pool.collect().objects, 0)
  })

  it('are no changes to those who watch', async () => {
    const notices = []
    pool.root.list = []
    pool.watch(pool.root, notice => notices.push(notice), { deep: true })
    const { list } = pool.root
    pool.transaction(() => {
      list.push({ number: 1 })
      list[0].number = 2
    })
    await nextTurn()
    assert.deepStrictEqual(notices.map(({ changes }) => changes.map(({ object }) => object === list)), [[true]])
  })
})
