'use strict'

const assert = require('node:assert')
const { MemoryLevel } = require('memory-level')
const { couchCollation } = require('@potoroo/collation')
const { DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { groupOf } = require('../lib/views/group')
const { Catalogue } = require('../lib/index/catalogue')
const { makeRange } = require('../lib/rows/key-range')
const { assertIntegrity } = require('./integrity')

const keys = ['b', 'B', 'a', 'A', 'aa', 'ä', 'z', '_', 'É', 1, -1, null, true, false, ['a'], ['A'], ['a', 1], {}, { a: 1 }, { b: 1 }]

describe('collation of views', () => {
  let level
  let store
  let queryServer

  beforeEach(async () => {
    queryServer = new QueryServer()
    level = new MemoryLevel()
    store = await DocumentStore.open(level, { prefix: 'db/' })
  })

  /** The index of one view of the field k: its keys are arrays of that. */
  async function groupWith (options) {
    const ddoc = { language: 'query', views: { v: { map: { fields: { k: 'asc' } }, options } } }
    const group = groupOf(await Catalogue.of(store), store, ddoc, queryServer)
    await group.index.update()
    return group
  }

  async function read ({ rows }, range = { descending: false }) {
    const all = []
    for await (const page of rows.pages(0, range)) all.push(...page)
    return all
  }

  const write = list => store.write(list.map((k, i) => ({ _id: String(i).padStart(3, '0'), k })))

  it('is ICU\'s', async () => {
    await write(keys)
    const read1 = (await read(await groupWith())).map(({ key }) => key[0])
    assert.deepStrictEqual(read1, [null, false, true, -1, 1, '_', 'a', 'A', 'ä', 'aa', 'b', 'B', 'É', 'z', ['a'], ['a', 1], ['A'], {}, { a: 1 }, { b: 1 }])
  })

  it('is Erlang\'s for a view with the option', async () => {
    await write(keys)
    const group = await groupWith({ collation: 'raw' })
    assert.deepStrictEqual((await read(group)).map(({ key }) => key[0]),
      [-1, 1, false, null, true, {}, { a: 1 }, { b: 1 }, ['A'], ['a'], ['a', 1], 'A', 'B', '_', 'a', 'aa', 'b', 'z', 'É', 'ä'])
    const [collation] = group.rows.collations
    const range = makeRange(collation, { from: { key: ['A'] }, to: { key: ['a'] } })
    assert.deepStrictEqual((await read(group, range)).map(({ key }) => key[0]), ['A', 'B', '_', 'a'])
  })

  it('is a property of each view', async () => {
    await write(['b', 'A', 'a'])
    const plain = await groupWith()
    const raw = await groupWith({ collation: 'raw' })
    assert.notStrictEqual(plain.signature, raw.signature)
    assert.deepStrictEqual((await read(raw)).map(({ key }) => key[0]), ['A', 'a', 'b'])
    assert.deepStrictEqual((await read(plain)).map(({ key }) => key[0]), ['a', 'A', 'b'])
  })

  it('orders rows whose keys are equal by the bytes of their ids', async () => {
    const ids = ['a', 'B', 'é', '\uffee', '\ud83d\ude00', 'aa', 'A']
    await store.write(ids.map((_id, i) => ({ _id, k: ['x', '\u200bx', 'x\0'][i % 3] })))
    const group = await groupWith()
    const inOrder = ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const [collation] = group.rows.collations
    for (const key of ['x', '\u200bx']) {
      assert.deepStrictEqual((await read(group, makeRange(collation, { from: { key: [key] }, to: { key: [key] } }))).map(({ id }) => id), inOrder)
      const some = makeRange(collation, { from: { key: [key], id: 'B' }, to: { key: [key], id: 'é', open: true } })
      assert.deepStrictEqual((await read(group, some)).map(({ id }) => id), ['B', 'a', 'aa'])
    }
    assert.strictEqual((await read(group)).find(({ id }) => id === 'B').key[0], '\u200bx')
  })

  it('has longer keys too, and ranges of them', async () => {
    const long = 'y'.repeat(5000)
    await write(['x', long, long + 'a', long + 'b', 'z'])
    const group = await groupWith()
    assert.deepStrictEqual((await read(group)).map(({ key }) => key[0].length), [1, 5000, 5001, 5001, 1])
    const [collation] = group.rows.collations
    const range = makeRange(collation, { from: { key: [long + 'a'] }, to: { key: [long + 'b'], open: true } })
    assert.deepStrictEqual((await read(group, range)).map(({ id }) => id), ['002'])
  })

  it('leaves out a document whose key is nested too deeply, and no other', async () => {
    await write([1, JSON.parse('['.repeat(2000) + ']'.repeat(2000)), 'a'])
    const logged = []
    queryServer = new QueryServer({ log: entry => logged.push(entry) })
    assert.deepStrictEqual((await read(await groupWith())).map(({ key }) => key), [[1], ['a']])
    assert.deepStrictEqual(logged.map(({ level, message }) => [level, message]), [['warning', 'Nested too deeply for a key, with document 001']])
    await assertIntegrity(store)
  })

  const older = {
    'another ICU has ordered': text => text.replace(couchCollation.name, 'couchdb-icu-60.1'),
    'does not know how long its rows are': text => text.replace(/"external":\d+,"active":\d+,/, '')
  }
  for (const [what, change] of Object.entries(older)) {
    it(`makes an index anew that ${what}`, async () => {
      await write(['b', 'a', 'c'])
      const before = await groupWith()
      const { keyspace } = store.indexSpace
      const [[name, text]] = (await keyspace.entries({}).all()).filter(([, text]) => text.includes(couchCollation.name))
      await keyspace.write([{ type: 'put', key: name, value: change(text) }])
      await store.close()

      store = await DocumentStore.open(level, { prefix: 'db/' })
      const catalogue = await Catalogue.of(store)
      assert.deepStrictEqual(catalogue.signatures(), [])
      await assertIntegrity(store)
      const group = await groupWith()
      assert.strictEqual(group.signature, before.signature)
      assert.notStrictEqual(group.rows.state.index, before.rows.state.index)
      assert.deepStrictEqual((await read(group)).map(({ key }) => key[0]), ['a', 'b', 'c'])
      await assertIntegrity(store)
    })
  }
})
