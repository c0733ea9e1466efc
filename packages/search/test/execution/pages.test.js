'use strict'

const assert = require('node:assert')
const { find, findPages, termMatcher } = require('../..')
const { Work } = require('../../lib/execution/work')
const { TestIndex } = require('../support/index')

const COUNT = 12_000

describe('hits page by page', () => {
  let index
  before(async () => {
    index = await TestIndex.open()
    const documents = Array.from({ length: COUNT }, (_, i) => [`d${(i * 7919) % COUNT}`, { body: `${'a '.repeat(i % 5 + 1)}${'b '.repeat(i % 3)}`, n: i % 700 }])
    for (let at = 0; at < COUNT; at += 2000) await index.write(Object.fromEntries(documents.slice(at, at + 2000)))
  })
  after(() => index.close())

  const node = { type: 'boolean', clauses: [{ occur: 'must', node: { type: 'term', field: 'body', term: 'a' } }, { occur: 'should', node: { type: 'term', field: 'body', term: 'b' } }] }
  const orders = {
    'by relevance': undefined,
    'the worst first': [{ by: 'score', descending: false }],
    'by score and id': [{ by: 'score', descending: true }, { by: 'id', descending: false }],
    'by a number': [{ by: 'number', field: 'n', descending: true }]
  }

  for (const [name, sort] of Object.entries(orders)) {
    it(`are those of one page, ${name}`, async () => {
      const { hits: wanted } = await find(index.reader(), node, { limit: COUNT, sort }, termMatcher)
      assert.strictEqual(wanted.length, COUNT)
      for (const [limit, after] of [[16, undefined], [200, wanted[30].keys], [1, wanted[COUNT - 2].keys], [5, wanted[COUNT - 1].keys]]) {
        const hits = []
        for await (const page of findPages(index.reader(), node, { limit, sort, after }, termMatcher)) {
          assert.ok(page.length <= 256)
          hits.push(...page)
        }
        assert.deepStrictEqual(hits, after === undefined ? wanted : wanted.slice(wanted.findIndex(({ keys }) => keys === after) + 1))
      }
    })
  }

  it('are looked for twice', async () => {
    const most = 1e9
    const spent = async find => {
      const work = new Work({ most })
      let sum = 0
      const spend = work.spend.bind(work)
      work.spend = count => {
        sum += count
        return spend(count)
      }
      await find(work)
      return sum
    }
    const once = await spent(work => find(index.reader(), node, { limit: 16, work }, termMatcher))
    const all = await spent(async work => { for await (const page of findPages(index.reader(), node, { limit: 16, work }, termMatcher)) assert.ok(page.length > 0) })
    assert.ok(once > 0 && all <= 2 * once, `${all} of ${once}`)
  })
})
