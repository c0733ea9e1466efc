'use strict'

const assert = require('node:assert/strict')

const DOCS = [
  { _id: 'fox', title: 'The quick brown fox', body: 'jumps over the lazy dog', year: 1990, embedding: [1, 0, 0] },
  { _id: 'dog', title: 'A lazy dog', body: 'sleeps', year: 2000, embedding: [0, 1, 0] },
  { _id: 'cat', title: 'Cats and dogs', body: 'quick to fight', year: 2010, embedding: [0.9, 0.1, 0] }
]

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('search', () => {
  beforeEach(() => context.db.bulkDocs(DOCS))

  const ids = async request => (await context.db.search(request)).docs.map(({ _id }) => _id)

  it('finds by text, in these fields, the best first, and what is written later', async () => {
    const { db } = context
    const fields = ['title', 'body']
    assert.deepEqual((await ids({ query: 'quick', fields })).sort(), ['cat', 'fox'])
    assert.deepEqual(await ids({ query: '"lazy dog"', fields: ['title'] }), ['dog'])
    assert.deepEqual(await ids({ query: 'title\\:string:"A lazy dog"', fields }), ['dog'])
    assert.deepEqual(await ids({ query: 'qui* AND -fox', fields }), ['cat'])
    await db.put({ _id: 'new', title: 'quick quick quick' })
    await db.remove(await db.get('fox'))
    assert.deepEqual((await ids({ query: 'quick', fields })).sort(), ['cat', 'new'])
    const { rows } = await db.allDocs({ startkey: '_design/', endkey: '_design0' })
    assert.equal(rows.length, 2)
  })

  it('goes with the rest of a find', async () => {
    const fields = ['title', 'body', { name: 'year', type: 'number' }]
    assert.deepEqual(await ids({ query: 'quick OR lazy', fields, selector: { year: { $gt: 1995 } }, sort: [{ 'year:number': 'desc' }] }), ['cat', 'dog'])
    const first = await context.db.search({ query: 'quick OR lazy', fields, limit: 2 })
    assert.equal(first.docs.length, 2)
    assert.equal((await context.db.search({ query: 'quick OR lazy', fields, limit: 2, bookmark: first.bookmark })).docs.length, 1)
  })

  it('finds by likeness, and by both', async () => {
    const vector = { field: 'embedding', near: [1, 0, 0], k: 2, dimensions: 3 }
    assert.deepEqual(await ids({ vector }), ['fox', 'cat'])
    assert.deepEqual(await ids({ vector, selector: { year: { $gt: 1995 } } }), ['cat', 'dog'])
    assert.deepEqual(await ids({ query: 'fight', fields: ['body'], vector: { ...vector, k: 1 } }), ['cat'])
    for (const request of [{ query: 'fight', fields: ['body'], vector }, { query: 'fight', vector }]) assert.equal((await context.db.search(request)).warning, undefined)
  })

  it('says what it takes instead of what it cannot read', async () => {
    const { db } = context
    const vector = { field: 'embedding', near: [0, 0, 0], dimensions: 3 }
    for (const [request, message] of [
      ['fox', 'search takes an object: { query: "fox", fields: [\'title\'] }'],
      [undefined, /^search takes an object/],
      [['fox'], /^search takes an object/],
      ...[null, 5, true, [], () => {}].map(odd => [odd, /^search takes an object/]),
      ...[null, 5, ['fox'], {}].map(query => [{ query, fields: ['title'] }, '`query` of search must be text']),
      ...[null, 5, 'title', {}, [], [5], [null]].map(fields => [{ query: 'fox', fields }, "`fields` of search must be names, or names with types: ['title', { name: 'year', type: 'number' }]"]),
      ...[null, 5, 'embedding', [1, 0, 0]].flatMap(odd => [{ vector: odd }, { query: 'fox', fields: ['title'], vector: odd }]).map(request => [request, /^`vector` of search must be an object: /]),
      ...[null, 5, 'year', ['year']].map(selector => [{ query: 'fox', fields: ['title'], selector }, '`selector` of search must be an object']),
      [{ vector: { ...vector, near: [1, 0, 0], dimensions: '3' } }, 'The dimensions of a vector must be from 1 to 8192, not: "3"'],
      [{ qeury: 'fox' }, 'search has no `qeury`; do you mean `query`?'],
      [{ vector: { ...vector, dimensions: undefined, dimension: 3 } }, 'vector of search has no `dimension`; do you mean `dimensions`?'],
      [{ vector }, 'near has no direction, which the metric cosine compares: all of its numbers are 0'],
      [{ vector: { ...vector, near: [1e-60, 0, 0] } }, /^near has no direction/],
      [{ vector: { ...vector, metric: 'cos' } }, 'The metric of a vector must be cosine, dot or l2, not: "cos"'],
      [{ vector: { ...vector, dimensions: 0 } }, 'The dimensions of a vector must be from 1 to 8192, not: 0']
    ]) await assert.rejects(db.search(request), { status: 400, message })
    for (const metric of ['dot', 'l2']) assert.equal((await db.search({ vector: { ...vector, metric } })).docs.length, 3)
  })

  it('says how an index is made that it lacks, and then finds by it', async () => {
    const { db } = context
    const message = 'No text index answers this search: give `fields`, and one is made'
    const vector = { field: 'embedding', near: [1, 0, 0], k: 1 }
    await assert.rejects(db.search({ vector }), { status: 400, message: 'No vector index exists for the field embedding: give `dimensions`, and it is made' })
    assert.deepEqual(await ids({ vector: { ...vector, dimensions: 3 } }), ['fox'])
    assert.deepEqual(await ids({ vector }), ['fox'])
    await assert.rejects(db.search({ query: 'fox' }), { status: 400, message })
    await assert.rejects(db.search({ query: 'fox', vector }), { status: 400, message })
    assert.deepEqual(await ids({ query: 'fox', fields: ['title'] }), ['fox'])
    assert.deepEqual(await ids({ query: 'lazy' }), ['dog'])
    await assert.rejects(db.search({ query: 'fox', selector: { year: 1990 } }), { status: 400, message })
    await assert.rejects(db.search({ query: 'fox', vector, selector: { year: 1990 } }), { status: 400, message })
  })

  it('is what createIndex names instead of indexes that it does not make', async () => {
    const { db } = context
    for (const [request, message] of [
      [{ type: 'text', index: { fields: ['title'] } }, 'createIndex makes no index of the type "text": `search` of the database makes those of text and of vectors'],
      [{ index: { type: 'text', fields: ['title'] } }, /^createIndex makes no index of the type "text"/],
      [{ type: 'text', index: {} }, /^createIndex makes no index of the type "text"/],
      [{ type: 'vector', index: { field: 'embedding' } }, /^createIndex makes no index of the type "vector"/],
      [{ index: {} }, "createIndex wants the fields of the index: { index: { fields: ['title'] } }"],
      [{ index: { fields: 'title' } }, /^createIndex wants the fields/],
      [null, "createIndex takes an object: { index: { fields: ['title'] } }"],
      [undefined, /^createIndex takes an object/]
    ]) {
      await assert.rejects(db.createIndex(request), { status: 400, message })
      const error = await new Promise(resolve => db.createIndex(request, resolve))
      assert.equal(error.status, 400)
    }
    assert.equal((await db.getIndexes()).indexes.length, 1)
    for (const request of [{ index: { fields: ['year'] } }, { fields: ['body'] }, { index: { type: 'json', fields: [{ title: 'desc' }] } }]) assert.equal((await db.createIndex(request)).result, 'created')
  })

  it('refuses what it cannot read', async () => {
    const { db } = context
    for (const request of [undefined, {}, { query: '"', fields: ['title'] }, { query: 'a', fields: [] }, { query: 'a', field: 'title' }, { query: 'a', fields: ['title'], selector: { year: 1990 } }, { vector: { field: 'embedding', near: ['x'] } }]) {
      await assert.rejects(db.search(request), { status: 400 })
    }
  })
})
