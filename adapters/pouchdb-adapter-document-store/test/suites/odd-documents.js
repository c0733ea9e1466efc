'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const PouchDB = require('pouchdb-core')

PouchDB.plugin(require('pouchdb-adapter-memory'))

const nested = (levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
class Point { constructor () { this.x = 1 } }

/** Documents that PouchDB takes, whatever it makes of them. */
const taken = {
  'a date': () => ({ v: new Date(0) }),
  'undefined and functions': () => ({ v: undefined, w: [undefined, () => 1], f () {} }),
  'numbers that JSON has not': () => ({ v: [Infinity, -Infinity, NaN, -0] }),
  'numbers at the edges': () => ({ v: [2 ** 53 + 2, 1e308, 5e-324, Number.MAX_SAFE_INTEGER] }),
  'an instance of a class': () => ({ v: new Point() }),
  'a value with toJSON': () => ({ v: { toJSON: () => ({ t: 1 }) } }),
  'a sparse array': () => ({ v: [1, , 3] }), // eslint-disable-line no-sparse-arrays
  symbols: () => ({ [Symbol('s')]: 1, v: Symbol('s') }),
  'a proxy': () => ({ v: new Proxy({ a: 1 }, {}) }),
  'boxed values': () => ({ v: [Object('s'), Object(1), Object(false)] }),
  'a Buffer, a Map and a RegExp': () => ({ v: [Buffer.from('a'), new Map([[1, 2]]), /x/] }),
  'an object without prototype': () => Object.assign(Object.create(null), { v: 1 }),
  'frozen members': () => Object.freeze({ v: Object.freeze([1]) }),
  'names of JavaScript': () => ({ constructor: 1, toString: { valueOf: 2 }, hasOwnProperty: 3 }),
  'an empty name': () => ({ '': { '': 1 } }),
  'lone surrogates': () => ({ v: 'a\ud800b', '\udc00': 1 }),
  'NUL and noncharacters': () => ({ '\0': '\0', '\uffff': '\u{10ffff}' }),
  'members without a value': () => ({ _rev: undefined, _attachments: undefined, _revisions: undefined, v: 1 }),
  '_attachments that are null': () => ({ _attachments: null, v: 1 }),
  'what reading adds': () => ({ _conflicts: ['1-a'], _revs_info: [], _local_seq: 7, v: 1 }),
  'nesting of 500 levels': () => ({ v: nested(500) }),
  '10,000 members': () => Object.fromEntries(Array.from({ length: 10000 }, (_, i) => [`m${i}`, i]))
}

/** Documents that it refuses. The error is the application's own if its own code has thrown. */
const refused = {
  'nesting of 100,000 levels': () => ({ v: nested(100000) }),
  'a BigInt': () => ({ v: 1n }),
  'a cycle': () => { const v = {}; v.v = v; return { v } },
  'a getter that throws': () => ({ get v () { throw new Error('mine') } }),
  'a proxy that throws': () => ({ v: new Proxy({}, { ownKeys () { throw new Error('mine') } }) }),
  'a member with an underscore': () => ({ _foo: 1 }),
  'a stub of nothing': () => ({ _attachments: { f: { stub: true, digest: 'md5-x', content_type: 'text/plain' } } }),
  'a revision that is null': () => ({ _rev: null }),
  'a revision without a number': () => ({ _rev: 'x' })
}

module.exports = (context) => describe('odd documents', function () {
  this.timeout(600_000)
  let oracle
  beforeEach(() => { oracle = new PouchDB(`odd-${context.newName().replace(/\W/g, '-')}`, { adapter: 'memory' }) })
  afterEach(() => oracle.destroy())

  async function stored (db, make) {
    await db.put({ ...make(), _id: 'd' })
    const { _id, _rev, ...rest } = await db.get('d')
    if (rest._attachments === null) delete rest._attachments
    return rest
  }

  for (const [what, make] of Object.entries(taken)) {
    it(`${what}: as PouchDB`, async () => {
      assert.deepEqual(await stored(context.db, make), await stored(oracle, make))
    })
  }

  for (const [what, make] of Object.entries(refused)) {
    it(`${what}: refused, as by PouchDB, and nothing is written`, async () => {
      const write = () => Object.defineProperty(make(), '_id', { value: 'd', enumerable: true })
      await context.db.info() // open: the first calls of all go another way
      for (const db of [context.db, oracle]) {
        await assert.rejects(async () => db.put(write()), Error)
        await assert.rejects(async () => db.bulkDocs([{ _id: 'other' }, write()]), Error)
        assert.equal((await db.info()).doc_count, 0)
      }
    })
  }

  it('a deletion is what JavaScript takes for true', async () => {
    for (const db of [context.db, oracle]) {
      for (const [_deleted, there] of [[1, false], ['no', false], [0, true], ['', true], [null, true]]) {
        const { rev } = await db.put({ _id: `d${_deleted}`, _deleted })
        assert.equal(await db.get(`d${_deleted}`).then(() => true, () => false), there)
        assert.equal((await db.get(`d${_deleted}`, { rev }))._deleted, there ? undefined : true)
      }
    }
  })

  it('any JSON comes back as it went in', async () => {
    const name = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', '', '\ud800'))
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, fc.string({ unit: 'binary' }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(),
        fc.constant(null), fc.array(tie('any')), fc.dictionary(name, tie('any'), { noNullPrototype: true }))
    })).any
    await context.db.info()
    let count = 0
    await fc.assert(fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 5 }), async (values) => {
      const docs = values.map((v) => ({ _id: `d${count++}`, v }))
      await context.db.bulkDocs(docs)
      const { rows } = await context.db.allDocs({ keys: docs.map(({ _id }) => _id), include_docs: true })
      assert.deepEqual(rows.map(({ doc }) => JSON.stringify(doc.v)), values.map((v) => JSON.stringify(v)))
    }), { numRuns: 50 })
  })
})
