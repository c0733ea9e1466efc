'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { setImmediate: turn } = require('node:timers/promises')
const { Pool } = require('../..')
const { temporaryFolder } = require('../temporary-folder')
const { run } = require('../child')
const { startWorker, runWorker } = require('../worker')

// In a worker: the next thing that the test tells it. Messages that come together are handled in one turn.
const TOLD = `
  const { once } = require('node:events')
  const turn = () => new Promise(resolve => setImmediate(resolve))
  const told = async () => {
    const [message] = await once(parentPort, 'message')
    await turn()
    return message
  }
`

/** Ends the worker once it has said so. */
class Reader {
  #worker
  #exit

  constructor (script, location, data) {
    this.#worker = startWorker(`${TOLD} ${script}`, location, data)
    // A worker's last message and its exit may come in one turn.
    this.#exit = once(this.#worker, 'exit')
    this.#exit.catch(() => {})
  }

  async heard () {
    const [message] = await once(this.#worker, 'message')
    return message
  }

  tell (message) {
    this.#worker.postMessage(message)
    return this.heard()
  }

  async ended () {
    const [code] = await this.#exit
    assert.strictEqual(code, 0)
  }
}

describe('threads that read objects', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()
  let location, pool

  beforeEach(() => {
    location = folder.next()
    pool = Pool.create(location)
  })

  afterEach(() => pool.close())

  it('see what the one that writes has committed', async () => {
    pool.root = { list: [1, { deep: 'text'.repeat(100) }] }
    await runWorker(`
      const assert = require('node:assert')
      const pool = Pool.open(location)
      assert.deepStrictEqual(pool.plain(pool.root), data)`, location, pool.plain(pool.root))
  })

  it('see all of a transaction or nothing, in each of their turns', async () => {
    const READERS = 3
    const TURNS = 200
    const counts = Array.from({ length: 100 }, () => 10)
    const named = Object.fromEntries(counts.map((count, i) => [`name ${i}`, count]))
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key ${i}`, 10]))
    pool.root = { counts, named, many, accounts: counts.map(money => ({ money })), text: '0'.repeat(300) }
    // How many turns each reader has had.
    const progress = new Int32Array(new SharedArrayBuffer(4 * READERS))
    const readers = Array.from({ length: READERS }, (_, number) => runWorker(`
      const assert = require('node:assert')
      const pool = Pool.open(location)
      const sum = values => values.reduce((a, b) => a + b, 0)
      const look = () => {
        const { counts, named, many, accounts, text } = pool.root
        const total = sum(counts) + sum(Object.values(named)) + sum(Object.values(many)) + sum(accounts.map(({ money }) => money))
        return [total, text[0], text.length, pool.root.done === undefined]
      }
      const seen = new Set()
      for (let turns = 1; turns <= ${TURNS} || seen.size < 3; turns++) {
        const first = look()
        assert.deepStrictEqual(look(), first)
        assert.strictEqual(first[0], 6000)
        seen.add(first[1])
        Atomics.store(data.progress, data.number, turns)
        await new Promise(resolve => setImmediate(resolve))
      }
      Atomics.store(data.progress, data.number, -1)`, location, { progress, number }))
    const ended = Promise.all(readers)
    const outcome = { failed: false }
    ended.catch(() => { outcome.failed = true })
    const { root } = pool
    for (let i = 0; !outcome.failed && progress.some((_, number) => Atomics.load(progress, number) !== -1); i++) {
      pool.transaction(() => {
        const holders = [[root.counts, i % 100], [root.named, `name ${i * 7 % 100}`],
          [root.many, `key ${i * 11 % 300}`], [root.accounts[i * 13 % 100], 'money']]
        const [from, to] = [holders[i % 4], holders[(i + 1 + (i >> 2) % 3) % 4]]
        from[0][from[1]] -= 1
        root.text = String(i % 10).repeat(300)
        to[0][to[1]] += 1
      })
      if (i % 100 === 0) await turn()
    }
    assert.deepStrictEqual(await ended, [0, 0, 0])
  })

  it('see one commit until their turn ends, or they ask for the latest one', async () => {
    pool.root = { n: 1, inner: { n: 1 } }
    const gate = new Int32Array(new SharedArrayBuffer(4))
    const reader = new Reader(`
      const pool = Pool.open(location)
      const { root } = pool
      const seen = [root.n]
      parentPort.postMessage('seen')
      // The turn goes on until the other thread has written.
      Atomics.wait(data, 0, 0)
      seen.push(root.inner.n, pool.root.n)
      pool.refresh()
      seen.push(root.inner.n, root.n)
      parentPort.postMessage(seen)
      await told()
      parentPort.postMessage([root.n, root.inner.n, pool.root === root])`, location, gate)
    assert.strictEqual(await reader.heard(), 'seen')
    pool.transaction(() => { pool.root.n = pool.root.inner.n = 2 })
    const heard = reader.heard()
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
    assert.deepStrictEqual(await heard, [1, 1, 1, 2, 2])
    pool.transaction(() => { pool.root.n = pool.root.inner.n = 3 })
    assert.deepStrictEqual(await reader.tell('look'), [3, 3, true])
    await reader.ended()
  })

  it('have one object for each of the pool, in whatever turn they reach it', async () => {
    pool.root = { a: { n: 1 }, list: [] }
    pool.root.list.push(pool.root.a)
    const reader = new Reader(`
      const pool = Pool.open(location)
      const { root } = pool
      const { a, list } = root
      parentPort.postMessage(root.a === a && list[0] === a)
      for (;;) {
        if (await told() === 'end') break
        parentPort.postMessage([pool.root === root, pool.root.a === a, root.list === list, list[0] === a, a.n, root.b === a])
      }`, location)
    assert.strictEqual(await reader.heard(), true)
    assert.deepStrictEqual(await reader.tell('look'), [true, true, true, true, 1, false])
    pool.root.a.n = 2
    pool.root.b = pool.root.a
    assert.deepStrictEqual(await reader.tell('look'), [true, true, true, true, 2, true])
    pool.root.a = {}
    assert.deepStrictEqual(await reader.tell('look'), [true, false, true, true, 2, true])
    const ended = reader.ended()
    reader.tell('end')
    await ended
  })

  it('are refused to write, and change nothing', async () => {
    pool.root = { n: 1, list: [3, 2, 1], inner: {} }
    await runWorker(`
      const assert = require('node:assert')
      const pool = Pool.open(location)
      const { root } = pool
      const refused = { code: 'PMEMOBJ_READ_ONLY' }
      const ways = [() => { root.n = 2 }, () => { delete root.n }, () => { root.more = 1 }, () => root.list.push(4), () => root.list.sort(),
        () => { root.list.length = 0 }, () => { pool.root = {} }, () => pool.create({}), () => pool.transaction(() => {}),
        () => Object.defineProperty(root, 'n', { value: 2 }), () => Object.assign(root, { n: 2 }), () => pool.collect()]
      for (const way of ways) {
        assert.throws(way, refused, String(way))
        assert.deepStrictEqual(pool.plain(root), { n: 1, list: [3, 2, 1], inner: {} })
      }
      assert.strictEqual(pool.root, root)`, location)
    assert.deepStrictEqual(pool.plain(pool.root), { n: 1, list: [3, 2, 1], inner: {} })
  })

  for (const [end, how] of [['pool.close()', 'closes the pool'], ['', 'ends'], ['for (;;);', 'is terminated']]) {
    it(`write once the one that wrote ${how}`, async () => {
      const worker = startWorker(`
        const pool = Pool.open(location)
        pool.root = { by: 'worker', list: [1] }
        parentPort.postMessage('written')
        await new Promise(resolve => parentPort.once('message', resolve))
        ${end}`, location)
      await once(worker, 'message')
      const { root } = pool
      assert.throws(() => { root.by = 'main' }, { code: 'PMEMOBJ_READ_ONLY' })
      await turn()
      const exit = once(worker, 'exit')
      worker.postMessage('end')
      if (how === 'is terminated') await worker.terminate()
      await exit
      root.by = 'main'
      root.list.push({ two: 2 })
      assert.deepStrictEqual(pool.plain(root), { by: 'main', list: [1, { two: 2 }] })
      assert.strictEqual(pool.root, root)
    })
  }

  it('write on from what others have written, when they begin to', async () => {
    const { root: before } = pool
    assert.strictEqual(before, undefined)
    await runWorker(`
      const pool = Pool.open(location)
      pool.root = { list: [] }
      for (let i = 0; i < 2000; i++) pool.root.list.push({ i })`, location)
    const { root } = pool
    pool.transaction(() => { for (let i = 2000; i < 3000; i++) root.list.push({ i }) })
    assert.deepStrictEqual(pool.plain(root.list), Array.from({ length: 3000 }, (_, i) => ({ i })))
  })

  it('are told that an object was collected, and cannot put it back', async () => {
    pool.root = { a: { b: { c: 1 } }, other: {} }
    const reader = new Reader(`
      const assert = require('node:assert')
      const pool = Pool.open(location)
      const { a } = pool.root
      const { b } = a
      parentPort.postMessage(b.c)
      await told()
      const notFound = { code: 'PMEMOBJ_NOT_FOUND' }
      for (const way of [() => a.b, () => b.c, () => Object.keys(a), () => 'b' in a, () => JSON.stringify(a), () => pool.plain(a)]) {
        assert.throws(way, notFound)
      }
      parentPort.postMessage('lost')
      await told()
      // It is the one that writes now.
      pool.root.other.n = 1
      for (const way of [() => { pool.root.other.a = a }, () => pool.create([b]), () => { a.b = 1 }, () => { pool.root = [a] }]) {
        assert.throws(way, notFound)
      }
      parentPort.postMessage(pool.plain(pool.root))`, location)
    assert.strictEqual(await reader.heard(), 1)
    delete pool.root.a
    pool.close()
    pool = Pool.open(location)
    assert.strictEqual(pool.collect().objects, 2)
    assert.strictEqual(await reader.tell('look'), 'lost')
    pool.close()
    assert.deepStrictEqual(await reader.tell('write'), { other: { n: 1 } })
    await reader.ended()
    pool = Pool.open(location)
    assert.deepStrictEqual(pool.plain(pool.root), { other: { n: 1 } })
  })

  it('keep a snapshot for a turn, and one that writes keeps none', async () => {
    pool.root = { n: 1 }
    assert.strictEqual(pool.stats().snapshots, 0)
    const reader = new Reader(`
      const pool = Pool.open(location)
      const { root } = pool
      const within = [pool.stats().snapshots, root.n, pool.stats().snapshots]
      pool.refresh()
      within.push(pool.stats().snapshots, root.n, pool.stats().snapshots)
      await turn()
      parentPort.postMessage([...within, pool.stats().snapshots])
      await told()
      const { n } = root
      pool.close()
      parentPort.postMessage(n)`, location)
    assert.deepStrictEqual(await reader.heard(), [1, 1, 1, 0, 1, 1, 0])
    assert.strictEqual(pool.root.n, 1)
    await turn()
    assert.strictEqual(pool.stats().snapshots, 0)
    assert.strictEqual(await reader.tell('close'), 1)
    assert.strictEqual(pool.stats().snapshots, 0)
    await reader.ended()
    const { root } = pool
    root.n = 2
    assert.strictEqual(root.n, 2)
    assert.strictEqual(pool.stats().snapshots, 0)
  })

  it('give their snapshot up when they begin to write in the same turn', async () => {
    pool.root = { n: 1 }
    pool.close()
    pool = Pool.open(location)
    const { root } = pool
    assert.strictEqual(root.n, 1)
    assert.strictEqual(pool.stats().snapshots, 1)
    root.n++
    assert.strictEqual(pool.stats().snapshots, 0)
    assert.strictEqual(root.n, 2)
  })

  it('get nothing any more from a pool that they have closed', () => {
    pool.root = { inner: { n: 1 } }
    pool.close()
    pool = Pool.open(location)
    const { root } = pool
    const { inner } = root
    pool.close()
    for (const way of [() => root.inner, () => inner.n, () => pool.root, () => { root.n = 1 }, () => pool.refresh(), () => Object.keys(inner)]) {
      assert.throws(way, { code: 'PMEMOBJ_CLOSED' }, String(way))
    }
  })

  it('are of one process', async () => {
    pool.root = {}
    const output = await run(`
      try {
        Pool.open(process.argv[1]).root
      } catch (error) {
        console.log(error.code)
      }`, [location])
    assert.strictEqual(output.trim(), 'PMEMOBJ_IN_USE')
  })
})
