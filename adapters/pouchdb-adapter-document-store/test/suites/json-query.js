'use strict'

const assert = require('node:assert/strict')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('jsonQuery', () => {
  beforeEach(() => context.db.bulkDocs(Array.from({ length: 10 }, (_, n) => ({ _id: `d${n}`, n, kind: n % 2 === 0 ? 'even' : 'odd' }))))

  it('filters, sorts, cuts and maps documents', async () => {
    const { db } = context
    assert.deepEqual(await db.jsonQuery("[?kind='odd'][\\n][0:2][=n]"), [9, 7])
    assert.deepEqual(await db.jsonQuery('[?n=$1][=_id]', { args: [3] }), ['d3'])
    assert.deepEqual(await db.jsonQuery('[0]'), await db.get('d0'))
  })

  it('is served by indexes, which find goes on with', async () => {
    const { db } = context
    await db.put({ _id: '_design/n', language: 'query', views: { n: { map: { fields: { n: 'asc' }, partial_filter_selector: {} }, reduce: '_count', options: { def: { fields: ['n'] } } } } })
    const { finds: [{ index, find, steps }] } = await db.jsonQuery('[?n>=4][/n][0:3][=n]', { explain: true })
    assert.deepEqual([index.ddoc, find.limit, steps], ['_design/n', 3, ['map']])
    assert.deepEqual(await db.jsonQuery('[?n>=4][/n][0:3][=n]'), [4, 5, 6])
    await db.put({ ...await db.get('d5'), n: 50 })
    assert.deepEqual(await db.jsonQuery('[?n>=4][/n][0:3][=n]'), [4, 6, 7])
    assert.deepEqual(await db.jsonQuery('[?n>40][=_id]'), ['d5'])
  })

  it('refuses what cannot be read', async () => {
    const { db } = context
    await assert.rejects(db.jsonQuery('[?n<'), { status: 400, name: 'query_parse_error', reason: /at character 5 of the query/ })
    await assert.rejects(db.jsonQuery('[?n=$1]', { args: [{}] }), { status: 400, reason: /for \$1 at character 5/ })
    await assert.rejects(db.jsonQuery(), { status: 400 })
    await new Promise((resolve) => db.jsonQuery('[', (error) => resolve(assert.equal(error.status, 400))))
  })
})
