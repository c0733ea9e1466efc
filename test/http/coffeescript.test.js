'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')

const design = {
  language: 'coffeescript',
  helpers: { twice: 'exports.twice = function (n) { return 2 * n }' },
  views: {
    sums: {
      map: '(doc) ->\n  emit x, x for x in doc.xs when x > 1\n  return',
      reduce: '(keys, values, rereduce) -> values.reduce ((a, b) -> a + b), 0'
    },
    counted: { map: '(doc) -> emit(null, 1)', reduce: '_count' },
    named: { map: 'half = (n) -> n / 2\n\n(doc) -> emit half(doc.n) if doc.n?' }
  },
  shows: { hello: '(doc, req) -> "hello #{doc?._id ? "world"} #{require("helpers/twice").twice 4}"' },
  lists: { keys: '(head, req) ->\n  send "#{row.key};" while row = getRow()\n  "end"' },
  updates: { add: '(doc, req) ->\n  doc.added = true\n  [doc, "added"]' },
  filters: { big: '(doc, req) -> doc.n > 5' },
  validate_doc_update: '(newDoc) -> throw {forbidden: "no bad"} if newDoc.bad'
}

describe('CoffeeScript', () => {
  const db = new TestDatabase()

  beforeEach(async () => {
    assert.equal((await db.put('_design/c', design)).status, 201)
    for (const [id, doc] of Object.entries({ a: { n: 4, xs: [1, 2, 3] }, b: { n: 8, xs: [4] } })) await db.write(id, doc)
  })

  it('is what views are written in, their reduces too', async () => {
    const rows = await db.get('_design/c/_view/sums?reduce=false')
    assert.deepEqual(rows.body.rows.map(({ id, key }) => [id, key]), [['a', 2], ['a', 3], ['b', 4]])
    assert.deepEqual((await db.get('_design/c/_view/sums')).body.rows, [{ key: null, value: 9 }])
    assert.deepEqual((await db.get('_design/c/_view/counted')).body.rows, [{ key: null, value: 2 }])
  })

  it('may define something before the function', async () => {
    assert.deepEqual((await db.get('_design/c/_view/named')).body.rows.map(({ key }) => key), [2, 4])
  })

  it('is what all other functions are written in', async () => {
    assert.equal((await db.get('_design/c/_show/hello/a')).text, 'hello a 8')
    assert.equal((await db.get('_design/c/_list/keys/sums?reduce=false')).text, '2;3;4;end')
    assert.equal((await db.put('_design/c/_update/add/a', '')).text, 'added')
    assert.equal((await db.get('a')).body.added, true)
    assert.deepEqual((await db.get('_changes?filter=c/big')).body.results.map(({ id }) => id), ['b'])
    assertRefused(await db.put('bad', { bad: true }), 403, 'forbidden', 'no bad')
  })

  it('that cannot be compiled is refused when it is written', async () => {
    const views = { v: { map: '(doc) -> emit((' } }
    assertRefused(await db.put('_design/d', { language: 'coffeescript', views }), 400, 'compilation_error', /^Compilation of the map function in the 'v' view failed: SyntaxError/)
    assertRefused(await db.put('_design/d', { language: 'coffeescript', views: { v: { map: '5' } } }), 400, 'compilation_error', /Expression does not eval to a function/)
  })

  it('changes no document for other functions', async () => {
    const views = { one: { map: '(doc) ->\n  doc.n = 0\n  emit doc.n' }, two: { map: '(doc) -> emit doc.n' } }
    assert.equal((await db.put('_design/e', { language: 'coffeescript', views })).status, 201)
    assert.deepEqual((await db.get('_design/e/_view/two')).body.rows.map(({ key }) => key), [4, 8])
  })
})
