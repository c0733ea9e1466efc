'use strict'

const assert = require('node:assert/strict')
const { QueryServer } = require('..')

const DDOC = '_design/d'

describe('what functions of design documents find', function () {
  /** @type {QueryServer} */
  let server
  /** @type {any[]} */
  let logged

  before(function () { server = new QueryServer({ timeout: 20_000, memory: 32 * 1024 * 1024, log: entry => logged.push(entry) }) })
  beforeEach(function () { logged = [] })
  after(function () { return server.close() })

  const map = async (source, doc = { _id: 'a', n: 1, tags: ['b', 'a'] }, library = {}) =>
    (await server.map({ sources: [source], library }, [doc]))[0][0]

  it('is CouchDB\'s global object, and not what other engines have', async function () {
    const [[names]] = await map('function () { emit(Object.getOwnPropertyNames(globalThis).sort()) }')
    for (const name of ['emit', 'sum', 'log', 'isArray', 'toJSON', 'JSON', 'require', 'eval', 'Reflect', 'Map']) assert.ok(names.includes(name), name)
    for (const name of ['Promise', 'Proxy', 'ArrayBuffer', 'SharedArrayBuffer', 'Uint8Array', 'WebAssembly', 'process', 'console', 'setTimeout', '__run']) {
      assert.ok(!names.includes(name), name)
    }
  })

  it('emits what JSON makes of it', async function () {
    const rows = await map(`function () {
      emit(undefined, undefined); emit(NaN, Infinity); emit(-0, -0); emit(1, function () {}); emit(new Date(0), new Map([[1, 2]]))
      emit(new Error('x'), new TypeError('y'))
    }`)
    assert.deepEqual(rows, [[null, null], [null, null], [0, 0], [1, null], ['1970-01-01T00:00:00.000Z', {}], [{}, { error: 'TypeError', message: 'y' }]])
  })

  it('emits objects as they are when the function ends', async function () {
    assert.deepEqual(await map('function () { var o = {}; emit(1, o); o.x = 2; emit(1, o) }'), [[1, { x: 2 }], [1, { x: 2 }]])
  })

  it('fails where JSON has nothing for what is emitted', async function () {
    for (const value of ['1n', '(function () { var o = {}; o.o = o; return o })()']) {
      await assert.rejects(map(`function () { emit(1, ${value}) }`), { status: 500, error: 'TypeError' })
    }
  })

  it('has documents that cannot be changed', async function () {
    assert.deepEqual(await map('function (doc) { doc.n = 7; emit(doc.n, Object.isFrozen(doc.tags)) }'), [[1, true]])
    assert.deepEqual(await map('function (doc) { "use strict"; doc.n = 7; emit(doc.n) }'), [])
    assert.deepEqual(await map('function (doc) { emit(doc.tags.sort()) }'), [])
  })

  it('takes functions in each form that CouchDB does', async function () {
    const forms = {
      'doc => emit(1);': 1,
      'function (doc) { emit(2) };': 2,
      'function (doc) { emit(3) } // so': 3,
      'function (doc) { emit(4) }; // so': 4,
      'function (doc) { emit(5) } /* so */ ;': 5,
      '(function (doc) { emit(6) });': 6,
      'var x = 7; function(doc) { emit(x) }': 7,
      'var x = 8; (function (doc) { emit(x) })': 8,
      'function a () {}; function(doc) { emit(9) }': 9,
      '/* so */ function named (doc) { emit(10) }': 10,
      'function (doc) { emit("function (doc) // {};".length - 10) }': 11,
      'function named (doc) { emit(Number(12));// so\r};': 12,
      'function named (doc) { emit(Number(13));// so\u2028};': 13
    }
    for (const [source, key] of Object.entries(forms)) assert.deepEqual(await map(source), [[key, null]], source)
  })

  it('says what is wrong with the others', async function () {
    const words = {
      '1 + 1': 'Expression does not eval to a function. (1 + 1)',
      'function (': 'SyntaxError: missing formal parameter (function ()',
      'function (doc) { emit(1)': "SyntaxError: unexpected token in expression: '' (function (doc) { emit(1))",
      'function (doc) { emit(1) }}': "SyntaxError: unexpected token in expression: '}' (function (doc) { emit(1) }})",
      'foo bar': "SyntaxError: expecting ';' (foo bar)",
      nothing: "ReferenceError: 'nothing' is not defined (nothing)",
      'throw 1': '1 (throw 1)'
    }
    for (const [source, reason] of Object.entries(words)) await assert.rejects(map(source), { status: 500, error: 'compilation_error', reason })
    await assert.rejects(map(''), { status: 404, error: 'not_found', reason: 'missing function' })
  })

  it('requires modules of the design document by paths', async function () {
    const library = {
      views: {
        lib: {
          a: 'exports.id = module.id; exports.z = require("./b").z; exports.up = require("../lib/b").z',
          b: 'exports.z = 7; exports.times = (exports.times || 0) + 1',
          one: 'exports.two = require("./two"); exports.n = 1',
          two: 'exports.one = require("./one")'
        }
      }
    }
    assert.deepEqual(await map('function () { var a = require("views/lib/a"); emit(a.id, [a.z, a.up]) }', {}, library), [['views/lib/a', [7, 7]]])
    assert.deepEqual(await map('function () { require("views/lib/b"); emit(require("views/lib/b").times) }', {}, library), [[1, null]])
    // If modules require each other, the first is still empty for the second.
    assert.deepEqual(await map('function () { emit(require("views/lib/one")) }', {}, library), [[{ two: { one: {} }, n: 1 }, null]])
  })

  it('says what a module lacks', async function () {
    const tell = source => `function () { try { require(${JSON.stringify(source)}) } catch (e) { emit(e) } }`
    const library = { views: { lib: { o: {}, bad: 'nothing()' } } }
    assert.deepEqual(await map(tell('views/lib/no'), {}, library), [[['error', 'invalid_require_path', 'Object has no property "no". {"o":{},"bad":"nothing()"}'], null]])
    assert.deepEqual(await map(tell('views/lib/o'), {}, library), [[['error', 'invalid_require_path', 'Must require a JavaScript string, not: object'], null]])
    assert.deepEqual(await map(tell('views/lib/bad'), {}, library),
      [[['error', 'compilation_error', "Module require('views/lib/bad') raised error ReferenceError: 'nothing' is not defined"], null]])
  })

  it('sums lists and objects', async function () {
    assert.deepEqual(await map('function () { emit(sum([1, 2]), sum({ a: 3, b: 4 })) }'), [[3, 7]])
  })

  it('lets functions log, in the name of their design document', async function () {
    const origin = { database: 'db', instance: 'i', design: DDOC }
    await server.map({ sources: ['function () { log("hello"); log({ a: 1 }); log(new Error("no")) }'], origin }, [{}])
    assert.deepEqual(logged, ['hello', '{"a":1}', '{"error":"Error","message":"no"}'].map(message => ({ level: 'info', message, origin })))
  })

  it('logs why a document was left out, and not for each document', async function () {
    const docs = Array.from({ length: 100 }, (_, i) => ({ _id: `d${i}` }))
    const functions = { sources: ['function (doc) { emit(doc.a.b) }'] }
    await server.map(functions, docs)
    await server.map(functions, docs)
    assert.deepEqual(logged.map(({ level, message }) => [level, message]),
      [['warning', "function raised exception TypeError: cannot read property 'b' of undefined with doc._id d0"]])
  })

  it('ends at what a function calls fatal', async function () {
    await assert.rejects(map('function () { throw "fatal_error" }'), { error: 'map_runtime_error', reason: "function raised 'fatal_error'" })
    await assert.rejects(map('function () { throw ["fatal", "a", "b"] }'), { status: 500, error: 'a', reason: 'b' })
    assert.deepEqual(await map('function () { emit(1); throw ["error", "a", "b"] }'), [])
  })

  it('gives filters and validations their design document as `this`', async function () {
    const library = { _id: DDOC, text: 'yes' }
    assert.deepEqual(await server.filter({ sources: ['function () { return this.text === "yes" }'], library }, [{}]), [true])
    assert.deepEqual(await server.validate({ sources: ['function () { throw { forbidden: this._id } }'], library }, [[{}, null, {}, {}]]),
      [{ error: 'forbidden', reason: DDOC }])
  })

  it('passes on what a validation throws', async function () {
    const thrown = { '"text"': 'text', 3: '3', '{ odd: "x" }': 'x' }
    for (const [what, reason] of Object.entries(thrown)) {
      assert.deepEqual(await server.validate({ sources: [`function () { throw ${what} }`] }, [[{}, null, {}, {}]]), [{ error: 'unknown_error', reason }])
    }
  })

  it('shares nothing between databases', async function () {
    const count = instance => server.map({ sources: ['function () { seen = typeof seen === "undefined" ? 1 : seen + 1; emit(seen) }'], origin: { database: 'db', instance, design: DDOC } }, [{}])
    assert.deepEqual([await count('one'), await count('one'), await count('two')], [[[[[1, null]]]], [[[[2, null]]]], [[[[1, null]]]]])
  })
})
