'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Mango } = require('../..')

describe('plans', () => {
  let database
  let mango

  beforeEach(async () => {
    database = await DocumentStore.open(new MemoryLevel(), { prefix: 'db/' })
    mango = new Mango()
    await database.write(Array.from({ length: 300 }, (_, n) => ({ _id: `d${String(n).padStart(3, '0')}`, n, ten: n % 10, odd: n % 2 === 1, group: `g${n % 3}`, deep: { x: n } })))
  })

  afterEach(() => database.close())

  const index = (fields, name = fields.join('-'), partial) => mango.create(database, { index: { fields, ...(partial && { partial_filter_selector: partial }) }, ddoc: name, name })
  const find = body => mango.find(database, { limit: 1000, execution_stats: true, ...body })
  const explain = body => mango.explain(database, { limit: 1000, ...body })

  /** Counts what a find looks at: rows, documents, and what it gives. */
  async function costs (body) {
    const { execution_stats: { total_keys_examined: keys, total_docs_examined: documents, results_returned: returned } } = await find(body)
    return [keys, documents, returned]
  }

  it('read the range that the selector bounds', async () => {
    await index(['n'])
    assert.deepEqual(await costs({ selector: { n: { $gte: 10, $lt: 20 } } }), [10, 10, 10])
    assert.deepEqual(await costs({ selector: { n: { $gt: 10, $lte: 20 } } }), [10, 10, 10])
    assert.deepEqual(await costs({ selector: { $and: [{ n: { $gt: 5 } }, { n: { $lt: 9 } }, { n: { $gt: 6 } }] } }), [2, 2, 2])
    assert.deepEqual(await find({ selector: { n: { $gt: 20, $lt: 10 } } }), { docs: [] })
  })

  it('keep to the limit and the warning that the server says', async () => {
    let limit = 2
    const other = new Mango({ defaultLimit: () => limit, warnAbove: () => 0 })
    assert.equal((await other.find(database, { selector: {} })).docs.length, 2)
    limit = 3
    assert.equal((await other.find(database, { selector: {} })).docs.length, 3)
    assert.doesNotMatch((await other.find(database, { selector: { n: 250 } })).warning ?? '', /is high in proportion/)
    assert.match((await find({ selector: { n: 250 } })).warning, /is high in proportion/)
  })

  it('sort nothing, where nothing can match', async () => {
    await index(['ten', 'n'])
    await index(['n'])
    assert.deepEqual((await find({ selector: { ten: { $eq: 1, $gt: 5 }, n: { $gt: 0 } }, sort: ['n'] })).docs, [])
    assert.deepEqual((await find({ selector: { ten: { $in: [] }, n: { $gt: 0 } }, sort: ['n'] })).docs, [])
  })

  it('sort by fields whose names are numbers in the order that was asked for', async () => {
    await index(['ten', '0'])
    await database.write([{ _id: 'x', ten: 1, 0: 2 }, { _id: 'y', ten: 2, 0: 1 }])
    const selector = { ten: { $gt: 0 }, 0: { $gt: 0 } }
    assert.deepEqual((await find({ selector, sort: ['ten', '0'] })).docs.map(({ _id }) => _id), ['x', 'y'])
    assert.deepEqual((await mango.list(database)).indexes[1].def.fields, [{ ten: 'asc' }, { 0: 'asc' }])
    await assert.rejects(find({ selector, sort: ['0', 'ten'] }), { error: 'no_usable_index' })
  })

  it('use indexes that several made at once', async () => {
    const make = (fields, name) => mango.create(database, { index: { fields }, ddoc: 'shared', name })
    const made = await Promise.all([make(['n'], 'n'), make(['n'], 'n'), make(['ten'], 'ten'), make(['odd'], 'odd')])
    assert.deepEqual(made.map(({ result }) => result).sort(), ['created', 'created', 'created', 'exists'])
    assert.deepEqual((await mango.list(database)).indexes.map(({ name }) => name), ['_all_docs', 'n', 'odd', 'ten'])
  })

  it('pass over indexes that make no sense', async () => {
    const map = { fields: { n: 'asc' } }
    const others = { a: { map: { fields: null } }, b: { map: { fields: { 'x..y': 1 } } }, c: { map: { ...map, selector: null } }, d: { map: { fields: [1] } }, e: null }
    const noFilter = { map: { ...map, partial_filter_selector: null } }
    await database.put({ _id: '_design/n', language: 'query', views: { ...others, n: { map, options: { def: { fields: [null, 'z'] } } }, noFilter } })
    assert.deepEqual((await mango.list(database)).indexes.map(({ name }) => name), ['_all_docs', 'n', 'noFilter'])
    assert.deepEqual(await costs({ selector: { n: { $lt: 10 } } }), [10, 10, 10])
  })

  it('stop with the last document that is wanted', async () => {
    await index(['n'])
    assert.deepEqual(await costs({ selector: { n: { $gte: 10 } }, limit: 3 }), [3, 3, 3])
    assert.deepEqual(await costs({ selector: { _id: { $gte: 'd010' } }, limit: 3 }), [3, 3, 3])
    assert.deepEqual(await costs({ selector: { n: { $gte: 0 } }, limit: 0 }), [0, 0, 0])
  })

  it('read fields that are equal, and a range of the next', async () => {
    await index(['ten', 'odd', 'n'])
    assert.deepEqual(await costs({ selector: { ten: 3, odd: true, n: { $lt: 100 } } }), [10, 10, 10])
    const { docs } = await find({ selector: { ten: 3, odd: true, n: { $lt: 100 } }, sort: [{ n: 'desc' }] })
    assert.deepEqual(docs.map(({ n }) => n), [93, 83, 73, 63, 53, 43, 33, 23, 13, 3])
  })

  it('read a range for each value of $in', async () => {
    await index(['n'])
    assert.deepEqual(await costs({ selector: { n: { $in: [7, 3, 299, 1000] } } }), [3, 3, 3])
    assert.deepEqual(await costs({ selector: { n: { $or: [{ $eq: 7 }, { $gt: 297 }] } } }), [3, 3, 3])
    assert.deepEqual(await costs({ selector: { $or: [{ n: 5 }, { n: { $lt: 2 } }] } }), [3, 3, 3])
    const { docs } = await find({ selector: { n: { $in: [7, 3, 299] } } })
    assert.deepEqual(docs.map(({ n }) => n), [3, 7, 299])
  })

  it('bound the next field for each of those values', async () => {
    await index(['ten', 'n'])
    assert.deepEqual(await costs({ selector: { ten: { $in: [1, 2] }, n: { $lt: 30 } } }), [6, 6, 6])
  })

  it('find arrays by their elements, too', async () => {
    await database.put({ _id: 'list', n: [1, 7], ten: 1 })
    await index(['n'])
    const { docs } = await find({ selector: { n: { $in: [7, 3] } } })
    assert.deepEqual(docs.map(({ _id }) => _id), ['d003', 'd007', 'list'])
  })

  /** Indexes that are built, so that rows tell which of them is best. */
  async function built (...several) {
    for (const fields of several) {
      await index(fields)
      await find({ selector: Object.fromEntries(fields.map(field => [field, -1])) })
    }
  }

  it('sort by nothing that CouchDB would not sort by', async () => {
    await index(['ten', 'n'])
    const selector = { ten: { $in: [4, 1] }, n: { $gte: 0 } }
    for (const sort of [['n'], ['_id'], ['n', 'ten']]) await assert.rejects(find({ selector, sort }), { error: 'no_usable_index' })
    await assert.rejects(find({ selector: { $or: [{ ten: 1 }, { n: 2 }] }, sort: ['odd'] }), { error: 'no_usable_index' })
    assert.equal((await find({ selector: { ten: 4, n: { $gte: 0 } }, sort: ['n'] })).docs.length, 30)
  })

  it('merge ranges for a sort', async () => {
    await built(['ten', 'n'], ['n'])
    const body = { selector: { ten: { $in: [4, 1, 9] }, n: { $gte: 100 } }, sort: ['n'], limit: 5 }
    const { docs, warning, execution_stats: stats } = await find(body)
    assert.deepEqual(docs.map(({ n }) => n), [101, 104, 109, 111, 114])
    assert.equal(warning, undefined)
    assert.equal(stats.total_docs_examined, 5)
    const { ranges, index: { name } } = await explain(body)
    assert.equal(name, 'ten-n')
    assert.deepEqual(ranges, { order: 'merged', indexes: [{ ddoc: '_design/ten-n', name: 'ten-n', ranges: 3 }] })
  })

  it('merge no ranges where an array may be in any of them', async () => {
    await database.put({ _id: 'list', n: 5, ten: [1, 4] })
    await index(['ten', 'n'])
    await assert.rejects(find({ selector: { ten: { $in: [4, 1] }, n: { $gte: 0 } }, sort: ['n'] }), { error: 'no_usable_index' })
    await index(['n'])
    const { docs } = await find({ selector: { ten: { $in: [4, 1] }, n: { $gte: 0 } }, sort: ['n'], limit: 3 })
    assert.deepEqual(docs.map(({ _id }) => _id), ['d001', 'd004', 'list'])
  })

  it('use an index for each branch of $or', async () => {
    await index(['n'])
    await index(['deep.x'])
    const body = { selector: { $or: [{ n: { $lt: 3 } }, { 'deep.x': { $in: [1, 2, 5] } }] } }
    const { docs, warning } = await find(body)
    assert.deepEqual(docs.map(({ n }) => n), [0, 1, 2, 5])
    assert.equal(warning, undefined)
    assert.deepEqual(await costs(body), [6, 6, 4])
    const { ranges } = await explain(body)
    assert.equal(ranges.order, 'one after the other')
    assert.deepEqual(ranges.indexes.map(({ name }) => name), ['n', 'deep.x'])
  })

  it('sort what the branches of $or bring', async () => {
    await index(['group', 'n'])
    await index(['ten', 'n'])
    await index(['n'])
    const selector = { n: { $lt: 50 }, $or: [{ group: 'g1' }, { ten: 3 }] }
    const { docs } = await find({ selector, sort: [{ n: 'desc' }], limit: 6 })
    const expected = Array.from({ length: 50 }, (_, i) => 49 - i).filter(n => n % 3 === 1 || n % 10 === 3)
    assert.deepEqual(docs.map(({ n }) => n), expected.slice(0, 6))
  })

  it('look at all documents where a branch of $or has no index', async () => {
    await index(['n'])
    const { warning } = await find({ selector: { $or: [{ n: 1 }, { group: 'g1', ten: 3 }] } })
    assert.match(warning, /^No matching index found/)
  })

  it('read no documents where the index says all', async () => {
    await index(['ten', 'n'])
    const body = { selector: { ten: 3, n: { $lt: 20 } }, fields: ['_id', 'n'] }
    assert.deepEqual((await find(body)).docs, [{ _id: 'd003', n: 3 }, { _id: 'd013', n: 13 }])
    assert.deepEqual(await costs(body), [2, 0, 2])
    assert.deepEqual(await costs({ ...body, fields: ['_id', 'odd'] }), [2, 2, 2])
    assert.deepEqual(await costs({ ...body, selector: { ...body.selector, odd: true } }), [2, 2, 2])
    assert.equal((await explain(body)).covering, true)
  })

  it('give parts of documents from nested fields of an index', async () => {
    await index(['deep.x'])
    const { docs } = await find({ selector: { deep: { x: 7 } }, fields: ['deep.x'] })
    assert.deepEqual(docs, [{ deep: { x: 7 } }])
    assert.deepEqual(await costs({ selector: { deep: { x: 7 } }, fields: ['deep.x'] }), [1, 0, 1])
  })

  it('use a partial index only where it is named', async () => {
    await index(['n'], 'odd', { odd: true, n: { $gte: 100 } })
    const selector = { n: { $gt: 200 }, odd: true }
    assert.equal((await explain({ selector })).index.name, '_all_docs')
    assert.equal((await explain({ selector: { $or: [{ n: 201, odd: true }, { _id: 'd001' }] } })).index.name, '_all_docs')
    await assert.rejects(find({ selector, sort: ['n'] }), { error: 'no_usable_index' })
    assert.equal((await explain({ selector, use_index: 'odd' })).index.name, 'odd')
    assert.deepEqual(await costs({ selector: { n: { $gte: 290 }, odd: true }, use_index: 'odd' }), [5, 5, 5])
  })

  it('are those with least to read', async () => {
    await index(['group'])
    await index(['n'])
    const body = { selector: { group: 'g1', n: { $gt: 290 } } }
    const { index: { name }, index_candidates: candidates } = await explain(body)
    assert.equal(name, 'group', 'nothing is known of an index that is not built')
    await find({ selector: { n: 1 } })
    await find({ selector: { group: 'g9' } })
    assert.deepEqual(await costs(body), [9, 9, 3])
    const { index_candidates: later } = await explain(body)
    assert.deepEqual(candidates.map(({ index, analysis }) => [index.name, analysis.reasons]), [['n', [{ name: 'less_overlap' }]], ['_all_docs', [{ name: 'unfavored_type' }]]])
    assert.deepEqual(later.map(({ index, analysis }) => [index.name, analysis.reasons]), [['group', [{ name: 'more_rows' }]], ['_all_docs', [{ name: 'unfavored_type' }]]])
  })

  it('read a range of ids, where that is least', async () => {
    await index(['group'])
    await find({ selector: { group: 'g9' } })
    assert.deepEqual(await costs({ selector: { group: 'g1', _id: { $in: ['d001', 'd002'] } } }), [2, 2, 1])
    assert.deepEqual(await costs({ selector: { _id: { $gt: 'd290' } } }), [9, 9, 9])
    assert.deepEqual((await find({ selector: { _id: { $beginsWith: 'd29' } }, sort: [{ _id: 'desc' }], limit: 2 })).docs.map(({ n }) => n), [299, 298])
  })

  it('follow design documents as they are written, by whomever', async () => {
    const nameOf = async () => (await explain({ selector: { n: 1 } })).index.name
    assert.equal(await nameOf(), '_all_docs')
    await index(['n'], 'by')
    assert.equal(await nameOf(), 'by')
    const { rev } = await database.get('_design/by')
    await database.put({ _id: '_design/by', _rev: rev, _deleted: true })
    assert.equal(await nameOf(), '_all_docs')
    await database.write([{ _id: '_design/x', _rev: '1-abc', language: 'query', views: { v: { map: { fields: { n: 'asc' } }, reduce: '_count', options: { def: { fields: ['n'] } } } } }], { newEdits: false })
    assert.equal(await nameOf(), 'v')
    await database.purge({ '_design/x': ['1-abc'] })
    assert.equal(await nameOf(), '_all_docs')
  })

  it('leave out an index that makes no sense', async () => {
    await database.put({ _id: '_design/odd', language: 'query', views: { bad: { map: { fields: { 'a..b': 'asc' } } }, good: { map: { fields: { n: 'asc' } }, options: {} } } })
    assert.deepEqual((await mango.list(database)).indexes.map(({ name }) => name), ['_all_docs', 'good'])
    assert.deepEqual(await costs({ selector: { n: 5 } }), [1, 1, 1])
  })

  it('go on where a bookmark says, at the cost of the page', async () => {
    await built(['ten', 'n'], ['n'])
    for (const body of [
      { selector: { ten: 3, n: { $gt: 0 } } },
      { selector: { ten: { $in: [3, 5] }, n: { $gt: 0 } }, sort: [{ n: 'desc' }] },
      { selector: { _id: { $gt: 'd100' } } }
    ]) {
      const first = await find({ ...body, limit: 20 })
      const { docs, execution_stats: stats } = await find({ ...body, limit: 5, bookmark: first.bookmark })
      const whole = await find({ ...body, limit: 25 })
      assert.deepEqual(docs, whole.docs.slice(20))
      assert.equal(stats.total_keys_examined, 5)
    }
  })

  it('go on in the way that a bookmark was made in', async () => {
    const first = await find({ selector: { ten: 3 }, limit: 10 })
    await index(['ten'])
    const second = await find({ selector: { ten: 3 }, limit: 10, bookmark: first.bookmark })
    await assert.rejects(find({ selector: { ten: 3 }, limit: 10, bookmark: Buffer.from('["x",0,["a"],"a"]').toString('base64url') }), { error: 'invalid_bookmark' })
    assert.deepEqual(second.docs.map(({ n }) => n).slice(0, 2), [103, 113])
  })
})
