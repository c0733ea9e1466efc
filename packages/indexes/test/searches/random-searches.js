'use strict'

const assert = require('node:assert/strict')
const { toObject } = require('@potoroo/document-store')
const { Mango, Searches } = require('../..')
const { RandomEdits } = require('../random-edits')

const WORDS = ['one', 'two', 'three', 'four', 'café', '日本']
const TAGS = ['a', 'B c', 'd-e', '']

const search = `function (doc) {
  if (doc.text) index("default", doc.text, { store: true });
  if (typeof doc.n === "number") index("n", doc.n);
  if (typeof doc.tag === "string") index("tag", doc.tag, { facet: true });
}`
const nouveau = `function (doc) {
  if (doc.text) index("text", "default", doc.text, { store: true });
  if (typeof doc.n === "number") index("double", "n", doc.n);
  if (typeof doc.tag === "string") index("string", "tag", doc.tag);
}`

/** The same indexes under another name have another signature. @param {string} comment */
function designOf (comment) {
  return {
    indexes: { all: { analyzer: { name: 'perfield', default: 'standard', fields: { tag: 'keyword' } }, index: `${search} // ${comment}` } },
    nouveau: { all: { default_analyzer: 'standard', field_analyzers: { tag: 'keyword' }, index: `${nouveau} // ${comment}` } }
  }
}

/** The design documents that a store has to have. */
const designs = [
  { _id: '_design/d', ...designOf('first') },
  {
    _id: '_design/find',
    language: 'query',
    indexes: { text: { index: {}, analyzer: 'keyword' } },
    nouveau: { nouveau: { index: {}, analyzer: 'keyword' } },
    vectors: { at: { field: 'at', dimensions: 2, metric: 'l2' } }
  }
]

const wordsOf = ({ text = '' }) => text === '' ? [] : text.split(' ')
const has = word => doc => wordsOf(doc).includes(word)
const isIndexed = doc => wordsOf(doc).length > 0 || typeof doc.n === 'number' || typeof doc.tag === 'string'

/** Queries, and which documents they find. @type {Array<[string, (doc: any) => boolean]>} */
const questions = [
  ['one', has('one')],
  ['"one two"', doc => wordsOf(doc).some((word, i, all) => word === 'one' && all[i + 1] === 'two')],
  ['one AND NOT three', doc => has('one')(doc) && !has('three')(doc)],
  ['+café two', has('café')],
  ['日本 OR four', doc => has('four')(doc) || wordsOf(doc).some(word => word === '日本')],
  ['n:[2 TO 5]', ({ n }) => n >= 2 && n <= 5],
  ['n:{2 TO *]', ({ n }) => n > 2],
  ['n:3', ({ n }) => n === 3],
  ['tag:"B c" two', doc => doc.tag === 'B c' || has('two')(doc)],
  ['tw*', has('two')],
  ['t?o', has('two')],
  ['thre~1', has('three')],
  ['/(one|four)/', doc => has('one')(doc) || has('four')(doc)],
  ['_id:"doc-1"', doc => doc._id === 'doc-1' && isIndexed(doc)],
  ['*:*', isIndexed]
]

/** Selectors, and which documents they find. @type {Array<[any, (doc: any) => boolean]>} */
const selectors = [
  [{ $text: 'one' }, has('one')],
  [{ $text: 'two', n: { $gt: 2 } }, doc => has('two')(doc) && doc.n > 2],
  [{ n: { $gte: 1, $lt: 4 } }, ({ n }) => n >= 1 && n < 4],
  [{ tag: 'B c' }, ({ tag }) => tag === 'B c'],
  [{ n: { $exists: false }, tag: 'a' }, ({ n, tag }) => n === undefined && tag === 'a']
]

/** Changes a database with the design documents `designs` by chance, and checks what its text and vector indexes find. */
class SearchLife extends RandomEdits {
  #store
  #searches
  #mango = new Mango()
  #ids
  #alike

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('@potoroo/query-server').QueryServer} queryServer
   * @param {() => number} random from 0 on and below 1
   * @param {(dialect: string, design: string, name: string, args: object) => Promise<object>} [alike] searches as `Searches` does, too
   */
  constructor (store, queryServer, random, alike) {
    super(store, random)
    this.#alike = alike
    this.#store = store
    this.#searches = new Searches({ queryServer })
    // Sometimes terms have several blocks.
    this.#ids = random() < 0.25 ? 500 : 40
  }

  id () { return `doc-${this.below(this.#ids)}` }

  body () {
    const text = Array.from({ length: this.below(8) }, () => this.one(WORDS)).join(' ')
    return { text, ...this.chance(0.7) && { n: this.below(7) }, ...this.chance(0.7) && { tag: this.one(TAGS) }, ...this.chance(0.7) && { at: [this.below(9), this.below(9)] } }
  }

  async step () {
    await this.one([this.put, this.put, this.#bulk, this.conflict, this.remove, this.purge, this.#ask, this.#ask, this.#find, this.#near]).call(this)
  }

  async #bulk () { await this.#store.write(Array.from({ length: this.below(this.#ids) }, () => ({ ...this.body(), _id: this.id() }))) }

  async #documents () {
    const documents = []
    const { rows } = await this.#store.allDocs({ includeDocs: true })
    for await (const page of rows) for (const { id, document } of /** @type {any[]} */ (page)) if (!id.startsWith('_')) documents.push(toObject(document))
    return documents
  }

  /** All pages of a search. */
  async #pages (dialect, design, args) {
    const hits = []
    let counts
    for (let bookmark; ;) {
      const asked = { limit: Math.ceil(this.#ids / 4), bookmark, ...args }
      const { latency, ...result } = await this.#searches.search(this.#store, dialect, design, 'all', asked)
      if (this.#alike !== undefined) assert.deepEqual({ ...await this.#alike(dialect, design, 'all', asked), latency: undefined }, { ...result, latency: undefined })
      counts = result.counts
      if (result.hits.length === 0) return { hits, counts, total: result.total }
      hits.push(...result.hits)
      bookmark = Buffer.from(JSON.stringify(result.after)).toString('base64url')
    }
  }

  async #ask () {
    const dialect = this.one(['search', 'nouveau'])
    const [q, accepts] = this.one(questions)
    const documents = (await this.#documents()).filter(accepts)
    const byNumber = this.chance(0.3)
    const about = `${dialect} ${q}`
    const { hits, counts, total } = await this.#pages(dialect, 'd', { q, counts: ['tag'], ...byNumber && { sort: '-n' } })
    assert.deepEqual(hits.map(({ id }) => id).sort(), documents.map(({ _id }) => _id).sort(), about)
    assert.equal(total, documents.length, about)
    assert.deepEqual(sorted(counts.tag), sorted(countOf(documents.filter(({ tag }) => tag !== undefined).map(({ tag }) => tag))), about)
    const of = new Map(documents.map(doc => [doc._id, doc]))
    for (const { id, fields } of hits) assert.equal(fields.default ?? '', of.get(id).text, about)
    const keys = hits.map(({ id, score }) => byNumber ? of.get(id).n ?? (dialect === 'nouveau' ? 0 : -1) : score)
    assert.deepEqual(keys, keys.toSorted((a, b) => b - a), about)
  }

  async #find () {
    const [selector, accepts] = this.one(selectors)
    const name = this.one(['text', 'nouveau'])
    const { docs } = await this.#mango.find(this.#store, { selector, use_index: ['find', name], limit: 1000, fields: ['_id'] })
    const wanted = (await this.#documents()).filter(accepts)
    assert.deepEqual(docs.map(({ _id }) => _id).sort(), wanted.map(({ _id }) => _id).sort(), `${name} ${JSON.stringify(selector)}`)
  }

  async #near () {
    const near = [this.below(9) + 0.25, this.below(9) + 0.5]
    const k = 1 + this.below(8)
    const distance = ({ at }) => (at[0] - near[0]) ** 2 + (at[1] - near[1]) ** 2
    const wanted = (await this.#documents()).filter(({ at }) => at !== undefined).map(distance).sort((a, b) => a - b).slice(0, k)
    const { docs } = await this.#mango.find(this.#store, { vector: { field: 'at', near, k } })
    assert.deepEqual(docs.map(distance), wanted)
  }

  /** Demands that the indexes find what fresh ones find, with the same scores. */
  async assertAsFresh () {
    // A crash may leave one behind.
    const name = `fresh-${this.random()}`
    const { rev } = await this.#store.put({ _id: `_design/${name}`, ...designOf(String(this.random())) })
    for (const [q] of questions) {
      const [old, fresh] = await Promise.all(['d', name].map(design => this.#pages('nouveau', design, { q })))
      assert.deepEqual(old.hits.map(asFound), fresh.hits.map(asFound), `nouveau ${q}`)
      const [oldSet, freshSet] = await Promise.all(['d', name].map(design => this.#pages('search', design, { q })))
      assert.deepEqual(oldSet.hits.map(asFound).sort(byId), freshSet.hits.map(asFound).sort(byId), `search ${q}`)
    }
    await this.#store.put({ _id: `_design/${name}`, _rev: rev, _deleted: true })
    for (const dialect of ['search', 'nouveau']) await this.#searches.cleanup(this.#store, dialect)
  }
}

const byId = (a, b) => a.id < b.id ? -1 : 1
const asFound = ({ id, score, fields }) => ({ id, score: score.toPrecision(9), fields })
const sorted = counts => Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a < b ? -1 : 1))

function countOf (values) {
  const counts = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

module.exports = { SearchLife, designs }
