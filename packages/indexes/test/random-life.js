'use strict'

const assert = require('node:assert/strict')
const { couchCollation, rawCollation } = require('@potoroo/collation')
const { toObject } = require('@potoroo/document-store')
const { Views } = require('..')
const { RandomEdits } = require('./random-edits')

const keys = [
  null, false, true, -1e9, -1, 0, 0.5, 1, 2, 1e21, '', 'a', 'A', 'b', 'á', 'ab', 'a b', 'ａ', '😀',
  [], [null], [1], [1, 'a'], [1, 'A'], [1, [2]], [2], {}, { a: 1 }, { a: 2 }, { a: 1, b: 1 }, { b: 1 }
]
const values = [null, 0, 1, 'v', '', false, [1], {}, { _id: 'doc-1' }, { _id: 'doc-2' }, { _id: 'nobody' }, { _id: null }, { n: 2 }]

const ddoc = {
  _id: '_design/d',
  views: {
    all: { map: 'function (doc) { (doc.rows || []).forEach(function (row) { emit(row[0], row[1]) }) }' },
    raw: { map: 'function (doc) { (doc.rows || []).forEach(function (row) { emit(row[0], row[1]) }) }', options: { collation: 'raw' } },
    conflicts: { map: 'function (doc) { if (doc._conflicts) emit(doc._conflicts.length, doc._rev) }' }
  }
}

/** The same functions, for the oracle. */
const maps = {
  all: (doc, emit) => (doc.rows ?? []).forEach(([key, value]) => emit(key, value)),
  raw: (doc, emit) => (doc.rows ?? []).forEach(([key, value]) => emit(key, value)),
  conflicts: (doc, emit) => { if (doc._conflicts) emit(doc._conflicts.length, doc._rev) }
}
const collations = { all: couchCollation, raw: rawCollation, conflicts: couchCollation }

/** Changes a database with the design document `ddoc` by chance, and checks each answer of its views. */
class Life extends RandomEdits {
  #store
  #views
  #alike

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('@potoroo/query-server').QueryServer} queryServer
   * @param {() => number} random from 0 on and below 1
   * @param {(design: string, name: string, options: object) => Promise<import('..').ViewResult | null>} [alike] answers as `Views.query` does, too
   */
  constructor (store, queryServer, random, alike) {
    super(store, random)
    this.#alike = alike
    this.#store = store
    this.#views = new Views({ queryServer })
  }

  id () { return `doc-${this.one(['1', '2', '3', '4', 'é', '😀'])}` }
  body () { return { rows: Array.from({ length: this.below(5) }, () => [this.one(keys), this.one(values)]) } }

  async step () {
    await this.one([this.put, this.put, this.conflict, this.remove, this.purge, this.#query, this.#query, this.#query]).call(this)
  }

  async #query () {
    const name = this.one(Object.keys(maps))
    const options = this.#options(collations[name])
    await assertAnswers(this.#store, this.#views, name, options)
    if (this.#alike !== undefined) await assertAnswers(this.#store, { query: (store, ...asked) => this.#alike(...asked) }, name, options)
  }

  /** A range that has rows, or could have. */
  #options (collation) {
    const options = { descending: this.chance(0.4) }
    const range = this.below(5)
    if (range === 0) options.key = this.one(keys)
    if (range === 1) options.keys = Array.from({ length: this.one([0, 2, 3, 6]) }, () => this.one(keys))
    if (range > 1) this.#addRange(options, collation)
    if (this.chance(0.3)) options.limit = this.below(6)
    if (this.chance(0.3)) options.skip = this.below(6)
    if (this.chance(0.3)) options.include_docs = true
    if (options.include_docs && this.chance(0.5)) options.conflicts = true
    return options
  }

  #addRange (options, collation) {
    const ends = [this.one(keys), this.one(keys)].sort(collation.compare)
    if (options.descending) ends.reverse()
    if (this.chance(0.7)) options.startkey = ends[0]
    if (this.chance(0.7)) options.endkey = ends[1]
    if (this.chance(0.3)) options.startkey_docid = this.id()
    if (this.chance(0.3)) options.endkey_docid = this.id()
    if (this.chance(0.3)) options.inclusive_end = false
  }
}

/** Asks the views, and works the same out of the documents as they are. */
async function assertAnswers (store, views, name, options) {
  const answer = await (await views.query(store, 'd', name, options)).toObject()
  const documents = await allDocuments(store)
  const all = emitted(documents, maps[name]).sort(inOrder(collations[name]))
  const ranges = rangesOf(options)
  const found = ranges.map(range => inRange(all, range, collations[name]))
  const rows = found.flat().slice(options.skip ?? 0).slice(0, options.limit ?? Infinity)
  const about = `${name} ${JSON.stringify(options)}`
  assert.deepEqual(answer.rows, options.include_docs ? withDocuments(rows, documents, options) : rows, about)
  assert.equal(answer.total_rows, all.length, about)
  const first = Math.max(0, found.findIndex(each => each.length > 0))
  if (found[first]?.length > 0) {
    const direction = options.descending ? backwards(all) : all
    assert.equal(answer.offset, Math.min(all.length, direction.indexOf(found[first][0]) + (options.skip ?? 0)), about)
  }
}

async function allDocuments (store) {
  const documents = new Map()
  const { rows } = await store.allDocs({ includeDocs: true, conflicts: true })
  for await (const page of rows) for (const { id, document } of /** @type {any[]} */ (page)) documents.set(id, toObject(document))
  return documents
}

function emitted (documents, map) {
  const rows = []
  for (const doc of documents.values()) if (!doc._id.startsWith('_')) map(doc, (key, value) => rows.push({ id: doc._id, key, value }))
  return rows
}

function inOrder (collation) {
  return (a, b) => collation.compare(a.key, b.key) || byId(a.id, b.id) || collation.compareValues(a.value, b.value)
}

function byId (a, b) { return Buffer.compare(Buffer.from(a), Buffer.from(b)) }

/** Turns rows round, except for those that one document has under one key. */
function backwards (rows) {
  const runs = []
  for (const row of rows) {
    const last = runs.at(-1)?.[0]
    if (last !== undefined && last.id === row.id && JSON.stringify(last.key) === JSON.stringify(row.key)) runs.at(-1).push(row)
    else runs.push([row])
  }
  return runs.reverse().flat()
}

function rangesOf (options) {
  if (options.keys === undefined) return [options]
  const list = options.descending ? [...options.keys].reverse() : options.keys
  return list.map(key => ({ ...options, key }))
}

function inRange (all, { key, startkey = key, endkey = key, startkey_docid: startId, endkey_docid: endId, inclusive_end: inclusive = true, descending }, collation) {
  const direction = descending ? -1 : 1
  const place = (row, edge, id) => direction * (collation.compare(row.key, edge) || (id === undefined ? 0 : byId(row.id, id)))
  return (descending ? backwards(all) : all).filter(row =>
    (startkey === undefined || place(row, startkey, startId) >= 0) &&
    (endkey === undefined || (inclusive ? place(row, endkey, endId) <= 0 : place(row, endkey, endId) < 0)))
}

function withDocuments (rows, documents, { conflicts }) {
  return rows.map(row => {
    const isLinked = row.value?._id !== undefined
    const doc = documents.get(isLinked ? row.value._id : row.id) ?? null
    if (doc === null || (conflicts && !isLinked)) return { ...row, doc }
    const { _conflicts, ...plain } = doc
    return { ...row, doc: plain }
  })
}

module.exports = { Life, ddoc }
