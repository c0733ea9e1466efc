'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { PmemLevel } = require('pmem-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Mango } = require('../..')
const arbitraries = require('./arbitraries')
const { collate, look, plainMatch } = require('./plain-selector')

const numRuns = Number(process.env.TEST_RANDOM_RUNS ?? 60)

describe('random finds in memory', finds(() => new MemoryLevel()))

// A pool reads few rows and their documents at once.
describe('random finds in a pool', finds(folder => new PmemLevel(path.join(folder, 'pool'), { allowVolatile: true })))

function finds (makeLevel) {
  return function () {
    this.timeout(600_000 + numRuns * 1000)

    let folder
    let level
    let opened = 0

    before(() => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), 'finds-'))
      level = makeLevel(folder)
    })

    after(async () => {
      await level.close()
      fs.rmSync(folder, { recursive: true, force: true })
    })

    const docs = fc.array(arbitraries.doc, { minLength: 5, maxLength: 40 }).map(list => list.map((doc, i) => ({ _id: `${'kKéa'[i % 4]}${i}`, ...doc })))
    const indexes = fc.array(arbitraries.index, { maxLength: 5 })
    const selectors = fc.array(arbitraries.selector, { minLength: 1, maxLength: 8 })

    async function open (documents, definitions) {
      const database = await DocumentStore.open(level, { prefix: `db${opened++}/` })
      const mango = new Mango()
      await database.write(documents)
      for (const [i, { fields, partial }] of definitions.entries()) {
        await mango.create(database, { index: { fields, ...(partial && { partial_filter_selector: partial }) }, ddoc: `d${i}`, name: `n${i}` })
      }
      return { database, mango }
    }

    const idsOf = found => found.map(({ _id }) => _id)

    it('find what a plain filter does, with whatever indexes', async () => {
      await fc.assert(fc.asyncProperty(docs, indexes, selectors, async (documents, definitions, queries) => {
        const { database, mango } = await open(documents, definitions)
        for (const selector of queries) {
          const expected = idsOf(documents.filter(doc => plainMatch(selector, doc))).sort()
          const all = await mango.find(database, { selector, limit: 1000 })
          assert.deepEqual(idsOf(all.docs).sort(), expected, JSON.stringify(selector))
          const some = await mango.find(database, { selector, limit: 1000, fields: ['_id', 'a', 'b'] })
          assert.deepEqual(some.docs, all.docs.map(({ _id, a, b }) => ({ _id, ...(a !== undefined && { a }), ...(b !== undefined && { b }) })), JSON.stringify(selector))
        }
        await database.close()
      }), { numRuns })
    })

    it('find nothing in documents that are gone, and refuse what does not match any more', async () => {
      const { database, mango } = await open([{ _id: 'a', n: 1 }, { _id: 'b', n: 1 }, { _id: 'c', n: 1 }], [{ fields: ['n'] }])
      await mango.find(database, { selector: { n: 1 } })
      await database.put({ _id: 'a', _rev: (await database.get('a')).rev, _deleted: true })
      await database.put({ _id: 'b', _rev: (await database.get('b')).rev, n: 2 })
      const stale = await mango.find(database, { selector: { n: 1 }, update: false, execution_stats: true })
      assert.deepEqual(idsOf(stale.docs), ['c'])
      assert.deepEqual([stale.execution_stats.total_keys_examined, stale.execution_stats.total_docs_examined], [3, 2])
      assert.deepEqual(idsOf((await mango.find(database, { selector: { n: 2 } })).docs), ['b'])
      await database.close()
    })

    it('are sorted, where an index sorts', async () => {
      const sorts = fc.uniqueArray(fc.constantFrom('a', 'b', 'd.x'), { minLength: 1, maxLength: 2 })
      await fc.assert(fc.asyncProperty(docs, sorts, selectors, fc.boolean(), async (documents, sort, queries, descending) => {
        const { database, mango } = await open(documents, [{ fields: sort }, { fields: ['c', ...sort] }, { fields: ['a', ...sort.filter(field => field !== 'a')] }, { fields: ['d.y', ...sort] }])
        const direction = descending ? 'desc' : 'asc'
        const paths = sort.map(field => field.split('.'))
        for (const selector of queries) {
          const { docs: found } = await mango.find(database, { selector, limit: 1000, sort: sort.map(field => ({ [field]: direction })) })
          const expected = documents.filter(doc => plainMatch(selector, doc) && paths.every(path => look(doc, path).there))
          assert.deepEqual(idsOf(found).sort(), idsOf(expected).sort(), JSON.stringify(selector))
          assertSorted(found, paths, descending)
        }
        await database.close()
      }), { numRuns })
    })

    function assertSorted (found, paths, descending) {
      for (let i = 1; i < found.length; i++) {
        const order = paths.map(path => collate(look(found[i - 1], path).value, look(found[i], path).value)).find(each => each !== 0) ?? 0
        assert.ok(descending ? order >= 0 : order <= 0, JSON.stringify([found[i - 1], found[i]]))
      }
    }

    it('come page by page, each once', async () => {
      await fc.assert(fc.asyncProperty(docs, indexes, selectors, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (documents, definitions, queries, limit, sorts) => {
        const { database, mango } = await open(documents, [...definitions, { fields: ['c', 'b'] }, { fields: ['b'] }])
        for (const selector of queries) {
          const body = { selector, ...(sorts && { sort: [{ b: 'desc' }] }) }
          const whole = idsOf((await mango.find(database, { ...body, limit: 1000 })).docs)
          assert.deepEqual(idsOf(await readPages(mango, database, { ...body, limit })), whole, JSON.stringify(body))
        }
        await database.close()
      }), { numRuns })
    })

    async function readPages (mango, database, body, between = async () => {}) {
      const found = []
      let bookmark
      for (;;) {
        const page = await mango.find(database, { ...body, ...(bookmark && { bookmark }) })
        found.push(...page.docs)
        if (page.docs.length < body.limit) return found
        bookmark = page.bookmark
        await between()
      }
    }

    it('come page by page while others write: what they leave alone comes once', async () => {
      const edits = fc.array(fc.record({ at: fc.nat(), doc: arbitraries.doc, deletes: fc.boolean() }), { maxLength: 12 })
      await fc.assert(fc.asyncProperty(docs, indexes, arbitraries.selector, edits, fc.integer({ min: 1, max: 4 }), async (documents, definitions, selector, changes, limit) => {
        const { database, mango } = await open(documents, definitions)
        const touched = new Set()
        const left = [...changes]
        const found = await readPages(mango, database, { selector, limit }, async () => {
          const change = left.pop()
          if (change === undefined) return
          const id = documents[change.at % documents.length]._id
          touched.add(id)
          const before = await database.get(id).catch(() => null)
          if (before === null) return
          await database.put(change.deletes ? { _id: id, _rev: before.rev, _deleted: true } : { _id: id, _rev: before.rev, ...change.doc })
          await database.put({ _id: `new ${left.length}`, ...change.doc })
        })
        const quiet = idsOf(found).filter(id => !touched.has(id) && !id.startsWith('new'))
        const expected = idsOf(documents.filter(doc => plainMatch(selector, doc) && !touched.has(doc._id)))
        assert.deepEqual(quiet.sort(), expected.sort(), JSON.stringify(selector))
        await database.close()
      }), { numRuns })
    })
  }
}
