'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Mango, compileSelector } = require('../..')
const { collectGarbage } = require('../collect-garbage')

describe('hostile requests', () => {
  let database
  let mango

  beforeEach(async () => {
    database = await DocumentStore.open(new MemoryLevel(), { prefix: 'db/' })
    mango = new Mango()
    await database.write(Array.from({ length: 60 }, (_, n) => ({ _id: `d${String(n).padStart(2, '0')}`, n, a: n % 10, text: 'a'.repeat(3000) + 'b' })))
    await mango.create(database, { index: { fields: ['a', 'n'] }, ddoc: 'a-n', name: 'a-n' })
  })

  afterEach(() => database.close())

  const many = (count, make) => Array.from({ length: count }, (_, i) => make(i))
  const deep = depth => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
  const refused = (body, reason) => Promise.all([mango.find(database, body), mango.explain(database, body)].map(asked => assert.rejects(asked, { status: 400, reason })))

  /** How often others ran while something was done. */
  async function turns (action) {
    let count = 0
    let goesOn = true
    const next = () => setImmediate(() => {
      count++
      if (goesOn) next()
    })
    next()
    await action()
    goesOn = false
    return count
  }

  for (const [what, make] of [
    ['of one field', i => ({ a: { $ne: i } })],
    ['of fields', i => ({ [`f${i}`]: 1 })],
    ['that are empty', () => ({ $or: [] })]
  ]) {
    it(`have no more than 10,000 conditions ${what}`, async () => {
      const reason = 'Selector has more than 10000 conditions'
      await refused({ selector: { $or: many(10001, make) } }, reason)
      assert.throws(() => compileSelector({ $or: many(10001, make) }), { status: 400, reason })
      assert.doesNotThrow(() => compileSelector({ $or: many(5000, make) }))
    })
  }

  it('may list many values, and no more than 50,000', async () => {
    const { docs } = await mango.find(database, { selector: { n: { $in: many(20000, i => i + 50) } } })
    assert.equal(docs.length, 10)
    const reason = 'Selector has more than 50000 values'
    for (const name of ['$in', '$nin', '$all']) await refused({ selector: { n: { [name]: many(50001, i => i) } } }, reason)
    await refused({ selector: { $and: many(3, i => ({ n: { $in: many(20000, j => i + j) } })) } }, reason)
    assert.throws(() => compileSelector({ n: { $in: many(50001, i => i) } }), { status: 400, reason })
  })

  it('take no more than 1,000 fields', async () => {
    await refused({ selector: {}, fields: many(1001, i => `f${i}`) }, 'Fields must have at most 1000 fields')
  })

  it('have no expression that takes long to compile', async () => {
    await refused({ selector: { n: { $regex: 'a|'.repeat(4097) } } }, 'Expression in $regex is longer than 8192 characters')
    await refused({ selector: { n: { $regex: '\\p{L}'.repeat(401) } } }, 'Expression in $regex has more than 400 classes')
    await mango.find(database, { selector: { n: { $regex: 'a|'.repeat(4096) } } })
  })

  it('sort by no more than 100 fields, and index no more', async () => {
    const fields = many(101, i => `f${i}`)
    await refused({ selector: {}, sort: fields }, 'Sort must have at most 100 fields')
    await assert.rejects(mango.create(database, { index: { fields } }), { status: 400 })
  })

  it('are refused where they are nested so deep that the stack would end', async () => {
    const reason = 'Selector is nested too deeply'
    for (const depth of [1100, 20000]) {
      for (const selector of [{ a: deep(depth) }, { a: { $in: [deep(depth)] } }, { a: { $exists: deep(depth) } }]) {
        await refused({ selector }, reason)
        assert.throws(() => compileSelector(selector), { status: 400, reason })
      }
      await refused({ selector: {}, use_index: deep(depth) }, reason)
      await assert.rejects(mango.create(database, { index: { fields: ['a'] }, ddoc: deep(depth) }), { status: 400, reason })
    }
    assert.deepEqual((await mango.find(database, { selector: { a: deep(900) } })).docs, [])
  })

  it('have no bookmarks but those that were given', async () => {
    await mango.create(database, { index: { fields: ['n'] }, ddoc: 'n', name: 'n' })
    for (const selector of [{ n: -1 }, { a: -1, n: -1 }]) await mango.find(database, { selector })
    for (const [body, keys] of [
      [{ selector: { n: { $gte: 0 } } }, ['d01', [], 1, [1, 2]]],
      [{ selector: { a: { $in: [1, 2] }, n: { $gt: 0 } }, sort: ['n'] }, ['d01', [], [1], [1, 2, 3]]]
    ]) {
      const { bookmark } = await mango.find(database, { ...body, limit: 2 })
      const [print, scan, key, id] = JSON.parse(Buffer.from(bookmark, 'base64url').toString())
      const others = [[print, -1, key, id], [print, 1e6, key, id], ...keys.map(other => [print, scan, other, id])]
      for (const other of others) {
        const made = Buffer.from(JSON.stringify(other)).toString('base64url')
        await assert.rejects(mango.find(database, { ...body, bookmark: made }), { status: 400, error: 'invalid_bookmark' })
      }
    }
  })

  it('are not compared for ever with a partial index', async () => {
    const nested = (name, depth) => depth === 0 ? { [name]: 1 } : { $or: [nested(name, depth - 1), { [`z${depth}`]: 1 }] }
    await mango.create(database, { index: { fields: ['a'], partial_filter_selector: nested('q', 40) }, ddoc: 'partial' })
    assert.deepEqual((await mango.find(database, { selector: nested('r', 40) })).docs, [])
  })

  it('leave no large plans in memory', async () => {
    await mango.create(database, { index: { fields: ['x', 'n'] }, ddoc: 'x-n', name: 'x-n' })
    const search = i => mango.find(database, { selector: { n: { $in: many(200, j => i + j) }, $or: many(100, j => j % 2 === 0 ? { a: j } : { x: j }) } })
    await search(0)
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let i = 1; i <= 10; i++) await search(i)
    collectGarbage()
    const each = (process.memoryUsage().heapUsed - before) / 10
    assert.ok(each < 2e6, `${each} bytes`)
  })

  it('find by an index though a document is nested too deeply for it', async () => {
    await database.put({ _id: 'deep', a: deep(1500), n: 100 })
    const found = await mango.find(database, { selector: { a: 3, n: { $lt: 20 } }, use_index: 'a-n', fields: ['n'] })
    assert.deepEqual(found.docs, [{ n: 3 }, { n: 13 }])
    assert.deepEqual((await mango.find(database, { selector: { a: { $gt: [] }, n: { $gt: 0 } }, use_index: 'a-n' })).docs, [])
  })

  it('let others run between documents that take long', async () => {
    const selector = { $and: many(20, () => ({ $not: { text: { $regex: 'a*c' } } })) }
    assert.ok(await turns(() => mango.find(database, { selector, limit: 8 })) >= 4)
  })

  it('are given up as soon as nobody waits for them', async () => {
    const answer = await mango.search(database, { selector: { n: -1 }, execution_stats: true })
    const pages = answer.texts()
    assert.deepEqual((await pages.next()).value, [])
    await pages.return(undefined)
    assert.ok(answer.summary().execution_stats.total_docs_examined < 60)
  })

  it('let others run between ranges that are empty', async () => {
    const selector = { _id: { $in: many(5000, i => `x${i}`) } }
    assert.ok(await turns(() => mango.find(database, { selector })) >= 4)
  })
})
