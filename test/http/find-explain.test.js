'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { get } = require('./support/request')

describe('_explain', () => {
  const db = new TestDatabase()

  const explain = async body => {
    const answer = await db.post('_explain', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  beforeEach(async () => {
    await db.write('a', { n: 1 })
    await db.post('_index', { index: { fields: ['n'] }, ddoc: 'one', name: 'n' })
    await db.post('_index', { index: { fields: ['n', 's'] }, ddoc: 'two', name: 'ns' })
    await db.post('_index', { index: { fields: ['s'] }, ddoc: 'two', name: 's' })
    await db.post('_index', { index: { fields: ['n'], partial_filter_selector: { s: 'x' } }, ddoc: 'part', name: 'part' })
  })

  const definition = (ddoc, name, ...fields) => ({ ddoc: `_design/${ddoc}`, name, type: 'json', partitioned: false, def: { fields: fields.map(field => ({ [field]: 'asc' })) } })

  it('says all that CouchDB says', async () => {
    const { dbname, ...said } = await explain({ selector: { n: 1 } })
    const { features } = (await get('/')).body
    assert.equal(dbname, db.name)
    assert.deepEqual(said, {
      index: definition('one', 'n', 'n'),
      partitioned: false,
      selector: { n: { $eq: 1 } },
      opts: { use_index: [], bookmark: 'nil', limit: 25, skip: 0, sort: {}, fields: [], partition: '', r: 1, conflicts: false, stale: false, update: true, stable: false, execution_stats: false, allow_fallback: true },
      limit: 25,
      skip: 0,
      fields: [],
      index_candidates: [
        { index: definition('two', 's', 's'), analysis: { usable: false, reasons: [{ name: 'field_mismatch' }], ranking: 2, covering: false } },
        { index: definition('two', 'ns', 'n', 's'), analysis: { usable: false, reasons: [{ name: 'field_mismatch' }], ranking: 2, covering: false } },
        { index: { ...definition('part', 'part', 'n'), def: { fields: [{ n: 'asc' }], partial_filter_selector: { s: { $eq: 'x' } } } }, analysis: { usable: false, reasons: [{ name: 'is_partial' }], ranking: 3, covering: false } },
        { index: { ddoc: null, name: '_all_docs', type: 'special', def: { fields: [{ _id: 'asc' }] } }, analysis: { usable: true, reasons: [{ name: 'unfavored_type' }], ranking: 1, covering: null } }
      ],
      selector_hints: [{ type: 'json', indexable_fields: ['n'], unindexable_fields: [] }, ...(features.includes('search') ? [{ type: 'text', indexable_fields: ['n'], unindexable_fields: [] }] : [])],
      mrargs: { include_docs: true, view_type: 'map', reduce: false, partition: null, start_key: [1], end_key: [1, '<MAX>'], direction: 'fwd', stable: false, update: true, conflicts: 'undefined' },
      covering: false
    })
  })

  it('shows the options', async () => {
    const { opts, mrargs, covering, fields } = await explain({ selector: { n: { $gt: 1 }, s: { $regex: 'x' } }, sort: [{ n: 'desc' }], fields: ['_id', 'n'], use_index: 'two', r: 2, conflicts: true, stable: true, update: false, stale: 'ok', bookmark: 'zz', limit: 3, skip: 4 })
    assert.deepEqual(opts, { use_index: ['two'], bookmark: 'zz', limit: 3, skip: 4, sort: { n: 'desc' }, fields: ['_id', 'n'], partition: '', r: 2, conflicts: true, stale: 'ok', update: false, stable: true, execution_stats: false, allow_fallback: true })
    assert.deepEqual(mrargs, { include_docs: false, view_type: 'map', reduce: false, partition: null, start_key: ['<MAX>'], end_key: [1], direction: 'rev', stable: true, update: false, conflicts: true })
    assert.deepEqual([covering, fields], [true, ['_id', 'n']])
  })

  /** @type {Array<[any, any, any, any]>} selector, how it is printed, start_key, end_key */
  const keys = [
    [{ n: { $gt: 1 } }, { n: { $gt: 1 } }, [1], ['<MAX>']],
    [{ n: { $gte: 2, $lte: 9 }, s: { $lt: 'x' } }, { $and: [{ $and: [{ n: { $gte: 2 } }, { n: { $lte: 9 } }] }, { s: { $lt: 'x' } }] }, [2], [9, 'x', '<MAX>']],
    [{ $not: { n: { $gt: 5 } } }, { n: { $lte: 5 } }, [], [5, '<MAX>']],
    [{ n: { $beginsWith: 'q' } }, { n: { $beginsWith: 'q' } }, ['q'], ['q\uffff', '<MAX>']],
    [{ n: { $gt: 5, $lt: 3 } }, { $and: [{ n: { $gt: 5 } }, { n: { $lt: 3 } }] }, null, null],
    [{ _id: { $gt: 'a', $lte: 'c' } }, { $and: [{ _id: { $gt: 'a' } }, { _id: { $lte: 'c' } }] }, 'a', 'c'],
    [{ _id: 'a' }, { _id: { $eq: 'a' } }, 'a', 'a'],
    [{}, {}, null, '<MAX>'],
    [{ $nor: [{ n: 1 }, { 'o.p': { $in: [2] } }] }, { $and: [{ n: { $ne: 1 } }, { 'o.p': { $nin: [2] } }] }, [], ['<MAX>']],
    [{ o: { $elemMatch: { $gt: 1, q: 2 } } }, { o: { $elemMatch: { $and: [{ '': { $gt: 1 } }, { q: { $eq: 2 } }] } } }, null, '<MAX>'],
    [{ $not: { n: { $regex: 'x' } } }, { n: { $not: { $regex: 'x' } } }, [], ['<MAX>']],
    [{ $or: [] }, { $or: [] }, null, null],
    [{ n: 1, $or: [] }, { $and: [{ n: { $eq: 1 } }, { $or: [] }] }, [1], [1, '<MAX>']]
  ]
  for (const [selector, printed, start, end] of keys) {
    it(`normalises ${JSON.stringify(selector)}, and bounds the keys by it`, async () => {
      const { selector: said, mrargs } = await explain({ selector })
      assert.deepEqual(said, printed)
      assert.deepEqual([mrargs.start_key, mrargs.end_key], [start, end])
    })
  }

  /** @type {Array<[any, string, Record<string, string>]>} body, the index, why not the others */
  const choices = [
    [{ selector: { n: 1, s: 2 } }, 'ns', { n: 'less_overlap', s: 'less_overlap', part: 'is_partial', _all_docs: 'unfavored_type' }],
    [{ selector: { n: 1 }, sort: ['s'] }, 'ns', { n: 'sort_order_mismatch', s: 'excluded', part: 'is_partial', _all_docs: 'field_mismatch' }],
    [{ selector: { n: 1 }, use_index: 'part' }, 'part', { n: 'excluded_by_user', ns: 'field_mismatch', s: 'field_mismatch', _all_docs: 'excluded_by_user' }],
    [{ selector: { $or: [] } }, 'n', { s: 'alphabetically_comes_after', ns: 'too_many_fields', part: 'is_partial', _all_docs: 'unfavored_type' }],
    [{ selector: { $or: [], z: { $in: [] } } }, 'n', { s: 'alphabetically_comes_after', ns: 'too_many_fields', part: 'is_partial' }],
    [{ selector: { $text: 'x' } }, '_all_docs', { n: 'needs_text_search', ns: 'needs_text_search', s: 'needs_text_search', part: 'is_partial' }]
  ]
  for (const [body, name, reasons] of choices) {
    it(`says why it takes ${name} for ${JSON.stringify(body)}`, async () => {
      const { index, index_candidates: candidates } = await explain(body)
      assert.equal(index.name, name)
      const said = Object.fromEntries(candidates.map(({ index, analysis }) => [index.name, analysis.reasons[0].name]))
      for (const [other, reason] of Object.entries(reasons)) if (reason !== 'excluded') assert.equal(said[other], reason, other)
    })
  }

  it('has no index where none sorts', async () => {
    const { index, index_candidates: candidates, mrargs } = await explain({ selector: { n: 1 }, sort: ['zz'] })
    assert.equal(index, null)
    assert.equal(mrargs, undefined)
    assert.equal(candidates.length, 5)
    assert.ok(candidates.every(({ analysis }) => !analysis.usable))
  })
})
