'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { setImmediate: turn } = require('node:timers/promises')
const fc = require('fast-check')
const { temporaryPools } = require('./temporary-pools')
const { startWorker } = require('../worker')

describe('pool.watch', () => {
  const pools = temporaryPools()
  let pool, root

  beforeEach(() => {
    pool = pools.create({ a: 1, list: [1, 2, 3], map: new Map([['k', { n: 1 }]]), set: new Set([1]), date: new Date(0), deep: { er: { est: 1 } } })
    root = pool.root
  })

  /** The keys that the listener of an object is told, after the work. */
  async function told (object, work, options) {
    const notices = []
    const watch = pool.watch(object, notice => notices.push(notice), options)
    work()
    await turn()
    watch.close()
    for (const { changes } of notices) {
      if (!options?.deep) assert.ok(changes.length === 1 && changes[0].object === object)
    }
    return notices.map(({ changes }) => changes.flatMap(({ keys }) => keys))
  }

  it('tells each commit: its number, the object, and the keys that were written', async () => {
    const notices = []
    pool.watch(root, notice => notices.push(notice))
    root.a = 2
    root.b = 3
    pool.transaction(() => {
      root.a = 4
      root.c = 5
      delete root.b
      root.deep.er.est = 9
    })
    assert.strictEqual(notices.length, 0, 'a listener runs once the program has come to its end')
    await turn()
    assert.deepStrictEqual(notices.map(({ changes }) => changes), [['a'], ['b'], ['a', 'c', 'b']].map(keys => [{ object: root, keys }]))
    assert.ok(notices.every(({ commit }, i) => i === 0 || commit > notices[i - 1].commit))
  })

  it('tells nothing of what was taken back, of other objects, and of what is not in the pool', async () => {
    assert.deepStrictEqual(await told(root, () => {
      assert.throws(() => pool.transaction(() => { root.a = 5; throw new Error('no') }), /no/)
      root.deep.er.est = 2
      pool.create({}).b = 1
    }), [])
    assert.deepStrictEqual(await told(root, () => pool.transaction(() => {
      root.a = 6
      assert.throws(() => pool.transaction(() => { root.b = 5; throw new Error('no') }), /no/)
    })), [['a']])
  })

  it('names properties, also of objects that become dictionaries and of symbols', async () => {
    const s = Symbol.for('s')
    assert.deepStrictEqual(await told(root, () => { root[s] = 1 }), [[s]])
    assert.deepStrictEqual(await told(root, () => pool.transaction(() => {
      for (let i = 0; i < 150; i++) root[`n${i}`] = i
      for (let i = 0; i < 149; i++) delete root[`n${i}`]
      root.n149 = 'last'
    })).then(([keys]) => keys.sort()), Array.from({ length: 150 }, (_, i) => `n${i}`).sort())
  })

  it('names indices and length of arrays, keys of Maps, elements of Sets; and none of Dates', async () => {
    const { list, map, set, date } = root
    assert.deepStrictEqual(await told(list, () => { list[1] = 5; list.push(6, 7); list.pop(); list.length = 1 }), [[1], [3, 4, 'length'], [4, 'length'], [1, 2, 3, 'length']])
    assert.deepStrictEqual(await told(list, () => list.push({})), [[1, 'length']])
    assert.deepStrictEqual(await told(list, () => list.unshift(0)), [[0, 1, 2, 'length']])
    assert.deepStrictEqual(await told(map, () => { map.set('k', 2); map.set(1, 1); map.delete('k'); map.clear() }), [['k'], [1], ['k'], [1]])
    assert.deepStrictEqual(await told(set, () => { set.add('x'.repeat(300)); set.add(1); set.delete(1); set.clear() }), [['x'.repeat(300)], [1], ['x'.repeat(300)]])
    const key = pool.create({})
    assert.strictEqual((await told(map, () => map.set(key, 1)))[0][0], key)
    assert.deepStrictEqual(await told(date, () => date.setTime(5)), [[]])
  })

  it('names the same keys whatever a program does: those whose values differ are among them', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', '1', '2')
    const step = fc.record({ how: fc.constantFrom('set', 'set', 'delete', 'many'), name, value: fc.nat(3) })
    await fc.assert(fc.asyncProperty(fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 6 }), async program => {
      pool.root = { object: {}, map: new Map() }
      const { object, map } = pool.root
      const seen = { object: [], map: [] }
      const watches = [pool.watch(object, ({ changes }) => seen.object.push(new Set(changes[0].keys))), pool.watch(map, ({ changes }) => seen.map.push(new Set(changes[0].keys)))]
      const expected = { object: [], map: [] }
      const look = () => ({ object: new Map(Object.entries(object)), map: new Map(map) })
      for (const steps of program) {
        const before = look()
        pool.transaction(() => {
          for (const { how, name: key, value } of steps) {
            if (how === 'set') { object[key] = value; map.set(key, value) } else if (how === 'delete') { delete object[key]; map.delete(key) } else {
              for (let i = 0; i < 140; i++) { object[`n${i}`] = value; map.set(i, value) }
              for (let i = 0; i < 139; i++) { delete object[`n${i}`]; map.delete(i) }
            }
          }
        })
        const after = look()
        for (const kind of ['object', 'map']) {
          const keys = [...new Set([...before[kind].keys(), ...after[kind].keys()])]
          expected[kind].push(keys.filter(key => before[kind].has(key) !== after[kind].has(key) || before[kind].get(key) !== after[kind].get(key)))
        }
      }
      await turn()
      for (const watch of watches) watch.close()
      for (const kind of ['object', 'map']) {
        let at = 0
        for (const keys of expected[kind]) {
          if (keys.length === 0 && !(seen[kind][at]?.size > 0)) continue
          const found = seen[kind].findIndex((set, i) => i >= at && keys.every(key => set.has(key)))
          assert.ok(found >= 0, `${kind}: ${keys}`)
          if (keys.length > 0) at = found + 1
        }
      }
    }), { numRuns: 100 })
  })

  it('deep: tells of all that the object leads to, as long as it does', async () => {
    const { deep } = root
    const { er } = deep
    assert.deepStrictEqual(await told(deep, () => { er.est = 2 }), [])
    const notices = []
    pool.watch(deep, notice => notices.push(notice.changes), { deep: true })
    er.est = 3
    deep.fresh = { list: [{ n: 1 }] }
    const { fresh } = deep
    fresh.list[0].n++
    root.a = 7
    pool.transaction(() => { er.est = 4; deep.x = 1 })
    await turn()
    assert.deepStrictEqual(notices.splice(0), [
      [{ object: er, keys: ['est'] }], [{ object: deep, keys: ['fresh'] }], [{ object: fresh.list[0], keys: ['n'] }],
      [{ object: er, keys: ['est'] }, { object: deep, keys: ['x'] }]
    ])
    root.elsewhere = er
    delete deep.er
    er.est = 5
    fresh.back = deep
    delete deep.fresh
    fresh.n = 1
    await turn()
    assert.deepStrictEqual(notices.map(changes => changes.flatMap(({ keys }) => keys)), [['er'], ['back'], ['fresh']])
  })

  it('deep: an object that is reached by two ways is watched until both are gone', async () => {
    const one = pool.create({ n: 0 })
    root.deep.one = one
    root.deep.er.one = one
    const notices = []
    pool.watch(root.deep, ({ changes }) => notices.push(changes[0].keys[0]), { deep: true })
    delete root.deep.one
    one.n = 1
    delete root.deep.er.one
    one.n = 2
    await turn()
    assert.deepStrictEqual(notices, ['one', 'n', 'one'])
  })

  it('is iterated over, until the loop ends', async () => {
    const seen = []
    setImmediate(() => { root.a = 10; root.b = 1 })
    const watch = pool.watch(root)
    for await (const { changes: [{ keys }] } of watch) {
      seen.push(keys[0])
      if (keys[0] === 'a') setImmediate(() => { root.c = 1 })
      if (keys[0] === 'c') break
    }
    assert.deepStrictEqual(seen, ['a', 'b', 'c'])
    root.a = 11
    assert.deepStrictEqual(await watch.next(), { value: undefined, done: true })
  })

  it('keeps a thousand notices for a slow iteration, and joins those behind them', async () => {
    const watch = pool.watch(root, { deep: true })
    for (let i = 0; i < 1000; i++) root.a = i
    await turn()
    for (let i = 0; i < 2000; i++) {
      root[`m${i % 3}`] = i
      root.list[i % 2 === 0 ? 2 : 0] = i
      if (i % 500 === 0) root.list.push(i)
      root.map.set(i % 2, i)
    }
    await turn()
    const notices = []
    for (let i = 0; i < 1001; i++) notices.push((await watch.next()).value)
    assert.deepStrictEqual(notices.slice(0, 1000).map(({ changes }) => changes), Array(1000).fill([{ object: root, keys: ['a'] }]))
    assert.deepStrictEqual(notices[1000].changes, [
      { object: root, keys: ['m0', 'm1', 'm2'] }, { object: root.list, keys: [0, 2, 3, 4, 5, 6, 'length'] }, { object: root.map, keys: [0, 1] }
    ])
    assert.ok(notices.every(({ commit }, i) => i === 0 || commit > notices[i - 1].commit))
    root.a = 'again'
    await turn()
    const { value } = await watch.next()
    assert.deepStrictEqual(value, { commit: value.commit, changes: [{ object: root, keys: ['a'] }] })
    assert.ok(value.commit > notices[1000].commit)
  })

  it('ends by close(), by a signal, and with the pool', async () => {
    const listener = () => assert.fail('told')
    pool.watch(root, listener).close()
    const controller = new AbortController()
    pool.watch(root, listener, { signal: controller.signal })
    const iterated = pool.watch(root, { signal: controller.signal })
    const next = iterated.next()
    const whole = pool.watch(root)
    const last = whole.next()
    controller.abort()
    await assert.rejects(next, { name: 'AbortError' })
    assert.deepStrictEqual(await iterated.next(), { value: undefined, done: true })
    assert.throws(() => pool.watch(root, listener, { signal: controller.signal }), { name: 'AbortError' })
    pool.close()
    assert.deepStrictEqual(await last, { value: undefined, done: true })
  })

  it('refuses what is not in the pool, and a transaction', () => {
    for (const value of [{}, undefined, pools.create({}).root]) assert.throws(() => pool.watch(value, () => {}), TypeError)
    assert.throws(() => pool.watch(pool.create({}), () => {}), { code: 'PMEMOBJ_INVALID' })
    assert.throws(() => pool.transaction(() => pool.watch(root, () => {})), { code: 'PMEMOBJ_IN_TRANSACTION' })
  })

  it('a listener may change what it is told of', async () => {
    const seen = []
    const watch = pool.watch(root, ({ changes: [{ keys }] }) => {
      seen.push(keys[0])
      if (root.a < 23) root.a++
    })
    root.a = 20
    await turn()
    watch.close()
    assert.deepStrictEqual([seen, root.a], [['a', 'a', 'a', 'a'], 23])
  })

  it('tells other threads what this one commits, each commit from when they have begun to watch', async () => {
    const worker = startWorker(`
      const assert = require('node:assert')
      const pool = Pool.open(location)
      const list = [...pool.root.list]
      const watch = pool.watch(pool.root, { deep: true })
      parentPort.postMessage('ready')
      const main = async () => {
        const seen = []
        for await (const { commit, changes } of watch) {
          for (const { object, keys } of changes) {
            assert.ok(commit > 0 && typeof object === 'object')
            if (object === pool.root) seen.push(...keys.map(String), pool.root.a)
            else if (object === pool.root.map) seen.push(...keys.map(key => key.n ?? key))
            else seen.push('other', ...keys)
          }
          if (changes.some(({ keys }) => keys.includes('end'))) break
        }
        parentPort.postMessage(seen)
        pool.close()
      }
      main()`, pool.path)
    await once(worker, 'message')
    const told = once(worker, 'message')
    const ended = once(worker, 'exit')
    root.a = 'first'
    await turn()
    root.map.set({ n: 'key' }, 1)
    root[Symbol.for('sym')] = 1
    root.deep.er.est = 2n
    root.end = true
    const [seen] = await told
    await ended
    assert.deepStrictEqual(seen, ['a', 'first', 'key', 'Symbol(sym)', 'first', 'other', 'est', 'end', 'first'])
    root.a = 'nobody watches'
  })

  it('tells this thread what another one commits', async () => {
    const other = pools.create({ n: 0, inner: {} })
    const location = other.path
    other.close()
    const reading = pools.open(location)
    const watched = reading.root
    const next = reading.watch(watched).next()
    const inner = reading.watch(watched.inner, { deep: true }).next()
    const worker = startWorker(`
      const pool = Pool.open(location)
      pool.root.n = 5
      pool.root.inner.x = { y: 1 }
      pool.close()`, location)
    const ended = once(worker, 'exit')
    const { value: { changes: [{ object, keys }] } } = await next
    assert.ok(object === watched && watched.n === 5)
    assert.deepStrictEqual(keys, ['n'])
    assert.deepStrictEqual((await inner).value.changes[0].keys, ['x'])
    await ended
  })

  it('deep: follows what another thread moves', async () => {
    const other = pools.create({ from: [{ n: 0 }, { n: 0 }], to: { list: [] }, away: null, own: { list: [] } })
    const location = other.path
    other.close()
    const reading = pools.open(location)
    const notices = []
    const [to, own] = ['to', 'own'].map(name => reading.watch(reading.root[name], { deep: true }))
    const worker = startWorker(`
      const pool = Pool.open(location)
      const { root } = pool
      const [one, two] = root.from
      const set = object => { object.n++ }
      set(one)
      pool.transaction(() => { root.to.list.push(root.from.shift()) })
      set(one)
      set(two)
      pool.transaction(() => { root.own.list.push(root.to.list.pop()) })
      set(one)
      root.own.done = true
      root.to.done = true
      pool.close()`, location)
    const ended = once(worker, 'exit')
    for (const [name, watch] of Object.entries({ to, own })) {
      for await (const { changes } of watch) {
        notices.push([name, ...changes.map(({ keys }) => keys.join())])
        if (changes[0].keys[0] === 'done') break
      }
    }
    await ended
    assert.deepStrictEqual(notices, [['to', '0,length'], ['to', 'n'], ['to', '0,length'], ['to', 'done'], ['own', '0,length'], ['own', 'n'], ['own', 'done']])
  })
})
