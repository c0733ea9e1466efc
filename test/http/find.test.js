'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')

describe('_find', () => {
  const db = new TestDatabase()
  const find = async body => {
    const answer = await db.post('_find', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const ids = ({ docs }) => docs.map(({ _id }) => _id)

  beforeEach(async () => {
    const docs = Array.from({ length: 10 }, (_, n) => ({ _id: `d${n}`, n, tag: n % 2 ? 'odd' : 'even', deep: { list: [n, n + 1] } }))
    await db.post('_bulk_docs', { docs })
  })

  it('finds without an index, and warns', async () => {
    const body = await find({ selector: { n: { $gt: 3, $lt: 6 } } })
    assert.deepEqual(ids(body), ['d4', 'd5'])
    assert.match(body.warning, /^No matching index found/)
  })

  it('finds by id', async () => {
    const body = await find({ selector: { _id: { $gte: 'd8' } }, execution_stats: true })
    assert.deepEqual(ids(body), ['d8', 'd9'])
    assert.equal(body.execution_stats.total_docs_examined, 2)
  })

  it('uses an index, and keeps it up to date', async () => {
    await db.post('_index', { index: { fields: ['tag', 'n'] }, ddoc: 'both' })
    const selector = { tag: 'odd', n: { $gte: 3 } }
    const body = await find({ selector, fields: ['_id', 'n'], sort: ['tag', 'n'] })
    assert.deepEqual(body.docs, [{ _id: 'd3', n: 3 }, { _id: 'd5', n: 5 }, { _id: 'd7', n: 7 }, { _id: 'd9', n: 9 }])
    assert.equal(body.warning, undefined)
    assert.equal((await db.post('_explain', { selector })).body.index.ddoc, '_design/both')
    await db.write('new', { tag: 'odd', n: 4 })
    await db.remove(`d5?rev=${(await db.get('d5')).body._rev}`)
    assert.deepEqual(ids(await find({ selector })), ['d3', 'new', 'd7', 'd9'])
  })

  it('explains selectors with the names of fields escaped as they were', async () => {
    const { body } = await db.post('_explain', { selector: { 'a\\.b': 1, deep: { 'x.y': { $gt: 2 } }, '\\$money': 3 } })
    assert.deepEqual(body.selector, { $and: [{ 'a\\.b': { $eq: 1 } }, { 'deep.x.y': { $gt: 2 } }, { '\\$money': { $eq: 3 } }] })
    assert.deepEqual(body.selector_hints[0].unindexable_fields, [])
    assert.deepEqual(body.selector_hints[0].indexable_fields.sort(), ['\\$money', 'a\\.b', 'deep.x.y'])
  })

  it('sorts both ways, where an index does', async () => {
    await db.post('_index', { index: { fields: ['n'] } })
    assert.deepEqual(ids(await find({ selector: { n: { $gte: 7 } }, sort: [{ n: 'desc' }] })), ['d9', 'd8', 'd7'])
    assert.deepEqual(ids(await find({ selector: { n: { $gt: null } }, sort: ['n'], limit: 2, skip: 1 })), ['d1', 'd2'])
    assertRefused(await db.post('_find', { selector: { tag: 'odd' }, sort: ['deep'] }), 400, 'no_usable_index')
  })

  it('finds the same with an index as without', async () => {
    const selectors = [{ n: { $lte: 3 } }, { n: { $gt: 2, $lt: 5 } }, { n: 4 }, { $and: [{ n: { $gt: 1 } }, { n: { $lt: 4 } }] }, { n: { $ne: 3 }, tag: 'odd' }, { n: { $or: [{ $eq: 1 }, { $eq: 7 }] } }, { n: { $in: [1, 8] } }, { tag: { $beginsWith: 'ev' }, n: { $mod: [4, 0] } }, { $not: { n: { $gt: 2 } } }, { $nor: [{ n: { $gt: 2 } }, { tag: 'odd' }] }, { n: { $exists: false } }, { 'deep.list': { $elemMatch: { $eq: 5 } } }]
    const without = []
    for (const selector of selectors) without.push(ids(await find({ selector })))
    await db.post('_index', { index: { fields: ['n'] } })
    await db.post('_index', { index: { fields: ['tag', 'n'] } })
    await db.post('_index', { index: { fields: ['deep.list'] } })
    for (const [i, selector] of selectors.entries()) {
      assert.deepEqual(ids(await find({ selector })).sort(), without[i], JSON.stringify(selector))
    }
  })

  it('tells what each branch of $or has to itself by the order of strings, too', async () => {
    await db.post('_index', { index: { fields: ['name'] } })
    await db.post('_bulk_docs', { docs: ['Äpfel', 'apfel', 'zebra', 'Zebra', 'ß', 'ss'].map((name, n) => ({ _id: `w${n}`, name, n: 50 + n })) })
    const { body } = await db.post('_find', { selector: { $or: [{ name: { $lt: 'Ä' } }, { name: { $gt: 'z' } }, { name: 'ß' }, { _id: { $gte: 'w4', $lt: 'w5' } }] } })
    assert.deepEqual(body.docs.map(({ name }) => name).sort(), ['Zebra', 'zebra', 'ß'].sort())
  })

  it('limits to 25, and goes on from a bookmark', async () => {
    await db.post('_bulk_docs', { docs: Array.from({ length: 40 }, (_, i) => ({ _id: `m${String(i).padStart(2, '0')}`, many: true })) })
    const first = await find({ selector: { many: true } })
    assert.equal(first.docs.length, 25)
    const second = await find({ selector: { many: true }, bookmark: first.bookmark })
    assert.deepEqual(ids(second)[0], 'm25')
    assert.equal(second.docs.length, 15)
  })

  it('gives parts of documents', async () => {
    const { docs } = await find({ selector: { _id: 'd1' }, fields: ['deep.list', 'missing'] })
    assert.deepEqual(docs, [{ deep: { list: [1, 2] } }])
  })

  it('uses a partial index only when asked for it', async () => {
    await db.post('_index', { index: { fields: ['n'], partial_filter_selector: { tag: 'odd' } }, ddoc: 'partial' })
    assert.equal(ids(await find({ selector: { n: { $gte: 0 } } })).length, 10)
    assert.equal(ids(await find({ selector: { n: { $gte: 0 } }, use_index: 'partial' })).length, 5)
  })
})
