'use strict'

const assert = require('node:assert')
const { getEventListeners } = require('node:events')
const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setImmediate: turn } = require('node:timers/promises')
const { inspect } = require('node:util')
const vm = require('node:vm')
const { toObject } = require('@potoroo/document-store')
const { Pool } = require('pmemobj')
const { conflicts, openDocuments } = require('..')

describe('documents as objects, at their edges', () => {
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

  const set = async (id, value) => {
    await todos.transaction(() => { todos.set(id, value) })
    await turn()
    return todos.get(id)
  }
  const replicate = (id, rev, members) => todos.store.write([{ _id: id, _rev: rev, ...members }], { newEdits: false })

  it('show nobody what is not committed: no copy, no inspection, no conflict', async () => {
    const milk = await set('milk', { deep: { n: 1 } })
    await replicate('milk', '1-0', { n: 2 })
    const before = [inspect(milk), inspect(milk.deep), todos.plain(milk), milk[conflicts].length]
    const written = todos.transaction(() => {
      milk.deep.n = 2
      milk.more = true
      delete milk[conflicts]
    })
    assert.deepStrictEqual([inspect(milk), inspect(milk.deep), todos.plain(milk), milk[conflicts].length], before)
    await written
    assert.deepStrictEqual([todos.plain(milk).deep, milk[conflicts].length], [{ n: 2 }, 0])
  })

  it('take no transaction once they are closed, not even one that does nothing', async () => {
    const last = todos.transaction(() => 1)
    await todos.close()
    assert.equal(await last, 1)
    let calls = 0
    for (const work of [() => calls++, () => todos.get('milk'), () => { todos.set('milk', {}) }]) await assert.rejects(todos.transaction(work), { code: 'CLOSED' })
    assert.equal(calls, 0)
  })

  it('refuse options that they do not have, and want a name', async () => {
    await assert.rejects(openDocuments(pool, 'todos', { refrence: 'link' }), { name: 'TypeError', message: 'openDocuments() has no option refrence; do you mean reference?' })
    for (const [name, type] of [[undefined, 'undefined'], [null, 'null'], [{}, 'object']]) {
      await assert.rejects(openDocuments(pool, name), { name: 'TypeError', message: `openDocuments(where, name): the name of a database is a string, and not ${type}` })
    }
    for (const name of ['', 'My Notes', '1st', '_notes', 'a'.repeat(239)]) await assert.rejects(openDocuments(pool, name), { code: 'ILLEGAL_DATABASE_NAME', message: new RegExp(`^Name: '${name}'\\. Only lowercase`) })
    assert.ok(!todos.databases.has('My Notes'))
    await todos.databases.create('My Notes')
    assert.strictEqual((await openDocuments(pool, 'My Notes')).name, 'My Notes')
    class Item {}
    assert.throws(() => todos.register(Item, { when: { kind: 'item' } }), { name: 'TypeError', message: /has no option when/ })
    assert.throws(() => todos.watch(todos, () => {}, { singal: AbortSignal.abort() }), { name: 'TypeError', message: /do you mean signal\?/ })
  })

  it('have no levels without end', async () => {
    const milk = await set('milk', { n: 1 })
    const deep = levels => {
      const top = {}
      for (let i = 1, at = top; i < levels; i++) at = at.a = {}
      return top
    }
    await assert.rejects(todos.transaction(() => {
      milk.n = 2
      milk.deep = deep(131_073)
    }), { name: 'TypeError', message: /a document may have 131072 levels$/ })
    assert.deepStrictEqual(todos.plain(milk).n, 1)
  })

  it('take no values without end from Proxies and getters', async () => {
    const endless = () => new Proxy({}, { ownKeys: () => ['a'], get: (_, name) => name === 'a' ? endless() : undefined, getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, writable: true, value: 1 }) })
    const list = length => new Proxy([], { get: (_, name) => name === 'length' ? length() : /^\d+$/.test(String(name)) ? 1 : undefined })
    const wide = levels => ({ get a () { return levels > 0 ? wide(levels - 1) : 0 }, get b () { return levels > 0 ? wide(levels - 1) : 0 } })
    const milk = await set('milk', { n: 1 })
    for (const [value, message] of [
      [endless(), /^More than 32768 Proxies/], [wide(60), /^More than 32768 Proxies/],
      [list(() => 2 ** 50), /^milk\.value: more than 1048576 elements of Proxies/], [[list(() => Infinity)], /^milk\.value\[0\]: more than 1048576 elements/]
    ]) {
      await assert.rejects(todos.transaction(() => {
        milk.n = 2
        milk.value = value
      }), { name: 'TypeError', message })
    }
    assert.deepStrictEqual(todos.plain(milk).n, 1)
    let asked = 2
    await todos.transaction(() => {
      milk.grows = list(() => ++asked)
      milk.reactive = new Proxy(Array.from({ length: 20_000 }, (_, i) => new Proxy({ i }, {})), {})
    })
    assert.deepStrictEqual([todos.plain(milk.grows), milk.reactive.length, milk.reactive[19_999].i], [[1, 1, 1], 20_000, 19_999])
  })

  it('ask `toJSON` once, as JSON.stringify does', async () => {
    const asked = []
    class Price {
      toJSON (name) {
        asked.push(name)
        return { price: 1, toJSON () { throw new Error('nobody asks') } }
      }
    }
    const values = { own: { a: 1, toJSON () { return this } }, list: [new Price()], date: new Date(0), boxed: [Object('x'), Object(2), Object(false)], zero: -0, strange: Object.assign(Object(3), { valueOf () { return this } }) }
    const milk = await set('milk', values)
    const expected = JSON.parse(JSON.stringify(values))
    asked.length = 1
    await todos.transaction(() => {
      milk.price = new Price()
      todos.set('tea', { n: 1, toJSON: name => ({ name, n: 2 }) })
    })
    const { _id, _rev, price, ...members } = todos.plain(milk)
    assert.deepStrictEqual([members, price, asked], [expected, { price: 1 }, ['0', 'price']])
    assert.deepStrictEqual([todos.get('tea').name, todos.get('tea').n], ['', 2])
    for (const json of ['text', [1], { _deleted: true }, { _id: 'other' }]) await assert.rejects(todos.transaction(() => todos.set('tea', { toJSON: () => json })), TypeError)
    for (const value of [Object(1n), Object(Symbol('s')), Object(NaN)]) await assert.rejects(todos.transaction(() => { milk.value = value }), TypeError)
  })

  it('refuse instances of classes within documents, unless they say what their JSON is', async () => {
    class Foo { a = 1 }
    class List extends Array {}
    class Money {
      euros = 5
      toJSON () { return this }
    }
    class Todo { text = 'tea' }
    todos.register(Todo, { where: { kind: 'todo' } })
    const milk = await set('milk', { list: [], inner: {} })
    const refused = [
      [() => todos.set('b', { foo: new Foo() }), /^b\.foo: .*an instance of Foo: use a plain object/],
      [() => todos.set('b', { list: [0, { foo: new Foo() }] }), /^b\.list\[1\]\.foo: .*an instance of Foo/],
      [() => todos.set('b', { todo: new Todo() }), /^b\.todo: .*an instance of Todo/],
      [() => todos.set('b', { list: List.from([1]) }), /^b\.list: .*an instance of List/],
      [() => todos.set('b', { url: new URLSearchParams('a=1') }), /^b\.url: .*an instance of URLSearchParams/],
      [() => todos.set('b', { foo: { toJSON: () => new Foo() } }), /^b\.foo: .*an instance of Foo/],
      [() => todos.set('b', { foo: Object.create({ b: 1 }) }), /^b\.foo: /],
      [() => todos.set('b', new Foo()), /^b: the class Foo is not registered/],
      [() => { milk.foo = new Foo() }, /^milk\.foo: .*an instance of Foo/],
      [() => { milk.list.push(new Foo()) }, /^milk\.list\[0\]: .*an instance of Foo/],
      [() => { milk.inner.deep = [new Foo()] }, /^milk\.inner\.deep\[0\]: .*an instance of Foo/],
      [() => Object.assign(milk, { foo: new Foo() }), /^milk\.foo: /],
      [() => Object.defineProperty(milk, 'foo', { value: new Foo(), writable: true, enumerable: true, configurable: true }), /^milk\.foo: /]
    ]
    for (const [work, message] of refused) await assert.rejects(todos.transaction(() => { work() }), { name: 'TypeError', message })
    assert.deepStrictEqual([todos.size, milk.list.length, milk.foo], [1, 0, undefined])
    const foreign = vm.runInNewContext('({ list: [{ n: 1 }], bare: Object.assign(Object.create(null), { n: 2 }) })')
    await todos.transaction(() => {
      milk.taken = { price: new Money(), at: new Date(0), url: new URL('http://localhost/'), bare: Object.create(null), groups: /(?<a>.)/.exec('x').groups, foreign }
      todos.set('money', new Money())
    })
    assert.deepStrictEqual(todos.plain(milk.taken), { price: { euros: 5 }, at: '1970-01-01T00:00:00.000Z', url: 'http://localhost/', bare: {}, groups: { a: 'x' }, foreign: { list: [{ n: 1 }], bare: { n: 2 } } })
    assert.strictEqual(todos.get('money').euros, 5)
  })

  it('refuse what is assigned to their Map, which is no document, in code that is not strict, too', async () => {
    for (const assign of [documents => { documents.a = 'x' }, vm.runInThisContext("(function (documents) { documents.a = 'x' })")]) {
      assert.throws(() => assign(todos), { name: 'TypeError', message: /^documents\.a = … changes no document: use documents\.set\(id, value\)/ })
      await assert.rejects(todos.transaction(() => { assign(todos) }), TypeError)
    }
    assert.ok(todos instanceof Object)
    assert.strictEqual(todos.a, undefined)
    assert.match(inspect(todos), /^Documents /)
  })

  it('have one name for references, whoever opens them', async () => {
    assert.strictEqual(await openDocuments(pool, 'todos', {}), todos)
    assert.strictEqual(await openDocuments(pool, 'todos', { reference: '$ref' }), todos)
    await assert.rejects(openDocuments(pool, 'todos', { reference: 'link' }), { name: 'TypeError', message: /\$ref, and not link/ })
  })

  it('are as they are now, where a walk began before others wrote', async () => {
    const revs = []
    for (const id of ['a', 'b', 'c', 'd']) revs.push((await todos.store.put({ _id: id, n: 0 })).rev)
    const walk = todos.entries()
    walk.next()
    await todos.store.put({ _id: 'b', _rev: revs[1], n: 1 })
    await todos.store.put({ _id: 'c', _rev: revs[2], _deleted: true })
    assert.deepStrictEqual(Array.from(walk, ([id, { n }]) => [id, n]), [['b', 1], ['d', 0]])
    assert.deepStrictEqual([todos.get('b').n, todos.has('c')], [1, false])
  })

  it('are those of a later commit, where it came before a transaction has heard of its own', async () => {
    const milk = await set('milk', { n: 0 })
    todos.store.on('written', () => milk.n)
    const ours = todos.transaction(() => { milk.n = 1 })
    await Promise.resolve()
    await Promise.all([ours, replicate('milk', '9-ffffffffffffffffffffffffffffffff', { n: 9 })])
    assert.deepStrictEqual([milk.n, milk._rev.slice(0, 2)], [9, '9-'])
  })

  it('are seen of one commit, or the transaction begins again, also where its function throws', async () => {
    await todos.transaction(() => {
      todos.set('one', { n: 1, list: [{ n: 1 }] })
      todos.set('two', { n: 1 })
    })
    await turn()
    const [one, two] = ['one', 'two'].map(id => todos.get(id))
    const outcomes = []
    const seen = []
    // It has looked at one of them before it hears of the commit that changes both.
    todos.store.prependOnceListener('written', () => outcomes.push(todos.transaction(() => { one.m = one.n })))
    todos.store.once('written', () => outcomes.push(todos.transaction(() => {
      seen.push([one.n, two.n])
      if (one.n !== two.n) throw new Error('they differ')
      return 'same'
    }), todos.transaction(() => { throw new Error('its own') })))
    await todos.store.write([{ _id: 'one', _rev: one._rev, n: 2, list: [] }, { _id: 'two', _rev: two._rev, n: 2 }])
    const [, same, own] = await Promise.allSettled(outcomes)
    assert.deepStrictEqual([seen, same.value, own.reason?.message, one.m], [[[1, 2], [2, 2]], 'same', 'its own', 2])
  })

  it('keep who may see them', async () => {
    await todos.databases.create('shared', { access: true })
    const shared = await openDocuments(pool, 'shared')
    await shared.store.put({ _id: 'x', n: 1, _access: ['joe'] })
    const x = shared.get('x')
    const stored = async () => {
      const { _id, _rev, ...rest } = toObject(await shared.store.get('x'))
      return rest
    }
    assert.deepStrictEqual([x._access, Object.keys(x)], [['joe'], ['_id', '_rev', '_access', 'n']])
    await shared.transaction(() => { x.n = 2 })
    assert.deepStrictEqual(await stored(), { n: 2, _access: ['joe'] })
    await shared.transaction(() => { shared.set('x', { n: 3 }) })
    assert.deepStrictEqual(await stored(), { n: 3, _access: ['joe'] })
    await shared.transaction(() => { shared.set('x', { ...x, n: 4 }) })
    assert.deepStrictEqual([await stored(), x._access], [{ n: 4, _access: ['joe'] }, ['joe']])
    for (const work of [() => { x._access = [] }, () => x._access.push('eve'), () => { delete x._access }, () => shared.set('x', { _access: ['eve'] }), () => shared.set('y', { _access: [] })]) {
      await assert.rejects(shared.transaction(work), TypeError)
    }
    await shared.store.put({ _id: 'x', _rev: x._rev, n: 5, _access: { write: ['ann'] } })
    assert.deepStrictEqual([x.n, x._access], [5, { write: ['ann'] }])
    await assert.rejects(shared.transaction(() => x._access.write.push('eve')), TypeError)
    await shared.transaction(() => shared.delete('x'))
    assert.deepStrictEqual(x._access, undefined)
    await shared.close()
  })

  it('refer to what they have in the transaction, and not to what they had', async () => {
    const milk = await set('milk', { one: { $ref: 'tea' }, two: { n: 1 } })
    const { one, two } = milk
    await todos.transaction(() => {
      todos.set('tea', { n: 2 })
      one.more = true
      delete two.n
      two.$ref = 'tea'
      assert.deepStrictEqual([milk.one === one, milk.two], [true, todos.get('tea')])
    })
    assert.deepStrictEqual([todos.plain(milk.one), milk.two], [{ $ref: 'tea', more: true }, todos.get('tea')])
  })

  it('follow changes at any depth', async () => {
    const nested = n => JSON.parse(`${'{"a":'.repeat(9000)}${n}${'}'.repeat(9000)}`)
    const { rev } = await todos.store.put({ _id: 'deep', v: 1, nested: nested(1) })
    const deep = todos.get('deep')
    assert.strictEqual(deep.v, 1)
    await todos.store.put({ _id: 'deep', _rev: rev, v: 2, nested: nested(2) })
    assert.strictEqual(deep.v, 2)
    await todos.transaction(() => { deep.w = 3 })
    const { body } = await todos.store.get('deep')
    assert.match(body, /^\{"v":2,"nested":\{[^0-9]*2\}+,"w":3\}$/)
  })

  it('may be very many in one transaction', async () => {
    const list = Array.from({ length: 130000 }, (_, n) => ({ n }))
    const many = await set('many', { list })
    await todos.transaction(() => { for (const each of many.list) each.n++ })
    assert.deepStrictEqual([many.list[0].n, many.list[129999].n], [1, 130000])
  })

  it('do not fail because of another transaction that never gets through', async () => {
    const [bad, good] = [await set('bad', { n: 0 }), await set('good', { n: 0 })]
    let calls = 0
    const never = todos.transaction(() => {
      bad.n++
      replicate('bad', `${1000 + calls++}-ffffffffffffffffffffffffffffffff`, { n: -1 })
    })
    const once = todos.transaction(() => { good.n++ })
    await assert.rejects(never, { code: 'CONFLICT' })
    await once
    assert.deepStrictEqual([good.n, calls], [1, 101])
  })

  it('refer to none of another database, whose parts may be copied', async () => {
    const others = await openDocuments(pool, 'others')
    await others.transaction(() => others.set('x', { part: { n: 1 } }))
    const [milk, x] = [await set('milk', {}), others.get('x')]
    await set('x', { ours: true })
    await assert.rejects(todos.transaction(() => { milk.x = x }), { message: 'milk.x: documents are JSON, which has no place for a document of another database: use its id, or `plain` of it' })
    await turn()
    await others.store.put({ _id: 'x', _rev: x._rev, part: { n: 2 } })
    const { part } = x
    await others.store.put({ _id: 'x', _rev: x._rev, part: { n: 3 } })
    await todos.transaction(() => { milk.part = part })
    assert.deepStrictEqual(todos.plain(milk).part, { n: 3 })
    await others.store.close()
  })

  it('say in a transaction whether it has made or deleted them', async () => {
    const milk = await set('milk', { n: 1, list: [1] })
    await todos.store.putAttachment('milk', 'a.txt', { contentType: 'text/plain', data: Buffer.from('hello') }, { rev: milk._rev })
    const { list } = milk
    await todos.transaction(() => {
      todos.set('tea', { n: 2 })
      const tea = todos.get('tea')
      assert.deepStrictEqual([tea._deleted, '_deleted' in tea, todos.plain(tea), { ...tea }], [undefined, false, { _id: 'tea', n: 2 }, { _id: 'tea', n: 2 }])
      todos.set('tea', tea)
      assert.throws(() => todos.transaction(() => {
        todos.delete('milk')
        assert.deepStrictEqual(todos.plain(milk), { _id: 'milk', _rev: milk._rev, _deleted: true })
        assert.deepStrictEqual([milk._deleted, milk.n, milk._attachments, list[0]], [true, undefined, undefined, 1])
        assert.throws(() => { milk.n = 2 }, { name: 'TypeError', message: /was deleted/ })
        throw new Error('no')
      }), { message: 'no' })
      assert.deepStrictEqual([milk._deleted, milk.n], [undefined, 1])
      todos.delete('milk')
      todos.set('milk', { n: 3 })
      assert.deepStrictEqual([milk._deleted, milk.n], [undefined, 3])
      todos.delete('tea')
    })
    assert.deepStrictEqual([milk.n, Object.keys(milk), todos.has('tea')], [3, ['_id', '_rev', '_attachments', 'n'], false])
  })

  it('are not changed by a function that is not done when it returns, whose failure is refused with it', async () => {
    const milk = await set('milk', { n: 1 })
    let begun = 0
    const works = [async () => { begun++ }, function * () { begun++ }, () => Promise.reject(new Error('nobody catches this')), () => (function * () { begun++ })(), 'text', undefined]
    for (const work of works) await assert.rejects(todos.transaction(work), TypeError)
    await todos.transaction(() => { for (const work of works) assert.throws(() => todos.transaction(work), TypeError) })
    await assert.rejects(todos.transaction(() => {
      milk.n = 2
      return Promise.reject(new Error('nobody catches this'))
    }), { name: 'TypeError', message: /done when its function returns/ })
    await turn() // a rejection that nobody catches would fail the test
    assert.deepStrictEqual([milk.n, begun], [1, 0])
  })

  it('are told to nobody who has ended that', async () => {
    const ending = new AbortController()
    let calls = 0
    const count = () => { calls++ }
    const end = todos.watch(todos, count, { signal: ending.signal })
    assert.strictEqual(getEventListeners(ending.signal, 'abort').length, 1)
    todos.store.once('written', end) // the listener would be called a little later
    await set('milk', { n: 1 })
    assert.strictEqual(calls, 0)
    assert.strictEqual(getEventListeners(ending.signal, 'abort').length, 0)
  })

  it('are instances of one class, by members that are said once', async () => {
    class Todo {}
    class Other {}
    assert.throws(() => todos.register(Todo), { name: 'TypeError', message: /where must name the members/ })
    for (const wrong of ['todo', ['kind'], 7, true, null, () => {}, new Map([['kind', 'todo']]), new Date(), {}]) assert.throws(() => todos.register(Todo, { where: wrong }), { name: 'TypeError', message: /^register\(Todo, \{ where \}\): where must name the members .* \{ kind: 'todo' \}, say$/ })
    for (const name of ['_id', '_rev', '_other', '_']) assert.throws(() => todos.register(Todo, { where: { kind: 'todo', [name]: 'x' } }), { name: 'TypeError', message: `where.${name}: members that begin with _ are CouchDB's own, and tell no class` })
    todos.register(Todo, { where: { kind: 'todo', old: false } })
    todos.register(Todo, { where: { old: false, kind: 'todo' } })
    assert.throws(() => todos.register(Todo, { where: { kind: 'todo' } }), { name: 'TypeError', message: 'Todo is registered with {"kind":"todo","old":false} already, and not with {"kind":"todo"}' })
    assert.throws(() => todos.register(Other, { where: { kind: 'todo', old: false } }), { name: 'TypeError', message: /are instances of Todo already, and not of Other/ })
    todos.register(Other, { where: { kind: 'todo' } })
    assert.ok(await set('milk', { kind: 'todo', old: false }) instanceof Todo)
    assert.ok(await set('tea', { kind: 'todo', old: true }) instanceof Other)
  })

  it('can be opened again in a pool whose databases were closed', async () => {
    await set('milk', { n: 1 })
    await todos.databases.close()
    assert.throws(() => todos.get('milk'), { code: 'CLOSED' })
    const again = await openDocuments(pool, 'todos')
    assert.notStrictEqual(again, todos)
    assert.strictEqual(again.get('milk').n, 1)
    await again.databases.close()
    todos = await openDocuments(pool, 'todos')
    await todos.transaction(() => { todos.get('milk').n++ })
    assert.strictEqual(todos.get('milk').n, 2)
  })

  it('have no arrays of a thousand million holes', async () => {
    const { list } = await set('milk', { list: [1] })
    await assert.rejects(todos.transaction(() => { list.length = 1e9 }), RangeError)
    await assert.rejects(todos.transaction(() => { list[4294967294] = 1 }), RangeError)
    await assert.rejects(todos.transaction(() => { list[0] = new Array(1e9) }), { name: 'RangeError', message: /^milk\.list\[0\]: .* 1048576 holes$/ })
    await todos.transaction(() => { list[3] = 1 })
    assert.deepStrictEqual([...list], [1, null, null, 1])
  })
})
