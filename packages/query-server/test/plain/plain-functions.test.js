'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const fc = require('fast-check')
const { compilePlain } = require('../../lib/plain/plain-functions')
const plainRows = require('../../lib/sandbox/plain-rows')
const { Engine } = require('../../lib/sandbox/engine')
const { Program } = require('../../lib/sandbox/program')
const { RowGatherer } = require('../../lib/sandbox/row-gatherer')
const { QueryServer } = require('../..')
const { doc, indexSource, source } = require('./random-functions')

const NO_MAIL = new Uint8Array(0)
const LIMITS = { rows: 100_000, bytes: 16 * 1024 * 1024 }

/** How often random functions are compared: `npm run test:long` does so more often. */
const numRuns = Number(process.env.PROGRAMS ?? 300)

/** The call of a batch as the sandbox gets it. */
function batch (docs, limits = LIMITS) { return `{"docs":[${docs.join()}],"rows":${limits.rows},"bytes":${limits.bytes},"longest":${Math.max(0, ...docs.map(({ length }) => length))}}` }

function mapPlain (sources, docs, limits, indexes) { return compilePlain({ sources, indexes })?.map(batch(docs, limits)) }

describe('plain map functions', function () {
  /** @type {Engine} */
  let engine

  before(async function () { engine = await Engine.open() })

  /** Returns the rows of the sandbox, and what it logs and says. */
  function inSandbox (sources, docs, limits, indexes) {
    const program = new Program(engine, { memory: 64 * 1024 * 1024 })
    const loaded = program.run('load', JSON.stringify({ sources, library: {}, sealed: false, indexes }), 10_000, NO_MAIL)
    if (!loaded.text?.endsWith('\n+true')) return { text: loaded.text ?? loaded.reason }
    const gatherer = new RowGatherer(plainRows.makeEncoder(), sources.length, () => {})
    const { text } = program.run('map', batch(docs, limits), 10_000, NO_MAIL, piece => {
      gatherer.take(piece)
      return ''
    })
    const { part, text: said } = gatherer.finish(text)
    return { text: said, rows: part?.rows }
  }

  const usual = ['{"_id":"a","type":"post","title":"x","n":3,"tags":["p","q"],"author":{"name":"Ann"},"ok":true}', '{"_id":"b","n":-0,"tags":[1e400,[-0]],"author":{"name":-0}}']

  const PLAIN = [
    'function (doc) { emit(doc._id, null) }',
    'function(doc){emit(doc.n,doc)}',
    'function (doc) { if (doc.type === "post" && doc.title) { emit([doc.title, doc.n], { n: doc.n, tags: doc.tags }); } }',
    "function (doc) {\n  if (doc.type == 'post') emit(doc.title, 1)\n  else emit(null, -doc.n)\n}",
    'function (doc) { for (var i = 0; i < doc.tags.length; i++) { emit(doc.tags[i], i) } }',
    'function (doc) { for (var i in doc.tags) emit([i, doc.tags[i]]) }',
    'function (doc) { for (const tag of doc.tags) emit(tag, doc.tags.length) }',
    'function (doc) { doc.tags.forEach(function (tag, i) { emit(tag, i * 2) }) }',
    'function (doc) { doc.tags && doc.tags.forEach(tag => { emit(tag) }) }',
    'doc => emit(doc["title"], !doc.ok)',
    '(doc) => { const n = doc.n; if (n === undefined) return; emit(n % 2, "n" + n) }',
    'function map (doc) { "use strict"; var key = null; if (doc.author) key = doc.author.name; emit(key, typeof key) }',
    'function (doc) { emit(`${doc.n} of ${doc.type}${doc.none}`, doc.author?.name) }', // eslint-disable-line no-template-curly-in-string
    'function (doc) { emit(doc.none?.name, doc.none?.["a"]) }',
    'function (doc) { emit(doc.tags, [doc.author]) }',
    'function (doc) { emit(emit(doc.n), 3) }',
    'function doc (doc) { emit(doc.n) }',
    'function (doc) { emit(); emit(doc.none, undefined); emit(-doc.n, 1 / 0) }',
    'function (doc) { doc.tags.forEach(function (tag) { doc.tags.forEach(function (other) { emit([tag, other]) }) }) }',
    'function () { emit(1) }',
    'function (doc) {\n  emit(doc._id, doc.n);\n};\n',
    'function (doc) { emit(doc._id) } ; ;',
    'function (doc) { emit(Array.isArray(doc.tags), Array.isArray(doc)) }',
    'function (doc) { var key, n = 1; if (doc.ok) key = doc.title; emit(key, n) }',
    'function (doc) { for (const tag of doc.tags) { let key; if (tag === "p") key = tag; emit(key) } }',
    'function (doc) { var n = doc.n; emit(n > 1 ? "many" : "few", isArray(doc.tags)) } // so'
  ]

  for (const each of PLAIN) {
    it(`go without the sandbox, and give the same rows: ${each}`, function () {
      const rows = mapPlain([each], usual)
      assert.notEqual(rows, undefined)
      assert.deepStrictEqual(rows, inSandbox([each], usual).rows)
    })
  }

  const NOT_PLAIN = [
    'function (doc) { emit(doc.title.toLowerCase()) }',
    'function (doc) { emit(Object.keys(doc)) }',
    'function (doc) { emit(new Date(doc.n)) }',
    'function (doc) { while (true) {} }',
    'function (doc) { for (;;) {} }',
    'function (doc) { doc.n = 1; emit(doc.n) }',
    'function (doc) { doc.tags.push(1) }',
    'function (doc) { emit(doc.constructor) }',
    'function (doc) { emit(doc.__proto__) }',
    'function (doc) { emit(doc["__proto__"]) }',
    'function (doc) { emit(this) }',
    'function (doc) { emit(arguments.length) }',
    'function (doc) { emit(process) }',
    'function (doc) { eval("1") }',
    'function (doc) { log(doc) }',
    'function (doc) { var a = doc.n; for (var t of doc.tags) a = a + a; emit(a) }',
    'function (doc) { var a = [doc]; emit(a) }',
    'function (doc) { if (doc.n) { var a = 1 } emit(a) }',
    'function (doc) { for (var tag of doc.tags) { var key; if (tag === "p") key = tag; emit(key) } }',
    'function (doc) { for (var tag of doc.tags) { const key; emit(key) } }',
    'function (doc) { Array.of(1) }',
    'function (doc) { var Array = doc; emit(1) }',
    'function (doc) { Array["isArray"](1) }',
    'function (doc) { emit(1) }; function (doc) { emit(2) };',
    'function (doc) { emit(late); var late = 1 }',
    'function (doc) { var emit = 1 }',
    'function (emit) { emit(1) }',
    'function (doc) { emit(...doc.tags) }',
    'function (doc) { emit(/x/.test(doc.title)) }',
    'function (doc) { emit(1n) }',
    'function (doc) { emit(String.raw`x`) }',
    'function (doc) { doc.tags?.forEach(tag => emit(tag)) }',
    'function (doc) { emit?.(1) }',
    'function (doc) { emit("length" in doc) }',
    'function (doc) { emit({ __proto__: doc }) }',
    'function (doc) { emit({ a: 1, a: 2 }) }',
    'function (doc) { emit(1, { stack: doc.none, name: 1, message: 2 }) }',
    'function emit (doc) { emit(1) }',
    'function isArray (doc) { emit(isArray(doc)) }',
    'function (doc) { doc.tags.forEach(function emit (tag) { emit(tag) }) }',
    'function (doc) { var a = 1; doc.tags.forEach(function a (tag) { emit(a) }) }',
    'async => emit(async.n)',
    'function (doc) { doc.tags.forEach(async => emit(async)) }',
    `function (doc) { ${'if (1) {'.repeat(900)} emit(1) ${'}'.repeat(900)} }`,
    'function (doc) { emit({ get a () { return 1 } }) }',
    'function (doc) { emit(function () {}) }',
    'function (doc) { if (1 <!--1\n) emit(1) }',
    'async function (doc) { emit(1) }',
    'function * (doc) { emit(1) }',
    'function ({ n }) { emit(n) }',
    'function (doc) { emit(1) }; emit(2)',
    'function (doc) { emit(1) }), (function (doc) { emit(2) }',
    'function (doc) {',
    '1',
    '',
    `function (doc) { emit(${'('.repeat(4000)}1${')'.repeat(4000)}) }`,
    `function (doc) { emit("${'x'.repeat(20_000)}") }`
  ]

  for (const each of NOT_PLAIN) {
    it(`are not: ${each.slice(0, 100)}`, function () { assert.equal(compilePlain({ sources: [each] }), null) })
  }

  const OF_INDEXES = {
    search: [
      'function (doc) { index("default", doc._id) }',
      'function (doc) { if (doc.title) { index("title", doc.title, { store: true, facet: doc.ok }); index("n", doc.n) } }',
      'function (doc) { if (doc.ok) index("ok", doc.ok, null); for (var i in doc.author) index(i, typeof doc.author[i], doc.author) }',
      'function (doc) { doc.tags.forEach(function (tag) { typeof tag === "string" && index("tag", tag) }) }',
      'function (doc) { index("", -doc.n, { a: -doc.n, b: doc.none, c: [doc.none] }) }'
    ],
    nouveau: [
      'function (doc) { index("text", "default", doc._id); index("double", "n", doc.n, { store: true }) }',
      'function (doc) { index("stored", "id", doc._id, 0); index("stored", "n", doc.n, doc.tags) }',
      'function (doc) { for (const tag of doc.tags) if (tag === "p") index("string", "tag", tag) }'
    ]
  }

  for (const [indexes, sources] of Object.entries(OF_INDEXES)) {
    for (const each of sources) {
      it(`go without the sandbox for text indexes of ${indexes}: ${each}`, function () {
        const rows = mapPlain([each], usual, LIMITS, indexes)
        assert.notEqual(rows, undefined)
        assert.deepStrictEqual(rows, inSandbox([each], usual, LIMITS, indexes).rows)
      })
    }
  }

  it('are no functions of text indexes that do other things', function () {
    for (const each of ['emit(1)', 'index("a", doc.a.toLowerCase())', 'index("a", "b", {}, 1)', 'var index = 1', 'doc.a.forEach((item, index) => { index("a", item) })', 'index(...doc.a)', 'index?.("a", "b")']) {
      assert.equal(compilePlain({ sources: [`function (doc) { ${each} }`], indexes: 'search' }), null, each)
    }
    assert.equal(compilePlain({ sources: ['function (doc) { index("a", "b") }'] }), null)
    assert.notEqual(compilePlain({ sources: ['function (doc) { doc.a.forEach(function (item, index) { emit(item, index) }) }'] }), null)
  })

  it('of text indexes are left to the sandbox with calls that it refuses', function () {
    const calls = {
      search: ['index(doc.n, "a")', 'index("_a", "b")', 'index("a", doc.none)', 'index("a", doc.tags)', 'index("a", "b", true)', 'index("a", null)', 'index("a", 1 / 0)', 'index()'],
      nouveau: ['index("a", "b")', 'index("text", "_a", "b")', 'index("text", "a", doc.n)', 'index("double", "a", "1")', 'index("stored", "a", true)', 'index("constructor", "a", "b")', 'index("text", doc.n, "a")']
    }
    for (const [indexes, each] of Object.entries(calls)) {
      for (const call of each) assert.equal(mapPlain([`function (doc) { ${call} }`], [usual[0]], LIMITS, indexes), undefined, call)
    }
  })

  it('are not where another of them is not, nor in another language', function () {
    const [plain] = PLAIN
    assert.notEqual(compilePlain({ sources: [plain, plain] }), null)
    assert.equal(compilePlain({ sources: [plain, NOT_PLAIN[0]] }), null)
    assert.equal(compilePlain({ sources: [plain], language: 'coffeescript' }), null)
  })

  const DOUBTS = {
    'a member of nothing': ['function (doc) { emit(doc.a.b) }', '{}'],
    'a member that texts inherit': ['function (doc) { emit(doc.a.sort) }', '{"a":"x"}'],
    'a member that lists inherit': ['function (doc) { emit(doc.a.map) }', '{"a":[]}'],
    'a member of nothing, behind one that may be missing': ['function (doc) { emit(doc.a?.b.c) }', '{}'],
    'a name that is computed, and inherited': ['function (doc) { emit(doc[doc.a]) }', '{"a":"constructor"}'],
    'the text of an object': ['function (doc) { emit(doc.a + "") }', '{"a":{}}'],
    'an object that is compared': ['function (doc) { emit(doc.a == 1) }', '{"a":[1]}'],
    'what looks like an error': ['function (doc) { emit(1, doc.a) }', '{"a":{"stack":1,"name":2,"message":3}}'],
    'more rows than are allowed': ['function (doc) { for (var i of doc.a) emit(i) }', `{"a":[${'1,'.repeat(20)}1]}`],
    'more rows than are allowed, of which others are made': ['function (doc) { for (var i of doc.a) emit(1); emit(emit(2), 3) }', `{"a":[${'1,'.repeat(18)}1]}`],
    'more bytes than are allowed': ['function (doc) { for (var i of doc.a) emit(i, doc) }', `{"a":[1,2,3,4],"b":"${'x'.repeat(3000)}"}`],
    'a text that grows': [`function (doc) { var a = doc.a; ${'a = a + a; '.repeat(40)} emit(a === 1) }`, `{"a":"${'x'.repeat(100)}"}`],
    'many turns': ['function (doc) { for (var a of doc.a) for (var b of doc.a) for (var c of doc.a) if (a) b === c }', `{"a":[${'1,'.repeat(30)}1]}`],
    'turns that are long': [`function (doc) { for (var a of doc.a) { ${'doc.b + a === doc.b; doc.b + 1 === doc.b + a; '.repeat(200)} } }`, `{"a":[${'1,'.repeat(5000)}1],"b":"${'x'.repeat(200_000)}"}`],
    'a document that is nested deeply': ['function (doc) { emit(1) }', `{"a":${'['.repeat(700)}${']'.repeat(700)},"b":"]]]]"}`],
    'the same behind brackets in a text': ['function (doc) { emit(1) }', `{"b":"${']'.repeat(900)}\\"","a":${'['.repeat(300)}${']'.repeat(300)}}`]
  }

  for (const [name, [each, doc]] of Object.entries(DOUBTS)) {
    it(`are left to the sandbox with ${name}`, function () {
      assert.equal(mapPlain([each], [doc], { rows: 20, bytes: 60_000 }), undefined)
    })
  }

  it('are left to it for good after three batches', function () {
    const plain = compilePlain({ sources: ['function (doc) { emit(doc.a.b) }'] })
    const good = batch(['{"a":{"b":1}}'])
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(plain.map(good), [[[[1, null]]]])
      assert.equal(plain.map(batch(['{}'])), undefined)
    }
    assert.equal(plain.map(good), undefined)
  })

  it('are left to it with a document that is very long, and go on with others', function () {
    const plain = compilePlain({ sources: ['function (doc) { emit(doc.n) }'] })
    const long = `{"n":1,"text":"${'x'.repeat(3_000_000)}"}`
    for (let i = 0; i < 5; i++) assert.equal(plain.map(batch([long])), undefined)
    assert.deepEqual(plain.map(batch(['{"n":1}'])), [[[[1, null]]]])
  })

  it('give what the sandbox gives, whatever they are', function () {
    this.timeout(600_000)
    const compared = { plain: 0, rows: 0 }
    const limits = fc.constantFrom(LIMITS, LIMITS, { rows: 3, bytes: LIMITS.bytes }, { rows: LIMITS.rows, bytes: 5000 })
    fc.assert(fc.property(source, fc.array(doc, { minLength: 1, maxLength: 5 }), limits, (each, docs, most) => {
      const rows = mapPlain([each], docs, most)
      if (rows === undefined) return
      const expected = inSandbox([each], docs, most)
      assert.equal(expected.text, '\n+true')
      assert.deepStrictEqual(rows, expected.rows)
      compared.plain++
      compared.rows += rows.flat(2).length
    }), { numRuns })
    // A comparison of nothing would prove nothing.
    assert.ok(compared.plain > numRuns / 20 && compared.rows > numRuns / 20, JSON.stringify(compared))
  })

  it('give what the sandbox gives for text indexes, too', function () {
    this.timeout(600_000)
    const compared = { plain: 0, rows: 0 }
    fc.assert(fc.property(indexSource, fc.array(doc, { minLength: 1, maxLength: 3 }), ([indexes, each], docs) => {
      const rows = mapPlain([each], docs, LIMITS, indexes)
      if (rows === undefined) return
      const expected = inSandbox([each], docs, LIMITS, indexes)
      assert.equal(expected.text, '\n+true')
      assert.deepStrictEqual(rows, expected.rows)
      compared.plain++
      compared.rows += rows.flat(2).length
    }), { numRuns })
    assert.ok(compared.plain > numRuns / 100 && compared.rows > numRuns / 100, JSON.stringify(compared))
  })

  it('need no sandbox where they were a filter first', async () => {
    const server = new QueryServer()
    try {
      const functions = { sources: [`function (doc) { for (var a of doc.list) for (var b of doc.list) if (${'isArray(a) || '.repeat(20)} a !== b) emit(a) }`] }
      const docs = [{ list: new Array(90).fill(1) }]
      assert.deepEqual(await server.emits(functions, docs), [false])
      // The sandbox has no time for this.
      server.configure({ timeout: 0 })
      assert.deepEqual(await server.map(functions, docs), [[[]]])
    } finally {
      await server.close()
    }
  })

  it('go on where others of the same program do, with the same answer to the host', async function () {
    const logged = []
    const server = new QueryServer({ log: ({ message }) => logged.push(message) })
    try {
      const functions = { sources: ['function (doc) { emit(doc.a.b, null) }'] }
      const ask = docs => server.map(functions, docs)
      assert.deepEqual(await ask([{ _id: '1', a: { b: 1 } }]), [[[[1, null]]]])
      assert.deepEqual(await ask([{ _id: '2' }, { _id: '3', a: { b: 2 } }]), [[[]], [[[2, null]]]])
      assert.equal(logged.length, 1)
      assert.match(logged[0], /with doc\._id 2$/)
      assert.deepEqual(await ask([]), [])
      assert.deepEqual(await server.emits(functions, [{ _id: '4', a: {} }]), [true])
      await assert.rejects(server.filter({ sources: ['function (doc) { return doc.a.b }'] }, [{}], {}))
      const encoder = { module: path.join(__dirname, '../small-parts.js') }
      const parts = []
      await server.mapInParts({ sources: ['function (doc) { for (var i of doc.list) emit(i) }'] }, [{ list: [1, 2, 3, 4, 5] }], { encoder, take: async part => { parts.push(part) } })
      assert.deepEqual(parts.map(({ rows }) => rows.map(([key]) => key)), [[1, 2], [3, 4], [5]])
    } finally {
      await server.close()
    }
  })
})
