'use strict'

const assert = require('node:assert/strict')
const { QueryServer } = require('..')

const origin = { database: 'db', design: '_design/d' }
const stored = { a: { _id: 'a', _rev: '1-a', n: 1 }, b: { _id: 'b', _rev: '2-b', n: 2 } }

/** Answers from the documents above, and keeps what it was asked. */
class Host {
  asked = []

  answer = async ([kind, given]) => {
    this.asked.push([kind, given])
    if (kind === 'find') return JSON.stringify(Object.values(stored))
    if (given === 'refused') throw Object.assign(new Error(), { status: 403, error: 'forbidden', reason: 'Not for you' })
    if (given === 'broken') throw Object.assign(new Error('broken'), { status: 500 })
    return JSON.stringify(stored[given] ?? null)
  }
}

describe('calls', () => {
  /** @type {QueryServer} */
  let server
  let host
  const logged = []

  before(() => { server = new QueryServer({ log: ({ message }) => logged.push(message) }) })
  after(() => server.close())
  beforeEach(() => { host = new Host() })

  /** Calls a function with a body. */
  async function call (body, params, limits) {
    const functions = { sources: [`function (params, tx) { ${body} }`], library: { _id: '_design/d', lib: { twice: 'exports.of = function (n) { return 2 * n }' } }, origin }
    const given = { params, user: { name: 'ann', roles: ['r'] }, seed: 'f'.repeat(20), mostDocuments: 5, mostBytes: 1000, ...limits }
    const outcome = await server.call(functions, JSON.stringify(given), host.answer)
    return 'thrown' in outcome ? { thrown: JSON.parse(outcome.thrown) } : { result: JSON.parse(outcome.result), writes: JSON.parse(outcome.writes) }
  }

  it('get their parameters, the user and the modules of the design document, and give what they return', async () => {
    assert.deepEqual(await call('return params.a - params.b', { a: 5, b: 3 }), { result: 2, writes: [] })
    assert.deepEqual(await call('return tx.user'), { result: { name: 'ann', roles: ['r'] }, writes: [] })
    assert.deepEqual(await call('return require("lib/twice").of(params[0]) + this._id', [2]), { result: '4_design/d', writes: [] })
    assert.deepEqual((await call('tx.user.name = "boss"; tx.user = 1; log("said"); return tx.user.name')).result, 'ann')
    assert.deepEqual(logged, ['said'])
    for (const nothing of ['', 'return undefined', 'return null', 'return function () {}']) assert.equal((await call(nothing)).result, null)
    assert.equal((await call('return "a\\nb\\u0000\\u2028"')).result, 'a\nb\0\u2028')
  })

  it('read each document once, and see a copy of it each time', async () => {
    const { result } = await call('var a = tx.get("a"); a.n = 7; return [a, tx.get("a"), tx.get("none"), tx.get("none"), tx.find({ selector: {} })]')
    assert.deepEqual(result, [{ ...stored.a, n: 7 }, stored.a, null, null, [stored.a, stored.b]])
    assert.deepEqual(host.asked, [['get', 'a'], ['get', 'none'], ['find', { selector: {} }]])
  })

  it('see what they wrote, and write it at the end', async () => {
    const { result, writes } = await call(`
      var a = tx.get("a")
      a.n++
      tx.put(a)
      a.n = 100
      tx.put({ _id: "c", n: 3 })
      tx.put(Object.assign(tx.get("c"), { more: 1 }))
      tx.remove("b")
      tx.put({ _id: "gone" })
      tx.remove("gone")
      var made = tx.put({ made: true })
      return [tx.get("a").n, tx.get("b"), tx.get("c"), tx.get("gone"), tx.get(made.id).made, made.id]
    `)
    const id = 'f'.repeat(20) + '000000000001'
    assert.deepEqual(result, [2, null, { _id: 'c', n: 3, more: 1 }, null, true, id])
    assert.deepEqual(writes, [{ ...stored.a, n: 2 }, { _id: 'c', n: 3, more: 1 }, { _id: 'b', _rev: '2-b', _deleted: true }, { made: true, _id: id }])
    assert.deepEqual(host.asked, [['get', 'a'], ['get', 'c'], ['get', 'b'], ['get', 'gone']])
  })

  it('write a document again that they removed', async () => {
    assert.deepEqual((await call('tx.remove(tx.get("a")); tx.put({ _id: "a", n: 9 }); return tx.get("a").n')).writes, [{ _id: 'a', n: 9, _rev: '1-a' }])
    assert.deepEqual((await call('tx.put({ _id: "a", _rev: "1-a", _deleted: true, why: 1 }); return tx.get("a")')), { result: null, writes: [{ _id: 'a', _rev: '1-a', _deleted: true, why: 1 }] })
  })

  it('are in conflict with a revision that is not the stored one, at once', async () => {
    const conflict = { thrown: { error: 'conflict', reason: 'Document update conflict.' } }
    for (const body of ['tx.put({ _id: "a" })', 'tx.put({ _id: "a", _rev: "2-x" })', 'tx.put({ _id: "none", _rev: "1-a" })', 'tx.remove({ _id: "a", _rev: "0" })', 'tx.remove({ _id: "a" })']) {
      assert.deepEqual(await call(body), conflict, body)
    }
    assert.deepEqual(await call('try { tx.put({ _id: "a" }) } catch (e) { return [e.name, e.error, e.reason, e.message, e instanceof Error] }'), {
      result: ['conflict', 'conflict', 'Document update conflict.', 'Document update conflict.', true], writes: []
    })
    assert.deepEqual(await call('tx.remove("none")'), { thrown: { error: 'not_found', reason: 'missing' } })
    for (const doc of ['null', '7', 'undefined']) assert.deepEqual((await call(`tx.put(${doc})`)).thrown.error, 'bad_request')
    for (const body of ['tx.put({ _id: 7 })', 'tx.remove(7)', 'tx.remove()']) assert.deepEqual((await call(body)).thrown.error, 'illegal_docid')
  })

  it('throw what they are refused, and what they like', async () => {
    assert.deepEqual(await call('tx.get("refused")'), { thrown: { error: 'forbidden', reason: 'Not for you', status: 403 } })
    assert.deepEqual((await call('try { tx.get("refused") } catch (e) { return e.error }')).result, 'forbidden')
    assert.deepEqual(await call('throw { forbidden: "no" }'), { thrown: { error: 'forbidden', reason: 'no' } })
    assert.deepEqual(await call('throw { unauthorized: "who" }'), { thrown: { error: 'unauthorized', reason: 'who' } })
    assert.deepEqual(await call('throw ["error", "teapot", "short"]'), { thrown: { error: 'teapot', reason: 'short' } })
    assert.deepEqual(await call('undefined.x').then(({ thrown }) => thrown.error), 'TypeError')
    assert.deepEqual(await call('throw { code: 7, message: "seven", data: [7] }'), { thrown: { code: 7, message: 'seven', data: [7] } })
    assert.deepEqual(await call('throw { code: -32602, message: "names" }'), { thrown: { code: -32602, message: 'names' } })
    for (const code of [-32000, -32768, -32603, 1.5, '"7"']) assert.equal((await call(`throw { code: ${code}, message: "x" }`)).thrown.error, 'unknown_error')
    await assert.rejects(call('tx.get("broken")'), { message: 'broken' })
  })

  it('write no more than they may', async () => {
    assert.deepEqual((await call('for (var i = 0; i < 100000; i++) tx.put({})')).thrown, { error: 'too_large', reason: 'A call writes at most 5 documents' })
    assert.deepEqual((await call('tx.put({ _id: "x", s: "x".repeat(1000) })')).thrown, { error: 'too_large', reason: 'A call writes at most 1000 bytes' })
    const { result, writes } = await call('for (var i = 0; ; i++) try { tx.put({ _id: "x" + i }) } catch (e) { return i }')
    assert.deepEqual([result, writes.length], [5, 5])
    assert.equal((await call('for (var i = 0; i < 100; i++) tx.put({ _id: "x", i: i, s: "x".repeat(500) }); return 1')).result, 1)
    assert.equal((await call('for (var i = 0; i < 100; i++) { tx.put({ _id: "x" + i }); tx.remove("x" + i) } return 1')).result, 1)
  })

  it('have a transaction each, and one that ended does nothing', async () => {
    const keep = 'if (params === 1) { globalThis.kept = tx; tx.put({ _id: "kept" }); return } try { kept.put({ _id: "x" }) } catch (e) { return e.reason }'
    assert.deepEqual((await call(keep, 1)).writes, [{ _id: 'kept' }])
    assert.deepEqual(await call(keep, 2), { result: 'The call has ended', writes: [] })
  })

  it('run side by side while others wait for documents', async () => {
    let arrived = 0
    let goOn
    const all = new Promise(resolve => { goOn = resolve })
    const slow = async () => {
      if (++arrived === 8) goOn()
      await all
      return 'null'
    }
    const functions = { sources: ['function (params, tx) { return tx.get("x") }'], origin }
    const given = JSON.stringify({ params: null, user: {}, seed: '', mostDocuments: 1, mostBytes: 1 })
    const results = await Promise.all(Array.from({ length: 8 }, () => server.call(functions, given, slow)))
    assert.deepEqual(results, Array(8).fill({ result: 'null', writes: '[]' }))
  })

  describe('that are hostile', function () {
    this.timeout(600_000)
    before(() => { server.configure({ timeout: 200, memory: 32 * 1024 * 1024 }) })
    after(() => { server.configure({ timeout: 5000 }) })

    const bombs = {
      'a loop': 'while (true) {}',
      'a loop that catches': 'while (true) { try { while (true) {} } catch (e) {} }',
      'questions without end': 'while (true) tx.find({})',
      'questions without end that are refused': 'while (true) { try { tx.get("refused") } catch (e) {} }',
      memory: 'var a = []; while (true) a.push(new Array(1000).join("x") + a.length)',
      'a question without end': 'var s = "x"; while (true) { s += s; tx.get(s) }',
      'a result that never comes': 'return { toJSON: function () { while (true) {} } }',
      'a document that never comes': 'tx.put({ _id: "x", toJSON: function () { while (true) {} } })'
    }
    for (const [name, body] of Object.entries(bombs)) {
      it(`end: ${name}`, async () => {
        const outcome = await call(body).catch(error => error)
        assert.match(outcome.error ?? outcome.thrown.error, /os_process_error|too_large|InternalError/, JSON.stringify(outcome))
        server.configure({ timeout: 20_000 })
        assert.equal((await call('return 1')).result, 1)
        server.configure({ timeout: 200 })
      })
    }

    const tricks = [
      'Array.prototype.toJSON = function () { return "x" }', 'Object.prototype.toJSON = function () { return [] }',
      'Array.prototype.join = function () { return "nonsense" }', 'String.prototype.slice = function () { return "" }',
      'Object.defineProperty(Object.prototype, "_rev", { get () { return 1 } })', 'Object.assign = Object.freeze = JSON.parse = JSON.stringify = null',
      'Object.defineProperty(Array.prototype, 0, { set () { throw 1 }, get () { return 2 } })'
    ]
    for (const trick of tricks) {
      it(`spoil their own answers alone: ${trick}`, async () => {
        server.configure({ timeout: 20_000 })
        const own = { sources: [`function (params, tx) { ${trick}; tx.get("a"); tx.put({ _id: "new" }); return [1] }`], origin: { database: 'bad', design: '_design/d' } }
        const given = JSON.stringify({ params: null, user: {}, seed: '', mostDocuments: 5, mostBytes: 1000 })
        for (let i = 0; i < 2; i++) {
          const outcome = await server.call(own, given, host.answer).catch(error => error)
          assert.ok(outcome instanceof Error ? outcome.status !== undefined : typeof (outcome.result ?? outcome.thrown) === 'string')
        }
        assert.equal((await call('return 1')).result, 1)
      })
    }
  })
})
