'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

describe('states of a pool that are kept', () => {
  const pools = temporaryPools()

  class Todo { get title () { return this.text.toUpperCase() } }

  it('show the objects as they were, whatever comes after', () => {
    const pool = pools.create({ list: [1, { n: 1 }], map: new Map([['k', new Set([1])]]), date: new Date(0), text: 'x'.repeat(300), gone: { deep: [1] } })
    const { root } = pool
    const before = pool.keep('before')
    const plain = pool.plain(root)
    root.list[1].n = 2
    root.list.push(3)
    root.map.get('k').add(2)
    root.map.set('new', 1)
    root.date.setTime(5)
    root.text = 'other'
    delete root.gone
    pool.collect()
    const after = pool.keep()
    pool.root = { all: 'new' }
    pool.collect()
    assert.deepStrictEqual(pool.plain(before.root), plain)
    assert.deepStrictEqual([after.root.list.length, after.root.list[1].n, after.root.map.size, after.root.date.getTime(), 'gone' in after.root], [3, 2, 2, 5, false])
    assert.strictEqual(pool.root.all, 'new')
    assert.ok(after.commit > before.commit && before.time instanceof Date)
  })

  it('are found by commit and by name, and are listed until they are closed', () => {
    const pool = pools.create({ n: 0 })
    const states = [1, 2, 3].map(n => {
      pool.root.n = n
      return pool.keep(n === 2 ? 'two' : undefined)
    })
    assert.deepStrictEqual(pool.history, states)
    assert.deepStrictEqual(pool.history.map(({ commit }) => pool.at(commit).root.n), [1, 2, 3])
    assert.strictEqual(pool.at('two'), states[1])
    states[1].close()
    states[1].close()
    assert.deepStrictEqual([pool.history, states[1].closed], [[states[0], states[2]], true])
    assert.throws(() => pool.at('two'), { code: 'PMEMOBJ_NOT_FOUND' })
    assert.throws(() => pool.at(states[1].commit), { code: 'PMEMOBJ_NOT_FOUND', message: /not kept/ })
    for (const wrong of [states[0], undefined, null, {}, true]) assert.throws(() => pool.at(wrong), { name: 'TypeError', message: 'pool.at() takes the name of a state, or the number of its commit: state.name, state.commit' })
    const seen = states[0].root
    states[0].close()
    for (const late of [() => states[0].root, () => states[1].root, () => seen.n]) assert.throws(late, { code: 'PMEMOBJ_CLOSED', message: 'The state is closed, or its pool is' })
    assert.throws(() => pool.keep(5), TypeError)
  })

  it('are read only, and what is assigned from them is copied', () => {
    const pool = pools.create({ list: [1], map: new Map(), o: { n: 1 } })
    const { root } = pool.keep()
    const o = root.o
    for (const change of [() => { root.a = 1 }, () => { delete root.o }, () => root.list.push(1), () => root.map.set(1, 1), () => { o.n = 2 }]) {
      assert.throws(change, { code: 'PMEMOBJ_READ_ONLY' }, String(change))
    }
    pool.root.o.n = 2
    pool.root.list.push(2)
    pool.root.back = o
    pool.root.lists = root.list
    assert.deepStrictEqual([pool.root.back.n, pool.root.o.n, pool.root.lists.join()], [1, 2, '1'])
    assert.ok(pool.root.back !== o && root.o === o)
  })

  it('are brought back each time, also in one turn', () => {
    const pool = pools.create({ todos: ['milk'], set: new Set([1]), when: new Date(0) })
    const before = pool.keep()
    for (let round = 0; round < 3; round++) {
      pool.root.todos.push('bread')
      pool.root.set.clear()
      pool.root.when.setTime(round)
      for (const name of ['todos', 'set', 'when']) pool.root[name] = before.root[name]
      assertAlike(pool.root, { todos: ['milk'], set: new Set([1]), when: new Date(0) })
    }
  })

  it('know the classes of the pool, also those that are registered later', () => {
    const pool = pools.create()
    pool.register(Todo)
    pool.root = Object.assign(new Todo(), { text: 'milk' })
    const again = pools.reopen(pool)
    const { root } = again.keep()
    again.register(Todo)
    assert.strictEqual(root.title, 'MILK')
    assert.ok(root instanceof Todo)
  })

  it('have the maps of that moment', () => {
    const pool = pools.create({})
    const map = pool.map('m')
    map.put('a', '1')
    const { snapshot } = pool.keep()
    map.put('a', '2')
    assert.deepStrictEqual([map.get('a', { snapshot }), map.get('a')], ['1', '2'])
  })

  it('end with the pool, and cannot begin in a transaction', () => {
    const pool = pools.create({ o: {} })
    assert.throws(() => pool.transaction(() => pool.keep()), { code: 'PMEMOBJ_IN_TRANSACTION' })
    const { root } = pool.keep()
    const { o } = root
    pool.close()
    assert.throws(() => o.n, { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => pool.keep(), { code: 'PMEMOBJ_CLOSED' })
  })

  it('of a pool without objects have none', () => {
    const pool = pools.create()
    const state = pool.keep()
    pool.root = 1
    assert.deepStrictEqual([state.root, pool.root], [undefined, 1])
  })

  it('hold the space of what is gone, and give it back', () => {
    const pool = pools.create({ big: Array.from({ length: 2000 }, (_, i) => ({ i, text: 'x'.repeat(200) })) })
    const state = pool.keep()
    delete pool.root.big
    pool.collect()
    assert.strictEqual(state.root.big[1999].text.length, 200)
    assert.strictEqual(pool.stats().snapshots, 1)
    state.close()
    assert.strictEqual(pool.stats().snapshots, 0)
  })

  it('are what a model has, of random programs', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const step = fc.oneof(fc.record({ how: fc.constant('set'), name, value: fc.nat(9) }), fc.record({ how: fc.constant('delete'), name }), fc.record({ how: fc.constant('push'), value: fc.nat(9) }),
      fc.record({ how: fc.constant('shift') }), fc.record({ how: fc.constant('keep') }), fc.record({ how: fc.constant('drop') }), fc.record({ how: fc.constant('collect') }))
    fc.assert(fc.property(fc.array(step, { maxLength: 60 }), program => {
      const pool = pools.create({ o: {}, list: Array.from({ length: 40 }, () => ({ n: 0 })) })
      const models = []
      for (const { how, name: key, value } of program) {
        const { o, list } = pool.root
        if (how === 'set') o[key] = { value }
        else if (how === 'delete') delete o[key]
        else if (how === 'push') list.push({ n: value })
        else if (how === 'shift') list.shift()
        else if (how === 'keep') models.push({ state: pool.keep(), text: JSON.stringify(pool.root) })
        else if (how === 'drop') models.shift()?.state.close()
        else pool.collect()
      }
      for (const { state, text } of models) assert.strictEqual(JSON.stringify(state.root), text)
      pool.close()
    }), { numRuns: 40 })
  })
})
