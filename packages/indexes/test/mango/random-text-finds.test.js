'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Work } = require('@potoroo/search')
const { Mango } = require('../..')
const arbitraries = require('./arbitraries')

const numRuns = Number(process.env.TEST_RANDOM_RUNS ?? 60)

/** Names that are places in lists too, that look like parts of fields of a text index, and what is empty. */
const odd = fc.oneof(
  fc.dictionary(fc.constantFrom('0', '+1', 'x', '[]', 'x.y', 'x:string', '_id'), arbitraries.value, { maxKeys: 3 }),
  fc.array(fc.oneof(arbitraries.value, fc.dictionary(fc.constantFrom('0', '1', 'x', '_id'), arbitraries.value, { maxKeys: 2 })), { maxLength: 3 }),
  fc.constantFrom({}, [], [[]], [{}], { x: {} }, { x: [] }, 'the', 'The a', 'a b', 'e\u0301', '\u00e1')
)

const docs = fc.array(fc.tuple(arbitraries.doc, fc.option(odd, { nil: undefined }), fc.constantFrom('a', 'b', 'c')), { minLength: 3, maxLength: 20 })
  .map(list => list.map(([doc, value, name], i) => ({ _id: `k${i}`, ...doc, ...value !== undefined && { [name]: value } })))

/** Conditions of one field each, of all kinds, beside whole selectors. */
const arguments_ = fc.oneof(arbitraries.value, odd)
const condition = fc.oneof(
  ...['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'].map(name => arguments_.map(argument => ({ [name]: argument }))),
  ...['$in', '$nin', '$all'].map(name => fc.array(arguments_, { maxLength: 3 }).map(list => ({ [name]: list }))),
  fc.boolean().map(wanted => ({ $exists: wanted })),
  fc.constantFrom('null', 'boolean', 'number', 'string', 'array', 'object').map(type => ({ $type: type })),
  fc.nat({ max: 2 }).map(size => ({ $size: size })),
  fc.constantFrom({ $mod: [2, 1] }, { $regex: 'a' }, { $beginsWith: 'a' })
)
const field = fc.oneof(arbitraries.field, fc.constantFrom('a.0.x', 'b.0', 'c.x', 'c.x\\.y', 'b.+1', 'a.0.1', 'c.0._id', 'a.[]', '_rev'))
const selector = fc.oneof(
  arbitraries.selector,
  fc.tuple(field, condition).map(([name, part]) => ({ [name]: part })),
  fc.tuple(field, condition, field, condition).map(([one, first, other, second]) => ({ $and: [{ [one]: first }, { [other]: second }] })),
  fc.tuple(field, condition, field, condition).map(([one, first, other, second]) => ({ $or: [{ [one]: first }, { [other]: second }] })),
  fc.tuple(field, condition).map(([name, part]) => ({ [name]: { $elemMatch: part } })),
  fc.tuple(field, field, condition).map(([name, inner, part]) => ({ [name]: { $elemMatch: { [inner]: part } } })),
  fc.tuple(field, field, condition).map(([name, inner, part]) => ({ [name]: { $elemMatch: { $nor: [{ [inner]: part }] } } })),
  fc.tuple(field, condition).map(([name, part]) => ({ [name]: { $not: part } }))
)

const BOUNDS = new Set(['$lt', '$lte', '$gt', '$gte'])
const WITHIN = new Set(['$and', '$or', '$elemMatch', '$allMatch'])
const NEVER = { _id: { $in: [] } }

function hasBounds (selector) { return /"\$[lg]te?":/.test(JSON.stringify(selector)) }

/** The selector of what a text index has to find at least: numbers and strings are greater and less than their like. @returns {any} */
function likeWithLike (selector) {
  if (Array.isArray(selector)) return selector.map(likeWithLike)
  if (!hasBounds(selector)) return selector
  const parts = Object.entries(selector).map(([name, value]) => {
    if (BOUNDS.has(name) && (typeof value === 'number' || typeof value === 'string')) return { [name]: value, $type: typeof value }
    // A text index takes what is not less for greater.
    if ((name === '$not' || name === '$nor') && hasBounds(value)) return NEVER
    return { [name]: name.startsWith('$') && !WITHIN.has(name) ? value : likeWithLike(value) }
  })
  return { $and: parts }
}

const partial = fc.constantFrom({ b: { $gt: 0 } }, { a: { $type: 'string' } }, { c: { $exists: true } })
const fields = fc.oneof(
  fc.constant([]),
  fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'd.x', 'd.y', 'a.[]', 'a.[].x', 'b.0', 'b.[]', '_id', 'c.x\\.y'), { minLength: 1, maxLength: 4 })
    .chain(names => fc.tuple(...names.map(name => fc.uniqueArray(fc.constantFrom('string', 'number', 'boolean'), { minLength: 1 }).map(types => types.map(type => ({ name, type }))))))
    .map(list => list.flat())
)
const texts = fc.record({
  type: fc.constantFrom('text', 'nouveau'),
  index: fc.record({
    fields,
    default_analyzer: fc.constantFrom('keyword', 'standard', 'english', 'whitespace'),
    default_field: fc.constantFrom({}, { enabled: false }),
    index_array_lengths: fc.boolean(),
    partial_filter_selector: partial
  }, { requiredKeys: ['fields'] })
})

/** @see https://docs.couchdb.org/en/stable/api/database/find.html#text-indexes */
describe('random finds with text indexes', function () {
  this.timeout(600_000 + numRuns * 1000)

  let level
  let opened = 0
  beforeEach(() => { level = new MemoryLevel() })
  afterEach(() => level.close())

  async function open (documents, indexes) {
    const database = await DocumentStore.open(level, { prefix: `db${opened++}/` })
    const mango = new Mango({ defaultLimit: () => 1000 })
    await database.write(documents)
    for (const [i, index] of indexes.entries()) await mango.create(database, { ...index, ddoc: `d${i}`, name: `n${i}` })
    return { database, mango }
  }

  /** The ids that are found, null: it is to be said which of several indexes is wanted. */
  async function found (mango, database, body) {
    try {
      return (await mango.find(database, body)).docs.map(({ _id }) => _id).sort()
    } catch (error) {
      if (/^multiple_(text|nouveau)_indexes$/.test(error.error)) return null
      throw error
    }
  }

  it('find what is found without them', async () => {
    const used = { text: 0, nouveau: 0, json: 0, special: 0 }
    const jsons = fc.array(arbitraries.index, { maxLength: 2 }).map(list => list.map(({ fields, partial: filter }) => ({ index: { fields, ...filter && { partial_filter_selector: filter } } })))
    await fc.assert(fc.asyncProperty(docs, fc.array(texts, { minLength: 1, maxLength: 3 }), jsons, fc.array(selector, { minLength: 1, maxLength: 12 }), async (documents, some, others, selectors) => {
      const plain = await open(documents, [])
      const indexes = [...some, ...others]
      const { database, mango } = await open(documents, indexes)
      for (const asked of selectors) {
        const expected = await found(plain.mango, plain.database, { selector: asked })
        for (const name of [undefined, ...indexes.keys()]) {
          const body = { selector: asked, ...name !== undefined && { use_index: `d${name}` } }
          const ids = await found(mango, database, body)
          if (ids === null) continue
          const { index } = await mango.explain(database, body)
          used[index.type]++
          const filter = index.def.partial_filter_selector
          const rest = filter === undefined || index.ddoc !== `_design/d${name}` ? [] : [filter]
          const wanted = rest.length === 0 ? expected : await found(plain.mango, plain.database, { selector: { $and: [asked, ...rest] } })
          const isText = index.type === 'text' || index.type === 'nouveau'
          const least = isText ? await found(plain.mango, plain.database, { selector: { $and: [likeWithLike(asked), ...rest] } }) : wanted
          const about = JSON.stringify([body, index, documents])
          assert.deepEqual(ids.filter(id => !wanted.includes(id)), [], about)
          assert.deepEqual(least.filter(id => !ids.includes(id)), [], about)
        }
      }
      await database.close()
      await plain.database.close()
    }), { numRuns })
    for (const [type, count] of Object.entries(used)) assert.ok(count > 0, type)
  })

  const DOCS = [
    { _id: 'a', title: 'x', n: 1, tags: ['p', 'q'] }, { _id: 'b', n: 2, meta: {} }, { _id: 'c', title: 'y', n: 'two' },
    { _id: 'd', n: null, tags: { 0: 'p' } }, { _id: 'e', title: null, n: 4, meta: { deep: { er: {} } } }
  ]

  for (const type of ['text', 'nouveau']) {
    it(`of some fields say nothing of others (${type})`, async () => {
      const { database, mango } = await open(DOCS, [{ type, index: { fields: [{ name: 'title', type: 'string' }] } }])
      const cases = [
        [{ _id: { $gt: null } }, 'abcde'], [{ n: { $exists: true } }, 'abcde'], [{ n: { $ne: null } }, 'abce'], [{ n: { $type: 'number' } }, 'abe'], [{ $or: [{ n: { $exists: true } }] }, 'abcde'],
        [{ 'tags.0': 'p' }, 'ad'], [{ tags: { $size: 2 } }, 'a'], [{ n: null }, 'd'], [{ meta: { $exists: true } }, 'be'], [{ title: { $exists: false } }, 'bd']
      ]
      for (const [asked, ids] of cases) {
        assert.equal((await found(mango, database, { selector: asked })).join(''), ids, JSON.stringify(asked))
        assert.equal((await found(mango, database, { selector: asked, use_index: 'd0' })).join(''), ids, JSON.stringify(asked))
      }
      await database.close()
    })

    it(`tell of their fields what no value says (${type})`, async () => {
      const { database, mango } = await open(DOCS, [{ type, index: { fields: [{ name: 'title', type: 'string' }, { name: 'n', type: 'number' }, { name: 'tags.[]', type: 'string' }, { name: 'meta', type: 'boolean' }] } }])
      const cases = [
        [{ title: { $exists: true } }, 'ace'], [{ title: null }, 'e'], [{ n: { $gt: 1 } }, 'be'], [{ n: { $lte: 1 } }, 'a'], [{ n: { $gt: null } }, 'abce'], [{ n: { $type: 'string' } }, 'c'], [{ n: { $ne: 1 } }, 'bcde'],
        [{ 'tags.0': 'p' }, 'ad'], [{ meta: { $exists: true } }, 'be'], [{ title: { $exists: true }, other: { $exists: false } }, 'ace']
      ]
      for (const [asked, ids] of cases) {
        assert.equal((await mango.explain(database, { selector: asked })).index.type, type, JSON.stringify(asked))
        assert.equal((await found(mango, database, { selector: asked })).join(''), ids, JSON.stringify(asked))
      }
      await database.close()
    })

    it(`of all fields know what is empty, and what is deep (${type})`, async () => {
      const deep = levels => { let doc = { x: 1 }; for (let i = 1; i < levels; i++) doc = { x: doc }; return doc }
      const { database, mango } = await open([...DOCS, { _id: 'f', ...deep(150) }, { _id: 'g', x: [[], { y: [] }] }], [{ type, index: { index_array_lengths: false } }])
      const path = levels => Array(levels).fill('x').join('.')
      const cases = [
        [{ meta: { $exists: true } }, 'be'], [{ 'meta.deep.er': { $exists: true } }, 'e'], [{ meta: { $type: 'object' } }, 'be'], [{ 'x.0': { $size: 0 } }, 'g'], [{ 'x.1.y': { $type: 'array' } }, 'g'],
        [{ [path(99)]: { $exists: true } }, 'f'], [{ [path(100)]: { $type: 'object' } }, 'f'], [{ [path(150)]: 1 }, 'f'], [{ x: { $elemMatch: { $nor: [{ y: 1 }] } } }, 'g']
      ]
      for (const [asked, ids] of cases) {
        assert.equal((await mango.explain(database, { selector: asked })).index.type, type, JSON.stringify(asked))
        assert.equal((await found(mango, database, { selector: asked })).join(''), ids, JSON.stringify(asked))
      }
      await database.close()
    })
  }

  it('take no longer for places in lists within each other', async () => {
    const { database, mango } = await open(DOCS, [{ type: 'text', index: {} }])
    let selector = { 0: 1 }
    for (let i = 0; i < 60; i++) selector = { 0: { $elemMatch: selector } }
    assert.deepEqual(await found(mango, database, { selector }), [])
    await database.close()
  })

  it('look for the documents of a text twice at most, however many do not match', async () => {
    const { database, mango } = await open(Array.from({ length: 4000 }, (_, i) => ({ _id: `k${i}`, title: 'fox', n: i })), [{ type: 'text', index: {} }])
    const spend = Work.prototype.spend
    const spent = async selector => {
      let sum = 0
      Work.prototype.spend = function (count) {
        sum += count
        return spend.call(this, count)
      }
      try {
        return { ids: await found(mango, database, { selector }), sum }
      } finally {
        Work.prototype.spend = spend
      }
    }
    await found(mango, database, { selector: { $text: 'fox' } })
    const { ids, sum } = await spent({ $text: 'fox', title: { $regex: 'wolf' } })
    assert.deepEqual(ids, [])
    assert.ok(sum > 4000 && sum <= 4 * 4000, `${sum}`)
    await database.close()
  })

  it('sort by no field that is not there', async () => {
    const { database, mango } = await open(DOCS, [{ type: 'text', index: { fields: [{ name: 'title', type: 'string' }] } }])
    assert.deepEqual((await mango.find(database, { selector: { title: { $gt: 'a' } }, sort: [{ 'title:string': 'desc' }] })).docs.map(({ _id }) => _id), ['c', 'a'])
    await assert.rejects(mango.find(database, { selector: { title: { $gt: 'a' } }, sort: [{ 'n:number': 'asc' }] }), { error: 'no_usable_index' })
    await database.close()
  })
})
