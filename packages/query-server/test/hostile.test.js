'use strict'

const assert = require('node:assert/strict')
const { QueryServer } = require('..')

/** Milliseconds, for functions that do not end. */
const TIMEOUT = 100

/** For functions that do, on a machine that has much to do. */
const PATIENCE = 20_000

/** Functions that may do their worst: as each of the kinds that are called. */
const kinds = {
  map: (server, functions) => server.map(functions, [{ _id: 'a' }]),
  filter: (server, functions) => server.filter(functions, [{ _id: 'a' }], {}),
  emits: (server, functions) => server.emits(functions, [{ _id: 'a' }]),
  validate: (server, functions) => server.validate(functions, [[{ _id: 'a' }, null, {}, {}]]),
  reduce: (server, functions) => server.reduce(functions, [[[['k', 'a']], [1]]])
}

/** Code that ends in the engine's own limits. */
const bombs = {
  'an endless loop': 'function () { while (true) {} }',
  'an endless loop that catches everything': 'function () { while (true) { try { while (true) {} } catch (e) {} finally { continue } } }',
  'a generator without end': 'function () { function * g () { while (true) yield 1 } for (var x of g()) {} }',
  'a regular expression without end': 'function () { /^(a+)+$/.test("a".repeat(40) + "!") }',
  'objects without end': 'function () { var a = []; while (true) a.push({ n: a.length }) }',
  'a string without end': 'function () { var s = "x"; while (true) { s += s; s.charCodeAt(1) } }'
}

/** Code that throws, and what comes of that. */
const throwers = {
  'recursion without end': 'function f () { return f() + 1 }',
  'a thrown getter': 'function () { throw Object.defineProperty({}, "name", { get () { throw 1 } }) }',
  'a thrown text that throws': 'function () { throw { toString () { throw this } } }',
  'a thrown null': 'function () { throw null }',
  'a thrown stack': 'function () { var e = new Error("x"); Object.defineProperty(e, "message", { get () { while (true) {} } }); throw e }'
}

/** Sources in CoffeeScript that would keep, break or leave the compiler. */
const brews = {
  'a source without end': '(doc) ->\n' + '  a = b + c * d\n'.repeat(300_000),
  'brackets without end': '('.repeat(100_000),
  'JavaScript that would end the process': '`process.exit(1)`'
}

/** Changes of the prototypes, for those who come later. */
const tricks = [
  'Array.prototype.toJSON = function () { return "x" }',
  'Object.prototype.toJSON = function () { return [] }',
  'String.prototype.toJSON = function () { while (true) {} }',
  'Object.defineProperty(Array.prototype, 0, { set () { throw 1 }, get () { return 2 } })',
  'Object.defineProperty(Object.prototype, "then", { get () { throw 1 } })',
  'Array.prototype[Symbol.iterator] = function () { throw 1 }',
  'Array.prototype.map = Array.prototype.push = Array.prototype.join = function () { return { length: 1e9 } }',
  'Array.isArray = JSON.parse = JSON.stringify = Object.freeze = function () { return 1 }',
  'Function.prototype.call = Function.prototype.apply = function () { throw 1 }',
  'Error.prototype.toString = function () { while (true) {} }; InternalError.prototype.message = "interrupted"',
  'emit = log = sum = isArray = toJSON = require = undefined',
  'Object.prototype.error = "forbidden"; Object.prototype.reason = "x"; Object.prototype.forbidden = "x"',
  'Object.prototype.text = Object.prototype.broken = Object.prototype.logged = "[]"'
]

const good = { sources: ['function (doc) { emit(doc._id, 1) }'], origin: { database: 'good', design: '_design/good' } }
const bad = source => ({ sources: [source], origin: { database: 'bad', design: '_design/bad' } })

describe('hostile functions', function () {
  this.timeout(600_000)
  /** @type {QueryServer} */
  let server

  before(function () { server = new QueryServer({ timeout: TIMEOUT, memory: 32 * 1024 * 1024 }) })
  after(function () { return server.close() })

  const inTime = async (timeout, work) => {
    server.configure({ timeout })
    try {
      return await work()
    } finally {
      server.configure({ timeout: TIMEOUT })
    }
  }

  const othersWork = async () => {
    assert.deepEqual(await inTime(PATIENCE, () => server.map(good, [{ _id: 'a' }])), [[[['a', 1]]]])
    assert.equal(server.size.busy, 0, 'all threads were given back')
  }

  for (const [kind, call] of Object.entries(kinds)) {
    for (const [what, source] of Object.entries(bombs)) {
      it(`end with CouchDB's error: ${what} as ${kind}`, async function () {
        await assert.rejects(call(server, bad(source)), { status: 500, error: 'os_process_error' })
        await othersWork()
      })
    }

    it(`end with an error of CouchDB's in CoffeeScript, as ${kind}`, async function () {
      for (const [what, source] of Object.entries(brews)) {
        await assert.rejects(call(server, { sources: [source], language: 'coffeescript' }), error => error.name === 'CouchError' && ['os_process_error', 'compilation_error'].includes(error.error), what)
      }
      await othersWork()
    })

    it(`come to nothing but an error when they throw, as ${kind}`, async function () {
      for (const [what, source] of Object.entries(throwers)) {
        await call(server, bad(source)).then(answer => assert.ok(Array.isArray(answer), what), error => assert.equal(error.name, 'CouchError', what))
      }
      await othersWork()
    })

    it(`spoil no other's answers by tricks with prototypes, as ${kind}`, async function () {
      for (const trick of tricks) {
        // The second call meets what the first one left.
        for (let i = 0; i < 2; i++) {
          await call(server, bad(`function () { ${trick}; return 1 }`)).then(answer => assert.ok(Array.isArray(answer), trick), error => assert.equal(error.name, 'CouchError', trick))
        }
        await othersWork()
      }
    })
  }

  it('end with an error where their thread is ended from outside, and others go on with another', async function () {
    /** @type {import('node:worker_threads').Worker[]} */
    const workers = []
    const collect = worker => { workers.push(worker) }
    process.on('worker', collect)
    const other = new QueryServer({ timeout: 600_000 })
    try {
      const runs = bad('function () { send("runs"); getRow(); while (true) {} }')
      const stream = { write: async () => { await workers.at(-1)?.terminate(); return true }, end: () => {}, rows: async () => '{"rows":[],"last":false}' }
      const call = { head: {}, req: {}, rows: [], last: false }
      await assert.rejects(other.list(runs, JSON.stringify(call), stream), { error: 'os_process_error' })
      assert.equal(workers.length, 1)
      for (let i = 0; i < 3; i++) {
        assert.deepEqual(await other.map(good, [{ _id: 'a' }]), [[[['a', 1]]]])
        await workers.at(-1)?.terminate()
      }
      assert.equal(other.size.busy, 0)
      assert.ok(workers.length >= 3, String(workers.length))
    } finally {
      process.off('worker', collect)
      await other.close()
    }
  })

  it('are ended with their thread where the engine itself hangs', async function () {
    await assert.rejects(kinds.filter(server, bad('function () { new Array(4294967295).join("x") }')), { status: 500, error: 'os_process_error' })
    await othersWork()
  })

  it('reach nothing outside', async function () {
    const names = ['process', 'globalThis.process', 'globalThis.require.main', 'require("fs")', 'require("node:fs")', 'WebAssembly', 'SharedArrayBuffer',
      'constructor.constructor("return process")()', 'emit.constructor("return this.process")()', 'eval("import(\'fs\')")', 'Function("return import(\'fs\')")()',
      'globalThis.__run', 'module', 'std', 'os', 'print', 'scriptArgs', 'Worker']
    for (const name of names) {
      const seen = await inTime(PATIENCE, () => server.filter(bad(`function () { try { return ${name} !== undefined } catch (e) { return false } }`), [{}]))
      assert.deepEqual(seen, [false], name)
    }
    await assert.rejects(server.compile(bad('async () => await import("fs")')).then(() => server.filter(bad('function () { return import("fs") }'), [{}])), { name: 'CouchError' })
  })

  it('emit what cannot be stored, and it is an error or null', async function () {
    const values = ['1n', 'Symbol()', '{ toJSON () { throw 1 } }', '{ get a () { throw 1 } }', '{ toJSON () { while (true) {} } }',
      '"x".repeat(100 * 1024 * 1024)', '(function * () {})()', '{ then () {} }', 'JSON.parse(\'{"__proto__":{"a":1}}\')', 'globalThis']
    for (const value of values) {
      await server.map(bad(`function () { emit(${value}, ${value}) }`), [{}])
        .then(([[rows]]) => assert.ok(rows.length <= 1, value), error => assert.equal(error.name, 'CouchError', value))
    }
    await othersWork()
  })

  it('emit ten thousand rows, or too many', async function () {
    const [[rows]] = await inTime(PATIENCE, () => server.map(bad('function () { for (var i = 0; i < 10000; i++) emit(i, null) }'), [{}]))
    assert.equal(rows.length, 10_000)
    await assert.rejects(server.map(bad('function () { while (true) emit(1, { a: [1, 2, 3] }) }'), [{}]), { error: 'os_process_error' })
    await othersWork()
  })

  it('do not compile, however long or deep they are', async function () {
    const sources = [`function () { return ${'('.repeat(100_000)}1${')'.repeat(100_000)} }`, `function () { ${'{'.repeat(100_000)}`,
      `function () { return ${'['.repeat(50_000)} }`, `x${'.x'.repeat(500_000)}`, `function () { ${'var x = "'.repeat(1000)} }`, '`${'.repeat(20_000), 'function '.repeat(20_000)]
    for (const source of sources) await assert.rejects(server.compile(bad(source)), { name: 'CouchError' }, source.slice(0, 30))
    await othersWork()
  })

  it('are loops while they are compiled', async function () {
    await assert.rejects(server.compile(bad('(function () { while (true) {} })()')), { error: 'os_process_error' })
    await othersWork()
  })

  it('do no harm to the documents beside the one they choke on', async function () {
    const source = 'function (doc) { var a = []; if (doc.n === 3) { (function f () { f() })() } emit(doc.n) }'
    const rows = await inTime(PATIENCE, () => server.map(bad(source), Array.from({ length: 5 }, (_, n) => ({ n }))))
    assert.deepEqual(rows.map(([found]) => found.length), [1, 1, 1, 0, 1])
  })

  it('get documents in smaller batches where all at once are too many', async function () {
    // Each emits 200 kB, and all of it would not fit.
    const small = new QueryServer({ memory: 8 * 1024 * 1024, timeout: PATIENCE })
    try {
      const rows = await small.map(bad('function (doc) { emit(doc.n, "x".repeat(200000)) }'), Array.from({ length: 60 }, (_, n) => ({ n })))
      assert.deepEqual(rows.map(([[[key, value]]]) => [key, value.length]), Array.from({ length: 60 }, (_, n) => [n, 200_000]))
    } finally {
      await small.close()
    }
  })

  it('have the time limit for each document, not for all of them', async function () {
    const source = 'function (doc) { var end = Date.now() + 100; while (Date.now() < end) {} emit(doc.n) }'
    const rows = await inTime(1500, () => server.map(bad(source), Array.from({ length: 20 }, (_, n) => ({ n }))))
    assert.deepEqual(rows.map(([[[key]]]) => key), Array.from({ length: 20 }, (_, n) => n))
  })

  it('do not keep the threads of others, however many hang', async function () {
    const crowded = new QueryServer({ timeout: 600_000, parallel: 2 })
    const hanging = Array.from({ length: 6 }, (_, i) => assert.rejects(
      crowded.filter({ sources: ['function () { while (true) {} }'], origin: { database: `bad${i}`, design: 'd' } }, [{}]), { code: 'CLOSED' }))
    assert.deepEqual(await crowded.map(good, [{ _id: 'a' }]), [[[['a', 1]]]])
    assert.equal(crowded.size.busy, 6, 'they hang still')
    await crowded.close()
    await Promise.all(hanging)
  })

  it('give back memory', async function () {
    await assert.rejects(server.filter(bad(bombs['objects without end']), [{}]), { error: 'os_process_error' })
    await othersWork()
    const before = process.memoryUsage().rss
    for (let i = 0; i < 4; i++) await assert.rejects(server.filter(bad(`${bombs['objects without end']} // ${i}`), [{}]), { error: 'os_process_error' })
    await othersWork()
    assert.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024, `${process.memoryUsage().rss - before} bytes more`)
  })
})
