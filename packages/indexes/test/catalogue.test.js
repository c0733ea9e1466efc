'use strict'

const assert = require('node:assert/strict')
const { couchCollation } = require('@potoroo/collation')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Catalogue } = require('../lib/index/catalogue')
const { makeRow } = require('../lib/rows/row')
const { collectGarbage } = require('./collect-garbage')

const COUNT = 300

describe('indexes of one database', () => {
  let level, store, catalogue
  beforeEach(async () => {
    level = new MemoryLevel()
    store = await DocumentStore.open(level)
    catalogue = await Catalogue.of(store)
    await store.write(Array.from({ length: 5 }, (_, i) => ({ _id: `d${i}` })))
  })
  afterEach(async () => {
    await store.close()
    await level.close()
  })

  /** How often documents were mapped. */
  let mapped = 0
  const definition = name => ({
    signature: `s${name}`,
    collations: [couchCollation],
    reads: {},
    map: documents => {
      mapped += documents.length
      return documents.map(() => [makeRow(couchCollation, 0, name, null)])
    }
  })

  async function rowsOf (index) {
    const ids = []
    for await (const page of index.rows.pages(0, { descending: false })) ids.push(...page.map(({ id }) => id))
    return ids
  }

  it('are in memory no longer than somebody has them, and go on where they were', async () => {
    const held = catalogue.open(definition('held'))
    await held.update()
    const refs = []
    for (let i = 0; i < COUNT; i++) {
      const index = catalogue.open(definition(i))
      if (i % 2 === 0) await index.update()
      refs.push(new WeakRef(index))
    }
    mapped = 0
    await collectGarbage()
    assert.ok(refs.filter(ref => ref.deref() !== undefined).length <= 64)
    assert.equal(catalogue.open(definition('held')), held)
    assert.equal(catalogue.signatures().length, COUNT / 2 + 1)
    for (const i of [0, 10, 20]) {
      const index = catalogue.open(definition(i))
      assert.equal(index.pending, 0)
      await index.update()
      assert.deepEqual(await rowsOf(index), ['d0', 'd1', 'd2', 'd3', 'd4'])
    }
    assert.equal(mapped, 0)
    await store.put({ _id: 'd5' })
    const index = catalogue.open(definition(30))
    await index.update()
    assert.deepEqual([mapped, (await rowsOf(index)).length], [1, 6])
  })

  it('are one while somebody reads their rows, and while they are brought up to date', async () => {
    const pages = catalogue.open(definition('read')).rows.pages(0, { descending: false })
    const updates = Array.from({ length: 70 }, (_, i) => catalogue.open(definition(i)).update())
    const { rows } = catalogue.open(definition('read'))
    for (let i = 0; i < 70; i++) catalogue.open(definition(`other ${i}`))
    await collectGarbage()
    assert.equal(catalogue.open(definition('read')).rows, rows)
    await Promise.all(updates)
    await pages.return()
    assert.equal(catalogue.signatures().length, 70)
  })

  it('that are dropped are built again by who has them, and forgotten with them', async () => {
    const index = catalogue.open(definition('a'))
    await index.update()
    await catalogue.drop('sa')
    assert.deepEqual(catalogue.signatures(), [])
    await index.update()
    assert.equal((await rowsOf(index)).length, 5)
    assert.deepEqual(catalogue.signatures(), ['sa'])
    assert.equal(catalogue.open(definition('a')), index)
  })

  it('are dropped where nobody has them', async () => {
    await (async () => { for (let i = 0; i < 70; i++) await catalogue.open(definition(i)).update() })()
    await collectGarbage()
    for (const signature of catalogue.signatures()) await catalogue.drop(signature)
    assert.deepEqual(catalogue.signatures(), [])
    const index = catalogue.open(definition(0))
    assert.deepEqual(await rowsOf(index), [])
    await index.update()
    assert.equal((await rowsOf(index)).length, 5)
  })
})
