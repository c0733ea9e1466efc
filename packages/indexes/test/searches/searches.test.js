'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { MemoryLevel } = require('memory-level')
const { PmemLevel } = require('pmem-level')
const { DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { Mango, Searches } = require('../..')

const DESIGN = { _id: '_design/d', indexes: { text: { analyzer: 'whitespace', index: 'function (doc) { index("default", doc.text); index("title", doc.title) }' } } }

/** Words of a document: each has some that few others have. */
const textOf = n => `all ${n % 2 === 0 ? 'even' : 'odd'} h${n % 100} own${n} odd last`

/** @param {number} from @param {number} to @param {any} [more] */
const documents = (from, to, more) => Array.from({ length: to - from }, (_, i) => ({ _id: `d${String(from + i).padStart(5, '0')}`, text: textOf(from + i), title: `h${i % 7}`, ...more }))

/** The levels of which the one answers at once, and the other after a while. @type {Record<string, (folder: string) => any>} */
const levels = {
  memory: () => new MemoryLevel(),
  'a pool': folder => new PmemLevel(path.join(folder, 'level'), { size: 256 * 1024 * 1024 })
}

for (const [name, make] of Object.entries(levels)) describeIn(name, make)

/** @param {string} name @param {(folder: string) => any} make */
function describeIn (name, make) {
  describe(`a text index in a database in ${name}`, () => {
    const queryServer = new QueryServer()
    /** @type {string} */
    let folder
    /** @type {import('abstract-level').AbstractLevel<any, string, string>} */
    let level
    /** @type {DocumentStore} */
    let store
    /** @type {Searches} */
    let searches

    beforeEach(async () => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), 'text-'))
      level = make(folder)
      await open()
      await store.put(DESIGN)
    })
    afterEach(async () => {
      await store.close()
      await level.close()
      fs.rmSync(folder, { recursive: true })
    })

    async function open () {
      store = await DocumentStore.open(level)
      searches = new Searches({ queryServer })
    }

    const total = async q => (await searches.search(store, 'search', 'd', 'text', { q, limit: 5 })).total
    const all = () => level.iterator().all()

    /** @param {Record<string, number>} wanted documents of each query */
    async function assertFound (wanted) {
      for (const [q, count] of Object.entries(wanted)) assert.equal(await total(q), count, q)
    }

    it('has what several batches of documents have, also those that change', async () => {
      const made = documents(0, 4500)
      const written = await store.write(made)
      await assertFound({ all: 4500, even: 2250, odd: 4500, h42: 45, own4411: 1, '"even h42"': 45, '"h42 even"': 0, 'h42 AND even': 45, '+odd -even': 2250, 'title:h3': 643, '_id:d00017': 1, '_id:d0001?': 10, '_id:[d00010 TO d00019]': 10 })
      await store.write(documents(4500, 5200))
      await store.write(made.slice(0, 900).map((doc, i) => ({ ...doc, text: 'changed all', _rev: written[i].rev })))
      await store.write(made.slice(4000).map((doc, i) => ({ _id: doc._id, _rev: written[4000 + i].rev, _deleted: true })))
      await assertFound({ all: 4700, changed: 900, odd: 3800, even: 1900, h42: 38, own17: 0, own3711: 1, own4211: 0, '"h42 own1042"': 1, '_id:d0421?': 0, '"last"': 3800 })
    })

    it('keeps nothing when all documents have gone', async () => {
      const before = await all()
      const made = documents(0, 700)
      const written = await store.write(made)
      await assertFound({ all: 700 })
      const prefix = `${store.indexSpace.prefix}t`
      const records = async () => (await all()).filter(([key]) => key.startsWith(prefix)).map(([key]) => key)
      assert.ok((await records()).length > 700)
      await store.write(made.map(({ _id }, i) => ({ _id, _rev: written[i].rev, _deleted: true })))
      await assertFound({ all: 0 })
      assert.deepEqual(await records(), [])
      assert.ok(before.length > 0)
    })

    it('of a former layout is built again', async () => {
      await store.write(documents(0, 10))
      await assertFound({ all: 10 })
      const entries = await all()
      const [name, text] = entries.find(([key, value]) => key.includes('search:') && value.startsWith('{'))
      const state = JSON.parse(text)
      await store.close()
      await level.put(name, JSON.stringify({ ...state, layout: state.layout - 1 }))
      const [record] = entries.find(([key]) => /t[a-z]\d+p/.test(key) && key.startsWith(name.slice(0, name.indexOf('search:') - 1)))
      await level.put(record, 'of another layout')
      await open()
      await assertFound({ all: 10, own3: 1 })
      assert.deepEqual(JSON.parse(await level.get(name)), { ...state, index: state.index + 1 })
    })

    it('is searched only as long as somebody waits', async () => {
      await store.put({ _id: '_design/find', language: 'query', indexes: { text: { index: {}, analyzer: 'keyword' } } })
      await store.write([{ _id: 'long', title: 'long', text: 'x y '.repeat(10_000) }])
      const long = `"${'x y '.repeat(20)}"~9`
      const clauses = Array.from({ length: 20 }, () => long).join(' ')
      assert.equal(await total('x'), 1)
      const isWanted = () => false
      await assert.rejects(searches.search(store, 'search', 'd', 'text', { q: clauses, limit: 5, isWanted }), /Nobody waits/)
      const mango = new Mango()
      const selector = { $text: clauses }
      await assert.rejects(allOf(await mango.search(store, { selector }, undefined, undefined, isWanted)), /Nobody waits/)
    })
  })
}

/** @param {import('../..').FindAnswer} answer */
async function allOf (answer) { for await (const page of answer.texts()) assert.ok(Array.isArray(page)) }
