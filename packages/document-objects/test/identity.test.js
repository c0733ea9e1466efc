'use strict'

const assert = require('node:assert')
const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { inspect } = require('node:util')
const { toObject } = require('@potoroo/document-store')
const { Pool } = require('pmemobj')
const { openDocuments } = require('..')

describe('objects in documents that are held', () => {
  let folder, pool, todos, milk

  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-identity-'))
    pool = Pool.open(path.join(folder, 'pool'))
    todos = await openDocuments(pool, 'todos')
    await todos.transaction(() => { todos.set('milk', { tags: ['a'], items: [{ n: 2 }, { n: 1 }, { n: 3 }], deep: { in: { it: { n: 0 } } } }) })
    milk = todos.get('milk')
  })

  afterEach(async () => {
    if (!todos.store.closed) await todos.close()
    pool.close()
    rmSync(folder, { recursive: true })
  })

  const stored = async () => toObject(await todos.store.get('milk'))
  const numbers = list => Array.from(list, ({ n }) => n)

  describe('stay themselves where they are moved', () => {
    const moves = {
      shift: [items => items.shift(), [1, 99]],
      unshift: [items => items.unshift({ n: 0 }), [0, 2, 1, 99]],
      splice: [items => items.splice(0, 1, { n: 7 }, { n: 8 }), [7, 8, 1, 99]],
      reverse: [items => items.reverse(), [99, 1, 2]],
      sort: [items => items.sort((a, b) => a.n - b.n), [1, 2, 99]],
      copyWithin: [items => items.copyWithin(0, 1), [1, 99, 3]],
      filter: [items => { milk.items = items.filter(({ n }) => n !== 1) }, [2, 99]],
      'a new array': [items => { milk.items = [{ n: 0 }, ...items] }, [0, 2, 1, 99]],
      'another document value': [items => { todos.set('milk', { ...milk, items: [items[2]] }) }, [99]],
      'another member, deeper': [items => { milk.items = [{ n: 5 }, items[2]] }, [5, 99]],
      'taken out and put back': [items => items.unshift(items.pop()), [99, 2, 1]]
    }
    for (const [name, [move, expected]] of Object.entries(moves)) {
      it(`by ${name}`, async () => {
        const [last] = milk.items.slice(-1)
        await todos.transaction(() => {
          move(milk.items)
          if (name === 'copyWithin') milk.items[2] = { n: 3 }
          last.n = 99
          assert.deepStrictEqual(numbers(milk.items), expected)
        })
        assert.deepStrictEqual(numbers((await stored()).items), expected)
        assert.deepStrictEqual(numbers(milk.items), expected)
        assert.strictEqual(milk.items[expected.indexOf(99)], last)
        await todos.transaction(() => { last.n = 100 })
        assert.strictEqual((await stored()).items[expected.indexOf(99)].n, 100)
      })
    }

    it('and those in them', async () => {
      const { it: inner } = milk.deep.in
      const { tags } = milk
      await todos.transaction(() => {
        milk.other = [{ all: milk.deep }]
        delete milk.deep
        inner.n = 1
        tags.push('b')
      })
      assert.deepStrictEqual((await stored()).other, [{ all: { in: { it: { n: 1 } } } }])
      assert.strictEqual(milk.other[0].all.in.it, inner)
    })

    it('and are two where they were assigned to two places', async () => {
      const [first] = milk.items
      await todos.transaction(() => {
        milk.copy = { of: [first, first] }
        first.n = 5 // before they part
      })
      assert.deepStrictEqual([numbers(milk.items), numbers(milk.copy.of)], [[5, 1, 3], [5, 5]])
      assert.strictEqual(milk.items[0], first)
      await todos.transaction(() => { milk.copy.of[1].n = 6 })
      assert.deepStrictEqual([numbers(milk.items), numbers(milk.copy.of)], [[5, 1, 3], [5, 6]])
      await todos.store.put({ ...await stored(), items: [{ n: 1 }], copy: { of: [{ n: 2 }, { n: 3 }] } })
      assert.deepStrictEqual([numbers(milk.items), numbers(milk.copy.of)], [[1], [2, 3]])
    })

    it('and do not lie in themselves', async () => {
      for (const lie of [() => { milk.deep.in.it = milk.deep }, () => { milk.deep.in.it = { also: [milk.deep] } }, () => milk.items.push(milk.items)]) {
        await assert.rejects(todos.transaction(lie), { name: 'TypeError', message: /lies in itself/ })
      }
      await todos.transaction(() => { milk.deep.copy = todos.plain(milk.deep) })
      assert.deepStrictEqual((await stored()).deep, { in: { it: { n: 0 } }, copy: { in: { it: { n: 0 } } } })
    })

    it('also where the transaction is taken back', async () => {
      const [first, second] = milk.items
      await assert.rejects(todos.transaction(() => {
        milk.items = [second, first]
        first.n = 9
        throw new Error('no')
      }), { message: 'no' })
      assert.deepStrictEqual([numbers(milk.items), milk.items[0], milk.items[1]], [[2, 1, 3], first, second])
      await todos.transaction(() => {
        assert.throws(() => todos.transaction(() => {
          milk.items.reverse()
          throw new Error('no')
        }), { message: 'no' })
        first.n = 4
      })
      assert.deepStrictEqual(numbers((await stored()).items), [4, 1, 3])
    })
  })

  describe('that are in their document no more', () => {
    const gone = { name: 'TypeError', message: /milk: the document has this (object|array) no more/ }

    it('cannot be changed: it would be lost', async () => {
      const { tags, items: [first], deep: { in: { it: inner } } } = milk
      await assert.rejects(todos.transaction(() => {
        milk.items.shift()
        first.n = 9
      }), gone)
      await assert.rejects(todos.transaction(() => {
        milk.deep = 5
        inner.n = 9
      }), gone)
      await assert.rejects(todos.transaction(() => {
        milk.tags = ['x']
        tags.push('y')
      }), gone)
      assert.deepStrictEqual(await stored(), todos.plain(milk))
      await todos.transaction(() => {
        first.n = 8 // and then it goes
        milk.items.shift()
      })
      assert.deepStrictEqual([numbers(milk.items), first.n], [[1, 3], 8])
      await assert.rejects(todos.transaction(() => { first.n = 9 }), gone)
    })

    it('also where others took them away', async () => {
      const { items: [, , last] } = milk
      await todos.store.put({ ...await stored(), items: [{ n: 1 }] })
      await assert.rejects(todos.transaction(() => { last.n = 9 }), gone)
      await todos.transaction(() => {
        milk.items.push(last)
        last.n = 9
      })
      assert.deepStrictEqual(numbers((await stored()).items), [1, 9])
    })
  })

  describe('go on as what replaced them', () => {
    it('by an assignment, once it is committed', async () => {
      const { tags, deep, deep: { in: inner, in: { it: innermost } } } = milk
      await todos.transaction(() => {
        milk.tags = ['x']
        milk.deep = { in: { it: { n: 7 }, more: true } }
        assert.deepStrictEqual([tags[0], innermost.n], ['a', 0])
      })
      assert.deepStrictEqual([[...tags], innermost.n, inner.more], [['x'], 7, true])
      assert.ok(milk.tags === tags && milk.deep === deep && milk.deep.in === inner && inner.it === innermost)
      await todos.transaction(() => {
        tags.push('y')
        innermost.n++
      })
      assert.deepStrictEqual(await stored(), { _id: 'milk', _rev: milk._rev, tags: ['x', 'y'], items: [{ n: 2 }, { n: 1 }, { n: 3 }], deep: { in: { it: { n: 8 }, more: true } } })
    })

    it('by `set`, and by others', async () => {
      const { tags, items: [first] } = milk
      await todos.transaction(() => { todos.set('milk', { tags: ['x'], items: [{ n: 4 }] }) })
      assert.deepStrictEqual([tags[0], first.n, milk.tags === tags, milk.items[0] === first], ['x', 4, true, true])
      await todos.store.put({ ...await stored(), tags: ['y'] })
      assert.deepStrictEqual([tags[0], milk.tags === tags], ['y', true])
    })

    it('with those who looked at the new ones in the transaction', async () => {
      const { tags } = milk
      const list = await todos.transaction(() => {
        milk.tags = []
        milk.tags.push({ x: 1 })
        return milk.tags
      })
      const [element] = list
      assert.strictEqual(milk.tags, tags)
      await todos.transaction(() => {
        list.push({ x: 2 })
        element.x = 3
      })
      for (const each of [list, tags, milk.tags, (await stored()).tags]) assert.deepStrictEqual(Array.from(each, ({ x }) => x), [3, 2])
    })

    it('once, and only where they were committed', async () => {
      await todos.transaction(() => { Object.assign(milk, { list: [], other: { n: 0 }, pair: [null, 1] }) })
      const { other } = milk
      let made
      const first = todos.transaction(() => {
        milk.list = [other]
        milk.list[0] = { n: 5 }
        made = milk.list[0]
        delete milk.other
        milk.pair = [milk.pair, milk.pair]
      })
      const second = todos.transaction(() => { milk.pair.shift() })
      await Promise.all([first, second])
      assert.deepStrictEqual([todos.plain(milk.pair), (await stored()).pair, other.n, made.n, milk.list[0] === made], [[[null, 1]], [[null, 1]], 0, 5, true])
      await todos.transaction(() => { made.n = 6 })
      assert.deepStrictEqual((await stored()).list, [{ n: 6 }])
    })

    const moves = {
      'which was replaced later': inner => { milk.items[0] = inner },
      'behind others': inner => { milk.items.push(inner) },
      'that was emptied': inner => {
        milk.items.length = 0
        milk.items.push(inner)
      }
    }
    for (const [where, move] of Object.entries(moves)) {
      it(`at one place, also those that were moved into a list ${where}`, async () => {
        for (const replace of [given => Object.assign(milk, given), given => todos.set('milk', given)]) {
          await todos.transaction(() => { todos.set('milk', { deep: { n: 0 }, items: [{ n: 2 }], list: [{ n: 3 }] }) })
          const { deep } = milk
          await todos.transaction(() => {
            delete milk.deep
            move(deep)
            replace({ deep: { n: 5 }, items: [{ n: 6 }, { n: 7 }], list: [{ n: 8 }] })
          })
          assert.deepStrictEqual(JSON.parse(JSON.stringify(milk)), await stored())
          await todos.transaction(() => { milk.deep.n++ })
          assert.deepStrictEqual(JSON.parse(JSON.stringify(await stored())), { _id: 'milk', _rev: milk._rev, deep: { n: 6 }, items: [{ n: 6 }, { n: 7 }], list: [{ n: 8 }] })
        }
      })
    }

    it('but not as what was moved there', async () => {
      const { items: [first, second], items } = milk
      await todos.transaction(() => {
        milk.items = [second]
        milk.kept = items
      })
      assert.deepStrictEqual([numbers(milk.items), milk.items[0] === second, milk.kept === items, items[0] === first], [[1], true, true, true])
      await todos.transaction(() => { first.n = 50 })
      assert.deepStrictEqual(numbers((await stored()).kept), [50, 1, 3])
    })
  })

  it('can be very many that are moved and changed', async () => {
    await todos.transaction(() => { milk.items = Array.from({ length: 20000 }, (_, n) => ({ n })) })
    const held = [...milk.items]
    await todos.transaction(() => {
      milk.items = milk.items.filter(({ n }) => n % 2 === 1)
      for (const each of held) {
        if (each.n % 2 !== 1) continue
        each.n = -each.n
        each.made = {}
        each.made.here = true
      }
    })
    const { items } = await stored()
    assert.deepStrictEqual([items.length, items[0], items[9999]], [10000, { n: -1, made: { here: true } }, { n: -19999, made: { here: true } }])
  })

  it('cannot be read when the database is closed', async () => {
    const { tags } = milk
    await todos.close()
    assert.strictEqual(inspect(milk), '[of a closed database]')
    for (const read of [() => milk.tags, () => tags[0], () => tags.length, () => milk._rev, () => todos.plain(milk), () => Object.keys(milk)]) assert.throws(read, { code: 'CLOSED' })
  })

  it('have no members by the names of getters', async () => {
    class Todo {
      get label () { return `${this.text}!` }
    }
    todos.register(Todo, { where: { kind: 'todo' } })
    await todos.transaction(() => todos.set('tea', { kind: 'todo', text: 'tea' }))
    const tea = todos.get('tea')
    await assert.rejects(todos.transaction(() => { tea.label = 'own' }), { name: 'TypeError', message: 'tea.label: its class has a getter of this name, and no setter' })
    assert.strictEqual(tea.label, 'tea!')
  })
})
