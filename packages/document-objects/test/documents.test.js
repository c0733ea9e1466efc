'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setImmediate: turn } = require('node:timers/promises')
const { inspect } = require('node:util')
const { runInNewContext } = require('node:vm')
const { Worker } = require('node:worker_threads')
const { parseExact, toObject } = require('@potoroo/document-store')
const { MemoryLevel } = require('memory-level')
const { Databases } = require('@potoroo/document-store')
const { Pool } = require('pmemobj')
const { conflicts, openDocuments } = require('..')

describe('documents as objects', () => {
  let folder, pool, todos

  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-documents-'))
    pool = Pool.open(path.join(folder, 'pool'))
    todos = await openDocuments(pool, 'todos')
  })

  afterEach(async () => {
    if (!todos.store.closed) await todos.close()
    pool.close()
    rmSync(folder, { recursive: true })
  })

  const stored = async id => toObject(await todos.store.get(id))
  const set = (id, value) => todos.transaction(() => { todos.set(id, value) })

  describe('in a transaction', () => {
    it('are made, changed and deleted, a revision each', async () => {
      await set('milk', { text: 'Buy milk', done: false, tags: ['shop'] })
      const milk = todos.get('milk')
      assert.match(milk._rev, /^1-/)
      await todos.transaction(() => {
        milk.done = true
        milk.tags.push('today')
        delete milk.text
        milk.due = { day: new Date(0) }
      })
      assert.match(milk._rev, /^2-/)
      const expected = { _id: 'milk', _rev: milk._rev, done: true, tags: ['shop', 'today'], due: { day: '1970-01-01T00:00:00.000Z' } }
      assert.deepStrictEqual(await stored('milk'), expected)
      assert.deepStrictEqual({ ...milk, tags: [...milk.tags], due: { ...milk.due } }, expected)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(milk)), expected)
      assert.deepStrictEqual(todos.plain(milk), expected)
      assert.strictEqual(inspect(milk), inspect(expected))
      await todos.transaction(() => assert.strictEqual(todos.delete('milk'), true))
      assert.strictEqual(todos.get('milk'), undefined)
      assert.strictEqual(milk._deleted, true)
      await assert.rejects(todos.store.get('milk'), { code: 'DELETED' })
    })

    it('come back under the same object when they are made again', async () => {
      await set('milk', { n: 1 })
      const milk = todos.get('milk')
      await todos.transaction(() => todos.delete('milk'))
      await set('milk', { n: 2 })
      assert.strictEqual(todos.get('milk'), milk)
      assert.strictEqual(milk.n, 2)
      assert.match(milk._rev, /^3-/)
    })

    it('are refused with the promise of a transaction within, and with a word of braces', async () => {
      const within = () => todos.transaction(() => { todos.set('milk', { n: 1 }) })
      await assert.rejects(todos.transaction(within), { name: 'TypeError', message: /^A transaction cannot give the promise of one within it, .*with braces$/ })
      await assert.rejects(todos.transaction(() => { todos.transaction(within) }), { message: /with braces$/ })
      await assert.rejects(todos.transaction(async () => {}), { message: /^A transaction is done when its function returns/ })
      assert.strictEqual(todos.get('milk'), undefined)
      await todos.transaction(() => { within() })
      assert.strictEqual(todos.get('milk').n, 1)
    })

    it('show their changes there, and elsewhere when they are committed', async () => {
      await set('milk', { n: 1, list: [1] })
      const milk = todos.get('milk')
      const { list } = milk
      const ended = todos.transaction(() => {
        milk.n = 2
        list.unshift(0)
        todos.set('tea', {})
        assert.deepStrictEqual([milk.n, [...list], todos.size, todos.has('tea')], [2, [0, 1], 2, true])
        return 'done'
      })
      assert.deepStrictEqual([milk.n, [...list], todos.size, todos.has('tea')], [1, [1], 1, false])
      assert.strictEqual(inspect(milk.list), '[ 1 ]')
      assert.strictEqual(await ended, 'done')
      assert.deepStrictEqual([milk.n, [...list], todos.size, todos.has('tea')], [2, [0, 1], 2, true])
    })

    it('are as they were where it throws, and what others did in the same turn stays', async () => {
      await set('milk', { n: 1, deep: { list: [1] } })
      const milk = todos.get('milk')
      const first = todos.transaction(() => { milk.deep.list.push(2) })
      const second = todos.transaction(() => {
        milk.n = 7
        milk.deep.list.push(3)
        todos.set('tea', {})
        todos.delete('milk')
        throw new Error('no, wait')
      })
      const third = todos.transaction(() => {
        assert.strictEqual(milk.n, 1)
        milk.deep.list.push(4)
      })
      await assert.rejects(second, { message: 'no, wait' })
      await Promise.all([first, third])
      assert.deepStrictEqual(todos.plain(milk.deep), { list: [1, 2, 4] })
      assert.strictEqual(todos.has('tea'), false)
      assert.match(milk._rev, /^2-/) // one commit
    })

    it('may hold another, whose failure can be caught', async () => {
      await set('milk', { n: 1, m: 1 })
      const milk = todos.get('milk')
      await todos.transaction(() => {
        milk.n = 2
        assert.throws(() => todos.transaction(() => {
          milk.n = 3
          milk.m = 3
          throw new Error('inner')
        }), { message: 'inner' })
        todos.transaction(() => { milk.inner = true })
      })
      assert.deepStrictEqual([milk.n, milk.m, milk.inner], [2, 1, true])
      // It throws at once: the other cannot wait for a promise, and ends with it.
      await assert.rejects(todos.transaction(() => {
        milk.n = 4
        todos.transaction(() => { throw new Error('inner') }).catch(() => {})
      }), { message: 'inner' })
      assert.strictEqual(milk.n, 2)
    })

    it('are refused with what JSON would lose, and then nothing has changed', async () => {
      await set('milk', { n: 1 })
      const milk = todos.get('milk')
      const loop = {}
      loop.loop = loop
      for (const value of [NaN, 1n, () => {}, Symbol('s'), new Map(), new Set(), /x/, new Error('e'), Buffer.from('x'), runInNewContext('new Map([[1, 2]])'), runInNewContext('new Uint8Array(2)'), runInNewContext('new Error()'), loop, [loop], { deep: new Map() }]) {
        await assert.rejects(todos.transaction(() => {
          milk.n = 2
          milk.value = value
        }), TypeError)
      }
      for (const name of ['_id', '_rev', '_deleted', '_attachments', '_other']) {
        await assert.rejects(todos.transaction(() => { milk[name] = 'x' }), { name: 'TypeError', message: /underscore/ })
      }
      await assert.rejects(todos.transaction(async () => { milk.n = 3 }), TypeError)
      await assert.rejects(set('tea', []), TypeError)
      await assert.rejects(set('tea', { _id: 'milk' }), TypeError)
      await assert.rejects(set('_tea', {}), { code: 'ILLEGAL_DOCID' })
      await assert.rejects(set('_local/tea', {}), TypeError)
      assert.deepStrictEqual(await stored('milk'), { _id: 'milk', _rev: milk._rev, n: 1 })
      assert.strictEqual(milk.n, 1)
      assert.match(milk._rev, /^1-/)
    })

    it('may be a hundred thousand objects deep, and say where in them is what JSON has not', async () => {
      const nest = (inner, depth) => {
        let value = inner
        for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
        return value
      }
      await assert.rejects(set('milk', { deep: nest(1n, 100_000) }), { name: 'TypeError', message: /^milk….*\[0\]: documents are JSON/ })
      await assert.rejects(set('milk', { deep: nest(1n, 3) }), { message: /^milk\.deep\[0\]\.a\[0\]: / })
      await set('milk', { tags: [{ of: 1 }] })
      await assert.rejects(todos.transaction(() => { todos.get('milk').tags[0].of = [NaN] }), { message: /^milk\.tags\[0\]\.of\[0\]: / })
      const loop = {}
      loop.loop = nest(loop, 10_000)
      await assert.rejects(set('milk', loop), { name: 'TypeError', message: /lies in itself/ })
      await set('milk', { deep: nest('end', 500) })
      let value = todos.get('milk').deep
      for (let i = 0; i < 500; i++) value = value[0] ?? value.a
      assert.strictEqual(value, 'end')
    })

    it('leave integers as they were stored that JavaScript cannot hold', async () => {
      const text = '{"n":1,"big":9007199254740993,"list":[12345678901234567890,{"deep":-9007199254740993}],"text":"9007199254740993"}'
      await todos.store.write([parseExact(`{"_id":"milk",${text.slice(1)}`)])
      await turn()
      const milk = todos.get('milk')
      assert.strictEqual(milk.big, 9007199254740992)
      await todos.transaction(() => { milk.n = 2 })
      assert.strictEqual((await todos.store.get('milk')).body, text.replace('"n":1', '"n":2'))
      await todos.transaction(() => {
        milk.list.unshift(milk.list.pop())
        milk.big = 5
      })
      assert.strictEqual((await todos.store.get('milk')).body, '{"n":2,"big":5,"list":[{"deep":-9007199254740993},12345678901234567890],"text":"9007199254740993"}')
    })

    it('are not changed outside of one', async () => {
      await set('milk', { list: [] })
      const milk = todos.get('milk')
      for (const change of [() => { milk.n = 2 }, () => { delete milk.list }, () => milk.list.push(1), () => todos.set('a', {}), () => todos.delete('milk'), () => todos.clear()]) {
        assert.throws(change, { name: 'TypeError', message: /in a transaction/ })
      }
    })

    it('keep names that JavaScript has other uses for', async () => {
      await set('milk', JSON.parse('{"deep":{"__proto__":{"a":1},"constructor":2,"hasOwnProperty":3,"toJSON":4},"constructor":5}'))
      const milk = todos.get('milk')
      await todos.transaction(() => { milk.deep.n = 1 })
      await todos.store.put({ _id: 'other' })
      assert.strictEqual((await todos.store.get('milk')).body, '{"deep":{"__proto__":{"a":1},"constructor":2,"hasOwnProperty":3,"toJSON":4,"n":1},"constructor":5}')
      assert.strictEqual(Object.getPrototypeOf(milk), Object.prototype)
      assert.deepStrictEqual([milk.deep.constructor, milk.constructor, Object.keys(milk.deep)[0]], [2, 5, '__proto__'])
    })

    it('behave as plain arrays', async () => {
      const plain = [5, 3, { a: 1 }, [2], 'x', null]
      await set('a', { list: plain })
      const { list } = todos.get('a')
      assert.ok(Array.isArray(list))
      const works = [
        l => l.push(1, 2), l => l.pop(), l => l.shift(), l => l.unshift('u', 'v'), l => l.splice(1, 2, 'p', 'q', 'r'), l => l.reverse(),
        l => l.sort((a, b) => String(a) < String(b) ? -1 : 1), l => l.fill(0, 1, 2), l => l.copyWithin(0, 2), l => { l.length = 3 }, l => { l[4] = 'far' },
        l => { delete l[0] }, l => { l[1] = undefined }, l => l.map(x => x), l => l.indexOf('q'), l => l.concat([9]), l => l.flat(), l => l.at(-1), l => l.join()
      ]
      for (const work of works) {
        const expected = work(plain)
        await todos.transaction(() => assert.deepStrictEqual(JSON.stringify(work(list)), JSON.stringify(expected)))
        assert.strictEqual(JSON.stringify(list), JSON.stringify(plain), String(work))
        for (let i = 0; i < plain.length; i++) plain[i] ??= null
      }
    })
  })

  describe('that others change', () => {
    it('are seen by who holds them, with the parts that stayed at their place', async () => {
      await set('milk', { n: 1, deep: { a: 1 }, list: [{ b: 1 }] })
      const milk = todos.get('milk')
      const { deep, list, list: [first] } = milk
      await todos.store.put({ _id: 'milk', _rev: milk._rev, n: 2, deep: { a: 2 }, list: [{ b: 2 }, {}], more: true })
      assert.deepStrictEqual([milk.n, deep.a, first.b, list.length, milk.more], [2, 2, 2, 2, true])
      assert.ok(milk.deep === deep && milk.list === list && list[0] === first)
      await todos.store.put({ _id: 'milk', _rev: milk._rev, _deleted: true })
      assert.strictEqual(todos.get('milk'), undefined)
      assert.deepStrictEqual([milk.n, milk._deleted], [undefined, true])
    })

    it('make a transaction that met them begin again, and no change is lost', async () => {
      await set('n', { n: 0 })
      const number = todos.get('n')
      const add = () => todos.transaction(() => { number.n++ })
      const addElsewhere = async () => {
        for (;;) {
          const document = await stored('n')
          try {
            return await todos.store.put({ ...document, n: document.n + 1 })
          } catch (error) {
            assert.strictEqual(error.code, 'CONFLICT')
          }
        }
      }
      await Promise.all(Array.from({ length: 200 }, (_, i) => i % 3 === 0 ? addElsewhere() : add()))
      assert.strictEqual(number.n, 200)
      assert.strictEqual((await stored('n')).n, 200)
    })

    it('make it begin again where they were only read, or were not there', async () => {
      await set('a', { on: true })
      let runs = 0
      const write = todos.store.put({ _id: 'a', _rev: todos.get('a')._rev, on: false })
      const made = todos.store.put({ _id: 'b' })
      await todos.transaction(() => {
        runs++
        todos.set('seen', { on: todos.get('a').on, b: todos.has('b') })
      })
      await Promise.all([write, made])
      assert.strictEqual(runs, 2)
      assert.deepStrictEqual(todos.plain(todos.get('seen')), { _id: 'seen', _rev: todos.get('seen')._rev, on: false, b: true })
    })

    it('have conflicts that can be seen and ended', async () => {
      await set('milk', { n: 1 })
      const milk = todos.get('milk')
      assert.deepStrictEqual(milk[conflicts], [])
      await todos.store.write([
        { _id: 'milk', _rev: '1-0', n: 'lost' },
        { _id: 'milk', _revisions: { start: 2, ids: ['ffff', '0'] }, n: 'won' }
      ], { newEdits: false })
      await todos.store.write([{ _id: 'milk', _rev: '3-gone', _deleted: true }], { newEdits: false })
      assert.strictEqual(milk.n, 'won')
      const [{ n, _rev }] = milk[conflicts]
      assert.deepStrictEqual([n, milk[conflicts].length], [1, 1])
      await assert.rejects(todos.transaction(() => {
        delete milk[conflicts]
        assert.deepStrictEqual(milk[conflicts], [])
        throw new Error('no')
      }), { message: 'no' })
      assert.strictEqual(milk[conflicts].length, 1)
      await todos.transaction(() => {
        milk.also = milk[conflicts][0].n
        delete milk[conflicts]
      })
      assert.deepStrictEqual(milk[conflicts], [])
      assert.deepStrictEqual([milk.n, milk.also], ['won', 1])
      assert.strictEqual((await todos.store.get('milk', { conflicts: true })).conflicts, undefined)
      assert.strictEqual((await todos.store.get('milk', { rev: _rev })).deleted, false)
    })

    it('are told to those who watch', async () => {
      await set('milk', { n: 1 })
      const milk = todos.get('milk')
      const heard = []
      const ending = new AbortController()
      todos.watch(todos, changes => heard.push(['all', ...changes.map(({ id }) => id)]), { signal: ending.signal })
      const end = todos.watch(milk, ([{ rev }]) => heard.push(['milk', rev === milk._rev]))
      await todos.transaction(() => {
        milk.n = 2
        todos.set('tea', {})
      })
      await todos.store.put({ _id: 'other' })
      ending.abort()
      await todos.transaction(() => { milk.n = 3 })
      end()
      await todos.transaction(() => { milk.n = 4 })
      await new Promise(resolve => setImmediate(resolve))
      assert.deepStrictEqual(heard, [['all', 'milk', 'tea'], ['milk', true], ['all', 'other'], ['milk', true]])
      assert.throws(() => todos.watch({}, () => {}), TypeError)
    })

    it('go when they are purged', async () => {
      await set('milk', { n: 1 })
      const milk = todos.get('milk')
      await todos.store.purge({ milk: [milk._rev] })
      assert.deepStrictEqual([todos.get('milk'), milk.n, milk._rev], [undefined, undefined, undefined])
    })
  })

  it('are a Map in the order of ids', async () => {
    await todos.transaction(() => { for (const id of ['b', 'a', 'ä', '😀', '\uffff', 'c']) todos.set(id, { id }) })
    const order = ['a', 'b', 'c', 'ä', '\uffff', '😀']
    assert.deepStrictEqual([...todos.keys()], order)
    assert.deepStrictEqual([...todos].map(([id, document]) => document.id), order)
    assert.deepStrictEqual([...todos.values()].map(({ _id }) => _id), order)
    const visited = []
    todos.forEach((document, id, all) => visited.push([document._id === id, all === todos]))
    assert.deepStrictEqual(visited, order.map(() => [true, true]))
    await assert.rejects(todos.transaction(() => {
      todos.delete('b')
      todos.set('bb', {})
      todos.set('z', {})
      assert.deepStrictEqual([...todos.keys()], ['a', 'bb', 'c', 'z', 'ä', '\uffff', '😀'])
      assert.strictEqual(todos.size, 7)
      todos.clear()
      assert.deepStrictEqual([[...todos.keys()], todos.size], [[], 0])
      throw new Error('no')
    }), { message: 'no' })
    assert.deepStrictEqual([[...todos.keys()], todos.size, String(todos)], [order, 6, '[object Documents]'])
    assert.deepStrictEqual([todos.get('nobody'), todos.get(1), todos.has('nobody')], [undefined, undefined, false])
  })

  it('are walked through in pages, deleted ones left out', async () => {
    const ids = Array.from({ length: 2000 }, (_, i) => String(i).padStart(5, '0'))
    await todos.transaction(() => { for (const id of ids) todos.set(id, {}) })
    await todos.transaction(() => { for (const id of ids) if (Number(id) % 3 !== 0) todos.delete(id) })
    assert.deepStrictEqual([...todos.keys()], ids.filter(id => Number(id) % 3 === 0))
    assert.strictEqual(todos.size, 667)
  })

  it('refer to each other', async () => {
    await set('alice', { name: 'Alice' })
    await todos.transaction(() => {
      todos.set('milk', { owner: todos.get('alice'), helpers: [todos.get('alice'), { $ref: 'nobody' }] })
      todos.get('alice').likes = todos.get('milk')
    })
    const milk = todos.get('milk')
    assert.deepStrictEqual((await stored('milk')).owner, { $ref: 'alice' })
    assert.strictEqual(milk.owner, todos.get('alice'))
    assert.strictEqual(milk.owner.likes.owner.name, 'Alice')
    assert.strictEqual(milk.helpers.indexOf(todos.get('alice')), 0)
    assert.deepStrictEqual(todos.plain(milk.helpers[1]), { $ref: 'nobody' })
    await todos.transaction(() => todos.delete('alice'))
    assert.deepStrictEqual(todos.plain(milk.owner), { $ref: 'alice' })
  })

  it('are instances of classes, by their members', async () => {
    class Todo {
      constructor (text) {
        this.text = text
        this.done = undefined
      }

      get title () { return this.text.toUpperCase() }
      set title (title) { this.text = title.toLowerCase() }
      finish () { this.done = true }
    }
    class Other {}
    await assert.rejects(set('x', new Todo('milk')), { name: 'TypeError', message: /not registered/ })
    assert.throws(() => todos.register(Todo, { where: {} }), TypeError)
    todos.register(Todo, { where: { kind: 'todo' } })
    await set('milk', new Todo('milk'))
    const milk = todos.get('milk')
    assert.ok(milk instanceof Todo)
    assert.deepStrictEqual(todos.plain(milk), { _id: 'milk', _rev: milk._rev, text: 'milk', kind: 'todo' })
    await todos.transaction(() => {
      milk.finish()
      milk.title = 'TEA'
    })
    assert.deepStrictEqual([milk.title, milk.text, milk.done, Object.keys(milk)], ['TEA', 'tea', true, ['_id', '_rev', 'text', 'kind', 'done']])
    await todos.transaction(() => { milk.kind = 'note' })
    assert.ok(!(milk instanceof Todo))
    await assert.rejects(set('y', Object.assign(new Todo('a'), { kind: 'note' })), TypeError)
    await assert.rejects(set('y', new Other()), TypeError)
  })

  it('keep their attachments', async () => {
    await set('milk', { n: 1 })
    const milk = todos.get('milk')
    await todos.store.putAttachment('milk', 'a.txt', { contentType: 'text/plain', data: Buffer.from('hello') }, { rev: milk._rev })
    assert.strictEqual(milk._attachments['a.txt'].length, 5)
    await todos.transaction(() => { milk.n = 2 })
    await set('milk', { n: 3 })
    const { read } = await todos.store.getAttachment('milk', 'a.txt')
    assert.strictEqual(String(await read()), 'hello')
    assert.ok(Object.isFrozen(milk._attachments))
  })

  it('are the same for all who open them, and there when the pool is opened again', async () => {
    await set('milk', { n: 1 })
    assert.strictEqual(await openDocuments(pool, 'todos'), todos)
    const other = await openDocuments(pool, 'other')
    await other.transaction(() => { other.set('milk', { n: 2 }) })
    assert.strictEqual(todos.get('milk').n, 1)
    pool.root = { beside: true }
    const kept = todos.get('milk')
    await todos.close()
    await other.close()
    assert.throws(() => todos.get('milk'), { code: 'CLOSED' })
    assert.throws(() => kept.n, { code: 'CLOSED' })
    todos = await openDocuments(pool, 'todos')
    assert.deepStrictEqual([todos.get('milk').n, pool.root.beside], [1, true])
  })

  it('are one thread\'s alone', async () => {
    const code = `const { Pool } = require(${JSON.stringify(require.resolve('pmemobj'))})
      const { openDocuments } = require(${JSON.stringify(require.resolve('..'))})
      const { parentPort, workerData } = require('node:worker_threads')
      openDocuments(Pool.open(workerData), 'todos').then(() => 'opened', error => error.code).then(found => parentPort.postMessage(found))`
    const ask = async () => (await once(new Worker(code, { eval: true, workerData: path.join(folder, 'pool') }), 'message'))[0]
    assert.strictEqual(await ask(), 'LEVEL_LOCKED')
    await todos.close()
    pool.close()
    assert.strictEqual(await ask(), 'opened')
    pool = Pool.open(path.join(folder, 'pool'))
  })

  it('need a pool', async () => {
    await assert.rejects(openDocuments(folder, 'x'), TypeError)
    const level = new MemoryLevel()
    await level.open()
    const databases = await Databases.open(level)
    await assert.rejects(openDocuments(databases, 'x'), { code: 'NOT_IMPLEMENTED' })
  })
})
