'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { find, termMatcher } = require('../..')
const { TestIndex } = require('../support/index')

const ORDER = [{ by: 'score', descending: true }, { by: 'id', descending: false }]

/** All pages of a query. */
async function pages (index, node, limit, sort = ORDER) {
  const ids = []
  for (let after; ;) {
    const { hits } = await find(index.reader(), node, { limit, sort, after }, termMatcher)
    if (hits.length === 0) return ids
    ids.push(...hits.map(({ record }) => record.id))
    after = hits.at(-1).keys
  }
}

describe('hits by score, then by id', () => {
  it('come so in every page, whatever was changed when', async () => {
    const text = fc.constantFrom('a', 'a b', 'a a', 'b', 'a b b')
    const batch = fc.dictionary(fc.integer({ min: 0, max: 40 }).map(i => `d${i}`), text, { maxKeys: 20 })
    await fc.assert(fc.asyncProperty(fc.array(batch, { maxLength: 5 }), fc.integer({ min: 1, max: 7 }), fc.boolean(), async (batches, limit, descending) => {
      const index = await TestIndex.open()
      for (const each of batches) await index.write(Object.fromEntries(Object.entries(each).map(([id, body]) => [id, { body }])))
      const node = { type: 'term', field: 'body', term: 'a' }
      const wanted = (await index.find(node)).sort(([a, left], [b, right]) => (descending ? right - left : left - right) || (a < b ? -1 : 1)).map(([id]) => id)
      assert.deepStrictEqual(await pages(index, node, limit, [{ by: 'score', descending }, ORDER[1]]), wanted)
      await index.close()
    }), { numRuns: 100 })
  })

  it('come so where very many have one score', async () => {
    const index = await TestIndex.open()
    const ids = Array.from({ length: 5000 }, (_, i) => `d${(i * 7919) % 5000}`)
    for (let at = 0; at < ids.length; at += 500) await index.write(Object.fromEntries(ids.slice(at, at + 500).map(id => [id, { body: id.endsWith('7') ? 'a a' : 'a' }])))
    const sorted = [...ids].sort()
    assert.deepStrictEqual(await pages(index, { type: 'all' }, 333), sorted)
    const isBest = id => id.endsWith('7')
    assert.deepStrictEqual(await pages(index, { type: 'term', field: 'body', term: 'a' }, 777), [...sorted.filter(isBest), ...sorted.filter(id => !isBest(id))])
    await index.close()
  })
})

describe('clauses of which some have to match', () => {
  it('find documents that have as many', async () => {
    const index = await TestIndex.open()
    await index.write({ a: { body: 'a' }, ab: { body: 'a b' }, abc: { body: 'a b c' }, bc: { body: 'b c' }, d: { body: 'd' } })
    const clause = (term, occur = 'should') => ({ occur, node: { type: 'term', field: 'body', term } })
    const found = async (clauses, least) => (await index.find({ type: 'boolean', clauses, least })).map(([id]) => id).sort()
    const should = ['a', 'b', 'c'].map(term => clause(term))
    assert.deepStrictEqual(await found(should, 1), ['a', 'ab', 'abc', 'bc'])
    assert.deepStrictEqual(await found(should, 2), ['ab', 'abc', 'bc'])
    assert.deepStrictEqual(await found(should, 3), ['abc'])
    assert.deepStrictEqual(await found(should, 4), [])
    assert.deepStrictEqual(await found([clause('a', 'must'), clause('b'), clause('c')], 1), ['ab', 'abc'])
    assert.deepStrictEqual(await found([clause('a', 'must')], 1), [])
    assert.deepStrictEqual(await found([...should, clause('c', 'must_not')], 2), ['ab'])
    await index.close()
  })
})
