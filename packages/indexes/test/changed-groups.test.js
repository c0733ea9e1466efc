'use strict'

const assert = require('node:assert')
const { couchCollation } = require('@potoroo/collation')
const { DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { MemoryLevel } = require('memory-level')
const { Views } = require('..')
const { partsOf } = require('../lib/views/changed-groups')

const MAP = 'function (doc) { if (doc.key !== undefined) emit(doc.key, doc.value) }'
const QUERIES = [
  { group_level: 1 },
  { group_level: 2 },
  { group: true },
  { group_level: 1, startkey: ['b'], endkey: ['f', {}] },
  { group_level: 1, descending: true },
  { group_level: 1, skip: 2, limit: 3 }
]

/** Numbers that are the same in every run. */
function dice (seed) {
  return below => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return (seed >>> 8) % below
  }
}

/** The groups of documents, in the plainest way. */
function expected (documents, { group_level: level = Infinity, startkey, endkey, descending = false, skip = 0, limit = Infinity }) {
  const groups = new Map()
  for (const { key, value } of documents.values()) {
    if (key === undefined) continue
    if (startkey !== undefined && couchCollation.compare(key, startkey) < 0) continue
    if (endkey !== undefined && couchCollation.compare(key, endkey) > 0) continue
    const name = JSON.stringify(Array.isArray(key) ? key.slice(0, level) : key)
    groups.set(name, (groups.get(name) ?? 0) + value)
  }
  const rows = [...groups].map(([key, value]) => ({ key: JSON.parse(key), value }))
  rows.sort((a, b) => couchCollation.compare(a.key, b.key) * (descending ? -1 : 1))
  return rows.slice(skip, skip + limit)
}

describe('groups of a reduction that was asked before', () => {
  let queryServer, views, database, documents

  before(() => { queryServer = new QueryServer() })
  after(() => queryServer.close())

  beforeEach(async () => {
    views = new Views({ queryServer })
    database = await DocumentStore.open(new MemoryLevel())
    documents = new Map()
    await database.write([{ _id: '_design/d', views: { v: { map: MAP, reduce: '_sum' } } }])
  })

  const ask = async options => (await (await views.query(database, 'd', 'v', options)).toObject()).rows

  async function put (entries) {
    const docs = entries.map(([id, fields]) => ({ _id: id, _rev: documents.get(id)?.rev, ...fields }))
    const results = await database.write(docs)
    docs.forEach(({ _id: id, _deleted: isGone, key, value }, i) => {
      if (isGone) documents.delete(id)
      else documents.set(id, { rev: results[i].rev, key, value })
    })
  }

  async function check () {
    for (const options of QUERIES) assert.deepStrictEqual(await ask(options), expected(documents, options), JSON.stringify(options))
  }

  it('are those of the documents after each change', async () => {
    const roll = dice(7)
    const any = list => list[roll(list.length)]
    const key = () => any([[any('abcdefgh'), roll(5)], [any('abcdefgh'), any(['x', 'x\uffff', '\ud83d\ude00'])], any('bdg'), roll(3), null, [], [[1], any('xy')]])
    const id = () => `${any(['', '\ud83d\ude00', '\ue000', '\uffff', '~'])}${roll(900)}`
    await put([...new Set(Array.from({ length: 700 }, id))].map(each => [each, { key: key(), value: roll(100) }]))
    await check()
    for (let round = 0; round < 60; round++) {
      const ids = new Set(Array.from({ length: 1 + roll(3) }, id))
      await put([...ids].map(each => [each, documents.has(each) && roll(3) === 0 ? { _deleted: true } : { key: key(), value: roll(100) }]))
      await check()
    }
  })

  it('come and go at both ends and in between', async () => {
    await put(Array.from({ length: 600 }, (_, n) => [`d${n}`, { key: ['bdf'[n % 3], n], value: 1 }]))
    await check()
    for (const name of 'aceg') await put([[`new-${name}`, { key: [name, 0], value: 5 }]]).then(check)
    for (const name of 'aceg') await put([[`new-${name}`, { _deleted: true }]]).then(check)
    await put(Array.from({ length: 200 }, (_, n) => [`d${n * 3}`, { _deleted: true }]))
    await check()
  })
})

describe('the parts of an answer', () => {
  const groups = ['b', 'd', 'f'].map(start => ({ key: `"${start}"`, value: '1', start }))

  it('are all of it where nothing changed in its range', () => {
    assert.deepStrictEqual(partsOf(groups, { low: 'b', high: 'g', descending: false }, ['a', 'g1']), [{ rows: groups }])
  })

  it('have a range from the first row of a group to that of the next', () => {
    assert.deepStrictEqual(partsOf(groups, { descending: false }, ['d1', 'e']), [
      { rows: [groups[0]] }, { range: { low: 'd', high: 'f', descending: false } }, { rows: [groups[2]] }
    ])
  })

  it('have the range up to its ends, and groups beside each other in one', () => {
    assert.deepStrictEqual(partsOf(groups, { descending: false }, ['z', 'd1', 'a']), [{ range: { low: undefined, high: undefined, descending: false } }])
  })

  it('are not told where the groups cannot be told from each other', () => {
    assert.strictEqual(partsOf([...groups, { key: '"g"', value: '1' }], { descending: false }, ['a']), undefined)
    assert.strictEqual(partsOf([], { descending: false }, ['a']), undefined)
  })
})
