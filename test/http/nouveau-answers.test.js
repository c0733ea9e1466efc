'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { post, put, remove } = require('./support/request')
const { answers, docs } = require('./nouveau/answers.json')

const INDEX = `function (doc) {
  [].concat(doc.t || []).forEach(function (value) { index("text", "t", value) });
  if (doc.e) index("text", "e", doc.e, { store: true });
  if (doc.def) index("text", "default", doc.def);
  [].concat(doc.s || []).forEach(function (value) { index("string", "s", value, { store: true }) });
  if (doc.n !== undefined) [].concat(doc.n).forEach(function (value) { index("double", "n", value, { store: true }) });
  index("stored", "o", doc.o);
}`

/** Whether values are alike, and numbers nearly. */
function near (a, b) {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a))
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b
  return Object.keys({ ...a, ...b }).every(name => near(a[name], b[name]))
}

describe('search as Nouveau, beside Nouveau', () => {
  const db = `/test-${crypto.randomUUID()}`

  before(async () => {
    assert.ok([201, 202].includes((await put(`${db}?q=1`)).status))
    assert.equal((await post(`${db}/_bulk_docs`, { docs })).status, 201)
    assert.equal((await put(`${db}/_design/d`, { nouveau: { i: { default_analyzer: 'standard', field_analyzers: { e: 'english', s: 'keyword' }, index: INDEX } } })).status, 201)
  })
  after(() => remove(db))

  // Nouveau of CouchDB's main branch, with Lucene 10.4, has given the answers: the number of hits, and ids and order of those of a page; or the words of a 400.
  it('gives the same hits, order, counts, ranges, pages and errors', async () => {
    assert.ok(answers.length > 250)
    let bookmark
    for (const [{ page, ...ask }, wanted] of answers) {
      const { status, body } = await post(`${db}/_design/d/_nouveau/i`, { ...ask, ...page > 0 && { bookmark } })
      const what = JSON.stringify({ page, ...ask })
      if (typeof wanted === 'string') {
        assert.deepEqual([status, body.reason], [400, wanted], what)
        continue
      }
      assert.equal(status, 200, what)
      bookmark = body.bookmark
      const { total_hits: total, counts, ranges } = body
      const hits = body.hits.map(({ id, order }) => [id, ...order.map(({ value }) => value)])
      const found = { total, hits, ...wanted.counts && { counts }, ...wanted.ranges && { ranges } }
      assert.ok(near(found, wanted), `${what}\n${JSON.stringify(found)}\n${JSON.stringify(wanted)}`)
    }
  })
})
