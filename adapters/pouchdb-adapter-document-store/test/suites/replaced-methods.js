'use strict'

const assert = require('node:assert/strict')

const hide = (text) => Buffer.from(text).toString('base64')
const show = (text) => Buffer.from(text, 'base64').toString()
const seen = (doc) => doc?.secret ? { ...doc, secret: show(doc.secret) } : doc

/** As plugins do that encrypt documents: each replaces a method by which documents come or go. */
const replacements = {
  get: (get) => async (...args) => seen(await get(...args)),
  allDocs: (allDocs) => async (...args) => {
    const answer = await allDocs(...args)
    for (const row of answer.rows) if (row.doc) row.doc = seen(row.doc)
    return answer
  },
  changes: (changes) => (...args) => {
    const feed = changes(...args)
    const then = feed.then.bind(feed)
    feed.then = (resolve, reject) => then((answer) => {
      for (const change of answer.results) change.doc = seen(change.doc)
      return answer
    }).then(resolve, reject)
    return feed
  }
}

function replace (db, ...names) {
  for (const name of names) db[name] = replacements[name](db[name].bind(db))
}

const map = 'function (doc) { if (doc.secret) emit(doc.secret) }'

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('methods that were replaced', () => {
  beforeEach(() => context.db.bulkDocs([
    ...['zebra', 'apple', 'mango'].map((secret, i) => ({ _id: `d${i}`, secret: hide(secret) })),
    { _id: '_design/d', views: { v: { map, reduce: '_count' } } }
  ]))

  it('are what views are made by', async () => {
    const { db } = context
    replace(db, 'get', 'allDocs', 'changes')
    const keys = async (view, options) => (await db.query(view, { reduce: false, ...options })).rows.map(({ key }) => key)
    assert.deepEqual(await keys('d/v'), ['apple', 'mango', 'zebra'])
    assert.deepEqual(await keys('d/v', { startkey: 'b', endkey: 'n' }), ['mango'])
    assert.deepEqual(await keys({ map }), ['apple', 'mango', 'zebra'])
    const { rows } = await db.query('d/v', { reduce: false, include_docs: true, key: 'mango' })
    assert.deepEqual(rows.map(({ doc }) => doc.secret), ['mango'])
    await db.put({ _id: 'd3', secret: hide('banana') })
    assert.deepEqual(await keys('d/v'), ['apple', 'banana', 'mango', 'zebra'])
    assert.deepEqual((await db.query('d/v')).rows, [{ key: null, value: 4 }])
    assert.deepEqual(await db.viewCleanup(), { ok: true })
  })

  it('are what indexes are made and asked by', async () => {
    const { db } = context
    replace(db, 'get', 'allDocs', 'changes')
    await db.createIndex({ index: { fields: ['secret'] } })
    const find = async (request) => (await db.find(request)).docs.map(({ secret }) => secret)
    assert.deepEqual(await find({ selector: { secret: { $gt: 'b' } }, sort: ['secret'] }), ['mango', 'zebra'])
    assert.deepEqual(await find({ selector: { secret: 'apple' } }), ['apple'])
    const { indexes } = await db.getIndexes()
    await db.deleteIndex(indexes.at(-1))
    assert.deepEqual(await find({ selector: { secret: { $gt: 'n' } } }), ['zebra'])
  })

  for (const name of Object.keys(replacements)) {
    it(`count where it is ${name} alone`, async () => {
      const { db } = context
      let calls = 0
      const plain = db[name].bind(db)
      db[name] = (...args) => {
        calls++
        return plain(...args)
      }
      assert.equal((await db.query('d/v', { reduce: false, include_docs: true })).rows.length, 3)
      assert.ok(calls > 0)
      calls = 0
      await db.createIndex({ index: { fields: ['secret'] } })
      assert.equal((await db.find({ selector: { secret: { $exists: true } } })).docs.length, 3)
      assert.ok(calls > 0)
    })
  }

  it('leave nothing behind in what the database\'s own way has indexed', async () => {
    const { db, open, name } = context
    const other = open(name)
    replace(other, 'get', 'allDocs', 'changes')
    const keys = async (side) => (await side.query('d/v', { reduce: false })).rows.map(({ key }) => key)
    const hidden = ['apple', 'mango', 'zebra'].map(hide)
    assert.deepEqual(await keys(db), [...hidden].sort())
    assert.deepEqual(await keys(other), hidden.map(show))
    assert.deepEqual(await keys(db), [...hidden].sort())
    await other.close()
  })
})
