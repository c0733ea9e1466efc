'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')

const DOCS = [
  { _id: 'north', at: { v: [0, 1] }, kind: 'side', text: 'cold and high' },
  { _id: 'north-east', at: { v: [0.7, 0.7] }, kind: 'between', text: 'a warm wind' },
  { _id: 'east', at: { v: [2, 0] }, kind: 'side', text: 'morning sun' },
  { _id: 'south', at: { v: [0, -3] }, kind: 'side', text: 'warm and dry' },
  { _id: 'odd', at: { v: [1, 2, 3] }, kind: 'side' },
  { _id: 'text', at: { v: ['1', 2] } },
  { _id: 'none', kind: 'side' }
]

describe('vector indexes of _find', () => {
  const db = new TestDatabase()

  beforeEach(async () => { await db.post('_bulk_docs', { docs: DOCS }) })

  const define = (metric, more = {}) => db.post('_index', { type: 'vector', index: { fields: [{ 'at.v': { type: 'vector', dimensions: 2, metric } }] }, ddoc: 'v', name: 'v', ...more })
  const ask = (vector, more = {}) => db.post('_find', { vector: { field: 'at.v', ...vector }, ...more })
  const find = async (vector, more) => {
    const { status, body, text } = await ask(vector, more)
    assert.equal(status, 200, text)
    return body.docs.map(({ _id }) => _id)
  }

  it('give the nearest first, by each metric', async () => {
    assert.equal((await define('cosine')).body.result, 'created')
    assert.equal((await define('cosine')).body.result, 'exists')
    assert.deepEqual(await find({ near: [0.1, 1] }), ['north', 'north-east', 'east', 'south'])
    assert.deepEqual(await find({ near: [0.1, 1], k: 2 }), ['north', 'north-east'])
    assert.deepEqual(await find({ near: [0.1, 1] }, { limit: 1 }), ['north'])
    await define('l2', { name: 'l2', ddoc: 'l2' })
    assert.deepEqual(await find({ near: [2, 0.1], k: 3 }, { use_index: 'l2' }), ['east', 'north-east', 'north'])
    await define('dot', { name: 'dot', ddoc: 'dot' })
    assert.deepEqual(await find({ near: [1, 1], k: 2 }, { use_index: 'dot' }), ['east', 'north-east'])
  })

  it('give the nearest of those that a selector asks for', async () => {
    await define('cosine')
    assert.deepEqual(await find({ near: [1, 1], k: 2 }, { selector: { kind: 'side' } }).then(ids => ids.sort()), ['east', 'north'])
    assert.deepEqual(await find({ near: [1, 1] }, { selector: { kind: 'none' } }), [])
    const { body } = await ask({ near: [1, 1], k: 1 }, { fields: ['kind'] })
    assert.deepEqual(body.docs, [{ kind: 'between' }])
  })

  it('follow changes, deletions and purges', async () => {
    await define('cosine')
    assert.deepEqual(await find({ near: [0, 1], k: 1 }), ['north'])
    const { body: north } = await db.get('north')
    await db.put('north', { ...north, at: { v: [0, -1] } })
    await db.put('up', { at: { v: [0.01, 1] } })
    assert.deepEqual(await find({ near: [0, 1], k: 2 }), ['up', 'north-east'])
    const { body: up } = await db.get('up')
    await db.put('up', { _rev: up._rev, _deleted: true })
    const { body: between } = await db.get('north-east')
    await db.post('_purge', { 'north-east': [between._rev] })
    assert.deepEqual(await find({ near: [0, 1], k: 1 }), ['east'])
  })

  it('mix with text by rank', async () => {
    await define('cosine')
    await db.post('_index', { type: 'text', index: {} })
    const found = await find({ near: [0, 1], k: 3 }, { selector: { $text: 'warm' } })
    assert.equal(found[0], 'north-east')
    assert.deepEqual(found.slice(1).sort(), ['north', 'south'])
    assert.deepEqual(await find({ near: [0, 1], k: 3 }, { selector: { $text: 'warm', kind: 'side' } }).then(ids => ids[0]), 'south')
  })

  it('say that an index was not used which was asked for, if neither rank is of it', async () => {
    await define('cosine')
    await db.post('_index', { type: 'text', index: {}, ddoc: 't', name: 't' })
    await db.post('_index', { index: { fields: ['kind'] }, ddoc: 'k', name: 'k' })
    const warningOf = async used => (await ask({ near: [0, 1] }, { selector: { $text: 'warm' }, use_index: used })).body.warning
    for (const used of ['t', ['t', 't'], 'v', ['v', 'v']]) assert.equal(await warningOf(used), undefined)
    assert.match(await warningOf('k'), /^_design\/k was not used/)
  })

  it('go on behind a bookmark', async () => {
    await define('cosine')
    const { body: first } = await ask({ near: [0.1, 1], k: 2 })
    const { body: second } = await ask({ near: [0.1, 1], k: 2 }, { bookmark: first.bookmark })
    assert.deepEqual([first, second].flatMap(({ docs }) => docs.map(({ _id }) => _id)), ['north', 'north-east', 'east', 'south'])
    assertRefused(await ask({ near: [1, 0.1], k: 2 }, { bookmark: first.bookmark }), 400, 'invalid_bookmark')
  })

  it('find the nearest of thousands, by a graph', async () => {
    await define('l2')
    const docs = Array.from({ length: 3000 }, (_, i) => ({ _id: `p${i}`, at: { v: [10 + (i % 60), 10 + Math.floor(i / 60)] }, even: i % 2 === 0 }))
    await db.post('_bulk_docs', { docs })
    const found = await find({ near: [30.1, 30.05], k: 5 })
    assert.deepEqual(found, ['p1220', 'p1221', 'p1280', 'p1160', 'p1219'])
    assert.deepEqual(await find({ near: [31, 30], k: 2 }, { selector: { even: false, _id: { $gt: 'p' } } }).then(ids => ids[0]), 'p1221')
    assert.equal((await find({ near: [0, 0], k: 400 }, { limit: 400 })).length, 400)
  })

  it('are listed, explained and deleted', async () => {
    await define('cosine')
    const { body: { indexes } } = await db.get('_index')
    assert.deepEqual(indexes.find(({ type }) => type === 'vector'), { ddoc: '_design/v', name: 'v', type: 'vector', partitioned: false, def: { fields: [{ 'at.v': { type: 'vector', dimensions: 2, metric: 'cosine' } }] } })
    const { body: explained } = await db.post('_explain', { vector: { field: 'at.v', near: [1, 1] } })
    assert.equal(explained.index.type, 'vector')
    assert.equal((await db.remove('_index/v/vector/v')).status, 200)
    assertRefused(await ask({ near: [1, 1] }), 400, 'no_usable_index')
  })

  it('refuse what makes no sense', async () => {
    const index = spec => db.post('_index', { type: 'vector', index: { fields: [{ v: { type: 'vector', ...spec } }] } })
    for (const spec of [{}, { dimensions: 0 }, { dimensions: 1.5 }, { dimensions: 1e6 }, { dimensions: 2, metric: 'near' }]) assertRefused(await index(spec), 400, 'invalid_index')
    assertRefused(await index({ dimensions: 2, more: 1 }), 400, 'invalid_key', 'A vector index has no `more`')
    assertRefused(await index({ dimension: 2 }), 400, 'invalid_key', 'A vector index has no `dimension`; do you mean `dimensions`?')
    assertRefused(await db.post('_index', { type: 'vector', index: { fields: ['v'] } }), 400, 'invalid_index', /of the form .*, not: {"fields":\["v"\]}$/)
    await define('cosine')
    for (const vector of [{ near: [1] }, { near: [1, 2, 3] }, { near: [1, null] }, { near: [1e300, 1] }, { near: 'x' }, { near: [0, -0] }, { near: [1, 1], k: 1e9 }]) assertRefused(await ask(vector), 400, 'bad_request')
    assertRefused(await ask({ near: [1, 1], dimensoins: 2 }), 400, 'invalid_key', 'vector has no `dimensoins`')
    assertRefused(await ask({ near: [1, 1], K: 2 }), 400, 'invalid_key', 'vector has no `K`; do you mean `k`?')
    assertRefused(await ask({ near: [1, 1], k: 0 }), 400, 'invalid_pos_integer')
    assertRefused(await ask({ near: [1, 1] }, { sort: ['kind'] }), 400, 'bad_request')
    assertRefused(await db.post('_find', { vector: { field: 'other', near: [1, 1] } }), 400, 'no_usable_index')
  })
})

describe('vector indexes of _find, in several shards', () => {
  const db = new TestDatabase({ shards: 3 })

  beforeEach(async () => {
    await db.post('_index', { type: 'vector', index: { fields: [{ at: { type: 'vector', dimensions: 2, metric: 'l2' } }] } })
    await db.post('_bulk_docs', { docs: Array.from({ length: 40 }, (_, i) => ({ _id: `d${i}`, at: [i, 0], even: i % 2 === 0 })) })
  })

  const ask = async (vector, more = {}) => (await db.post('_find', { vector: { field: 'at', ...vector }, ...more }))

  it('give the nearest of all, page by page', async () => {
    const { body: first } = await ask({ near: [10.2, 0], k: 4 })
    assert.deepEqual(first.docs.map(({ _id }) => _id), ['d10', 'd11', 'd9', 'd12'])
    const { body: second } = await ask({ near: [10.2, 0], k: 4 }, { bookmark: first.bookmark })
    assert.deepEqual(second.docs.map(({ _id }) => _id), ['d8', 'd13', 'd7', 'd14'])
    const { body: even } = await ask({ near: [10.2, 0], k: 5 }, { selector: { even: true }, limit: 3, skip: 1 })
    assert.deepEqual(even.docs.map(({ _id }) => _id), ['d12', 'd8', 'd14'])
  })

  it('mix with text by the ranks of all, page by page', async () => {
    await db.post('_index', { type: 'text', index: {} })
    await db.post('_bulk_docs', { docs: Array.from({ length: 30 }, (_, i) => ({ _id: `t${i}`, at: [100 + i, 0], text: `warm ${'and dry '.repeat(i)}`, even: i % 2 === 0 })) })
    const near = [105.2, 0]
    const idsOf = ({ body }) => body.docs.map(({ _id }) => _id)
    const mixed = async selector => {
      const lists = [idsOf(await ask({ near, k: 100 }, { limit: 100 })), idsOf(await db.post('_find', { selector, limit: 100 }))]
      const [byVector, byText] = lists.map(list => Object.fromEntries(list.map((id, at) => [id, 1 / (61 + at)])))
      const scores = [...new Set(lists.flat())].map(id => [(byVector[id] ?? 0) + (byText[id] ?? 0), id])
      return scores.sort(([a, id], [b, other]) => b - a || (id < other ? -1 : 1)).map(([, id]) => id)
    }
    const found = []
    for (let bookmark; found.length < 12;) {
      const answer = await ask({ near, k: 4 }, { selector: { $text: 'warm' }, bookmark })
      assert.equal(answer.status, 200, answer.text)
      found.push(...idsOf(answer))
      bookmark = answer.body.bookmark
    }
    assert.deepEqual(found, (await mixed({ $text: 'warm' })).slice(0, 12))
    const selector = { $text: 'warm', even: true }
    const isEven = id => Number(id.slice(1)) % 2 === 0
    assert.deepEqual(idsOf(await ask({ near, k: 5 }, { selector, skip: 1, limit: 4 })), (await mixed(selector)).filter(isEven).slice(1, 5))
    assertRefused(await ask({ near }, { selector: { $text: 'warm' }, ranked: [] }), 400, 'invalid_key')
  })
})
