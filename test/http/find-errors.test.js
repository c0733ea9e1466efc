'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')

const WARNINGS = {
  scan: 'No matching index found, create an index to optimize query time.',
  wasteful: 'The number of documents examined is high in proportion to the number of results returned. Consider adding a more specific index to improve this.'
}

/** Errors that CouchDB finds only when it looks for documents. */
const LATE = new Set(['no_usable_index', 'invalid_bookmark', 'invalid_field_name', 'query_parse_error'])

describe('_find and what it refuses', () => {
  const db = new TestDatabase()

  /** @type {Array<[any, string, string]>} body, error, reason */
  const cases = [
    [{}, 'missing_required_key', 'Missing required key: selector'],
    [[1], 'bad_request', 'Request body must be a JSON object'],
    [{ selector: 1 }, 'invalid_selector_json', 'Selector must be a JSON object, not: 1'],
    [{ selector: 'ab' }, 'invalid_selector_json', 'Selector must be a JSON object, not: <<97,98>>'],
    [{ selector: null }, 'invalid_selector_json', 'Selector must be a JSON object, not: null'],
    [{ selector: { a: { $foo: 1 } } }, 'invalid_operator', 'Invalid operator: $foo'],
    [{ selector: { $a: 1 } }, 'invalid_operator', 'Invalid operator: $a'],
    [{ selector: { $where: 1 } }, 'not_supported', 'Unsupported operator: $where'],
    [{ selector: { a: { $in: { b: 1 } } } }, 'bad_arg', 'Bad argument for operator $in: {[{<<98>>,1}]}'],
    [{ selector: { $or: 1 } }, 'bad_arg', 'Bad argument for operator $or: 1'],
    [{ selector: { $not: 1 } }, 'bad_arg', 'Bad argument for operator $not: 1'],
    [{ selector: { a: { $mod: [2.5, 1] } } }, 'bad_arg', 'Bad argument for operator $mod: [2.5,1]'],
    [{ selector: { a: { $size: -1 } } }, 'bad_arg', 'Bad argument for operator $size: -1'],
    [{ selector: { a: { $regex: '(' } } }, 'bad_arg', 'Bad argument for operator $regex: <<40>>'],
    [{ selector: { a: { $regex: 1 } } }, 'invalid_operator', 'Invalid operator: $regex'],
    [{ selector: { a: { $beginsWith: [] } } }, 'invalid_operator', 'Invalid operator: $beginsWith'],
    [{ selector: { a: { $elemMatch: 1 } } }, 'bad_arg', 'Bad argument for operator $elemMatch: 1'],
    [{ selector: { a: { $text: 'x' } } }, 'bad_field', 'Invalid field normalization on selector: {[{<<36,100,101,102,97,117,108,116>>,{[{<<36,116,101,120,116>>,<<120>>}]}}]}'],
    [{ selector: { $eq: 1 } }, 'invalid_selector', 'One or more conditions is missing a field name.'],
    [{ selector: { 'a..b': 1 } }, 'invalid_field_name', 'Invalid field name: a..b'],
    [{ selector: {}, foo: 1 }, 'invalid_key', 'Invalid key foo for this request.'],
    [{ selector: {}, limit: -1 }, 'invalid_non_neg_integer', '-1 is not an integer greater than or equal to zero'],
    [{ selector: {}, limit: '1' }, 'invalid_non_neg_integer', '<<49>> is not an integer greater than or equal to zero'],
    [{ selector: {}, skip: 1.5 }, 'invalid_non_neg_integer', '1.5 is not an integer greater than or equal to zero'],
    [{ selector: {}, r: 0 }, 'invalid_pos_integer', '0 is not an integer greater than zero'],
    [{ selector: {}, conflicts: 1 }, 'invalid_boolean', 'Invalid boolean value: 1'],
    [{ selector: {}, update: 'lazy' }, 'invalid_boolean', 'Invalid boolean value: <<108,97,122,121>>'],
    [{ selector: {}, sort: 'a' }, 'invalid_sort_json', 'Sort must be an array of sort specs, not: <<"a">>'],
    [{ selector: {}, sort: [{ a: 'x' }] }, 'invalid_sort_field', 'Invalid sort field: {[{<<"a">>,<<"x">>}]}'],
    [{ selector: {}, sort: [{ a: 'asc' }, { b: 'desc' }] }, 'unsupported_mixed_sort', 'Sorts currently only support a single direction for all fields.'],
    [{ selector: {}, sort: ['a'] }, 'no_usable_index', 'No index exists for this sort, try indexing by the sort fields.'],
    [{ selector: { a: 1 }, sort: ['a'] }, 'no_usable_index', 'No index exists for this sort, try indexing by the sort fields.'],
    [{ selector: {}, fields: 'a' }, 'invalid_fields', 'Fields must be an array of strings, not: <<97>>'],
    [{ selector: {}, fields: [1] }, 'invalid_field', 'Invalid JSON for field spec: 1'],
    [{ selector: {}, bookmark: 'zz' }, 'invalid_bookmark', 'Invalid bookmark value: "zz"'],
    [{ selector: {}, bookmark: 'nil' }, 'invalid_bookmark', 'Invalid bookmark value: "nil"'],
    [{ selector: {}, use_index: 'a/b/c' }, 'invalid_index_name', 'Invalid index name: <<97,47,98,47,99>>'],
    [{ selector: {}, use_index: 5 }, 'invalid_index_name', 'Invalid index name: 5'],
    [{ selector: {}, use_index: 'nope', allow_fallback: false }, 'invalid_index', '_design/nope specified by `use_index` could not be found or it is not suitable.'],
    [{ selector: {}, use_index: ['_design/nope', 'x'], allow_fallback: false }, 'invalid_index', '_design/nope, x specified by `use_index` could not be found or it is not suitable.'],
    [{ selector: {}, allow_fallback: false }, 'invalid_index', 'You must specify an index with the `use_index` parameter.'],
    [{ selector: {}, partition: 'p' }, 'query_parse_error', '`partition` parameter is not supported on this db'],
    [{ selector: {}, partition: '_p' }, 'illegal_partition', 'Partition must not start with an underscore'],
    [{ selector: {}, partition: 1 }, 'illegal_partition', 'Partition must be a string']
  ]

  for (const [body, error, reason] of cases) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      await db.write('a', { a: 1 })
      assertRefused(await db.post('_find', body), 400, error, reason)
      if (!LATE.has(error)) assertRefused(await db.post('_explain', body), 400, error, reason)
    })
  }

  it('warns of what it costs', async () => {
    await db.post('_bulk_docs', { docs: Array.from({ length: 30 }, (_, n) => ({ n, odd: n % 2 })) })
    const warningOf = async body => (await db.post('_find', body)).body.warning
    assert.equal(await warningOf({ selector: { odd: 1 } }), WARNINGS.scan)
    assert.equal(await warningOf({ selector: { n: 1 } }), `${WARNINGS.scan}\n${WARNINGS.wasteful}`)
    await db.post('_index', { index: { fields: ['n'] }, ddoc: 'by', name: 'n' })
    assert.equal(await warningOf({ selector: { n: 1 } }), undefined)
    assert.equal(await warningOf({ selector: { n: { $gt: 0 }, odd: 5 } }), WARNINGS.wasteful)
    assert.equal(await warningOf({ selector: { n: 1 }, use_index: '_design/nope' }), '_design/nope was not used because it does not contain a valid index for this query.')
    assert.equal(await warningOf({ selector: { n: 1 }, use_index: ['by', 'm'] }), '_design/by, m was not used because it is not a valid index for this query.')
    assert.equal(await warningOf({ selector: { odd: 1 }, use_index: 'by' }), `_design/by was not used because it does not contain a valid index for this query.\n${WARNINGS.scan}`)
  })

  it('falls back only where it may', async () => {
    await db.write('a', { n: 1 })
    await db.post('_index', { index: { fields: ['n'] }, ddoc: 'by', name: 'n' })
    for (const named of ['by', '_design/by', ['by'], ['by', 'n'], 'by/n', '_design/by/n', [], null]) {
      const { status, body } = await db.post('_find', { selector: { n: 1 }, use_index: named, allow_fallback: false })
      assert.deepEqual([status, body.docs?.length], [200, 1], JSON.stringify(named))
    }
    assertRefused(await db.post('_find', { selector: { m: 1 }, use_index: 'by', allow_fallback: false }), 400, 'invalid_index')
    assertRefused(await db.post('_find', { selector: { m: 1 }, allow_fallback: false }), 400, 'invalid_index')
  })

  it('finds nothing by no conditions at all', async () => {
    await db.write('a', { n: 1 })
    const count = async selector => (await db.post('_find', { selector })).body.docs.length
    assert.equal(await count({}), 1)
    for (const selector of [{ $or: [] }, { $and: [] }, { $nor: [] }, { n: { $in: [] } }, { n: { $all: [] } }]) assert.equal(await count(selector), 0, JSON.stringify(selector))
    for (const selector of [{ n: 1, $or: [] }, { n: 1, $and: [] }, { n: { $nin: [] } }]) assert.equal(await count(selector), 1, JSON.stringify(selector))
  })

  it('reads odd names of fields', async () => {
    await db.write('a', { 'd.e': 5, $f: 1, d: { e: 7 }, list: [1, [2]] })
    const docsOf = async body => (await db.post('_find', body)).body.docs
    for (const selector of [{ 'd\\.e': 5 }, { 'd.e': 7 }, { '\\$f': 1 }, { 'list.0': 1 }, { 'list.1.0': 2 }, { d: { e: 7 } }]) {
      assert.equal((await docsOf({ selector })).length, 1, JSON.stringify(selector))
    }
    assert.deepEqual(await docsOf({ selector: {}, fields: ['d\\.e', '\\$f', 'd.e'] }), [{ 'd.e': 5, $f: 1, d: { e: 7 } }])
    assert.equal((await docsOf({ selector: {}, fields: [] })).length, 1)
    // The way to it ends at a number, or in an array: that is not the same as a field that is missing.
    for (const field of ['$f.x', 'list.5']) assert.deepEqual(await docsOf({ selector: { [field.replace('$', '\\$')]: { $exists: false } } }), [], field)
    assert.equal((await docsOf({ selector: { 'd.x': { $exists: false } } })).length, 1)
  })

  it('compares ids by their bytes, and all else by collation', async () => {
    await db.post('_bulk_docs', { docs: ['a', 'B', 'c', 'D'].map(id => ({ _id: id, name: id })) })
    const ids = async selector => (await db.post('_find', { selector })).body.docs.map(({ _id }) => _id)
    assert.deepEqual(await ids({ _id: { $gt: 'B' } }), ['D', 'a', 'c'])
    assert.deepEqual(await ids({ name: { $gt: 'B' } }), ['D', 'c'])
    assert.deepEqual(await ids({ _id: { $gt: {} } }), ['B', 'D', 'a', 'c'])
    assert.deepEqual(await ids({ name: { $gt: {} } }), [])
  })
})
