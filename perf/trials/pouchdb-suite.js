'use strict'

const path = require('node:path')
const { documentId, makeContent } = require('../lib/data/samples')
const { expectReplicated, expectRows, expectTotal, expectWritten } = require('../lib/data/expect')
const { ServerProcess } = require('../lib/http/server-process')
const { openSibling, withDatabase, withDocuments } = require('../lib/pouchdb/database')

const COUNT = 100
const KEYS = 50
const TYPE = 'application/octet-stream'
const INDEX = { index: { fields: ['key'] } }

/** The number of documents that `find` gives by default. */
const FOUND = 25

/** All of them count in the geometric mean. Their names and sizes are PouchDB's. */
const written = { unit: 'call', size: 0, step: 1, prepare: withDatabase }
const read = { size: 1000, step: 1, prepare: withDocuments(makeSmall) }

/** @type {import('../lib/run/catalogue').Trial[]} */
module.exports = [
  {
    name: 'basic-inserts',
    unit: 'document',
    size: 0,
    step: 50,
    most: 20_000,
    durable: true,
    prepare: withDatabase,
    async run ({ db }, start, step) {
      for (let count = 0; count < step; count++) await db.post({ yo: 'dawg' })
    }
  },
  // One `bulkDocs` of the same documents, without ids, again and again. PouchDB has five times as many massive ones.
  bulkInserts('bulk-inserts', 500, () => Array.from({ length: 100 }, () => ({ much: 'docs', very: 'bulk' }))),
  bulkInserts('bulk-inserts-large-docs', 100, () => Array.from({ length: 100 }, makeLarge)),
  bulkInserts('bulk-inserts-massive-docs', 20, () => Array.from({ length: 10 }, () => makeMassive())),
  {
    // Reads empty documents with `allDocs` and writes them back with `bulkDocs`, again and again.
    ...written,
    name: 'basic-updates',
    size: COUNT,
    most: 200,
    durable: true,
    prepare: withDocuments(() => ({})),
    async run ({ db }) {
      const { rows } = await db.allDocs({ include_docs: true })
      expectWritten(await db.bulkDocs(rows.map(({ doc }) => doc)))
    }
  },
  {
    ...read,
    name: 'basic-gets',
    unit: 'document',
    step: 100,
    async run ({ db, size }, start, step) {
      for (let index = start; index < start + step; index++) await db.get(documentId(index % size))
    }
  },
  {
    ...read,
    name: 'all-docs-skip-limit',
    unit: 'round of ten',
    async run ({ db }) {
      for (let index = 0; index < 10; index++) expectRows((await db.allDocs({ skip: index * 100, limit: 10 })).rows, 10)
    }
  },
  {
    ...read,
    name: 'all-docs-startkey-endkey',
    unit: 'round of ten',
    async run ({ db }) {
      for (let first = 0; first < 1000; first += 100) {
        const { rows } = await db.allDocs({ startkey: documentId(first), endkey: documentId(first + 10) })
        expectRows(rows, 11)
      }
    }
  },
  {
    // The documents are from all over the database, and come with the rows.
    ...read,
    name: 'all-docs-keys',
    unit: 'call',
    async run ({ db, size }, start) {
      const keys = Array.from({ length: KEYS }, (_, index) => documentId((start * KEYS + index) * 7919 % size))
      const { rows } = await db.allDocs({ keys, include_docs: true })
      expectRows(rows, KEYS)
      if (rows[KEYS - 1].doc._id !== keys[KEYS - 1]) throw new Error(`Not the document: ${rows[KEYS - 1].doc._id}`)
    }
  },
  {
    // Every second document is deleted. The `post` changes the count.
    ...read,
    name: 'all-docs-include-docs',
    unit: 'call',
    prepare: withDocuments((number) => ({ ...makeSmall(number), _deleted: number % 2 === 1 })),
    async run ({ db }) {
      expectRows((await db.allDocs({ include_docs: true, limit: COUNT })).rows, COUNT)
      await db.post({})
    }
  },
  pullCase('pull-replication-one-generation', 1),
  pullCase('pull-replication-two-generation', 2),
  {
    ...read,
    name: 'changes from 0, 1000 documents',
    unit: 'call',
    prepare: withDocuments(),
    async run ({ db, size }) { expectRows((await db.changes({ since: 0 })).results, size) }
  },
  {
    // Five queries at once with a function, each of which is an index for one use.
    name: 'temp-views',
    unit: 'round of five',
    size: 1200,
    step: 1,
    prepare: withSets,
    run: ({ db }) => queryRanges((range) => db.query((doc, emit) => emit(doc.key), range))
  },
  {
    // The first query of an index builds it: another index each time.
    ...read,
    name: 'build-secondary-index',
    unit: 'build',
    most: 20,
    prepare: withDocuments(() => ({})),
    // The number in it makes the functions differ: equal ones would share an index.
    async ready ({ db }, number) {
      const map = `function (doc) { emit(doc._id, ${number}) }`
      await db.put({ _id: `_design/view-${number}`, views: { myview: { map } } })
    },
    async run ({ db, size }, number) { expectTotal(await db.query(`view-${number}/myview`, { limit: 0 }), size) }
  },
  persistedViews('persisted-views', {}),
  persistedViews('persisted-views-stale-ok', { stale: 'ok' }),
  {
    // The same bytes become an attachment of another new document, each time.
    name: 'basic-attachments',
    unit: 'put',
    size: 0,
    step: 10,
    most: 5000,
    prepare: async (db) => ({ db, content: makeContent(0) }),
    async run ({ db, content }, start, step) {
      for (let number = start; number < start + step; number++) await db.putAttachment(`document-${number}`, 'foo.txt', content, TYPE)
    }
  },
  manyAttachments('many-attachments-base64', {}),
  manyAttachments('many-attachments-binary', { binary: true }),
  {
    // The index is removed again, which is not timed.
    name: 'create-index',
    unit: 'creation',
    size: 1000,
    step: 1,
    prepare: withDocuments(makeKeyed),
    async ready ({ db }) {
      const { indexes } = await db.getIndexes()
      for (const index of indexes.filter(({ ddoc }) => ddoc !== null)) await db.deleteIndex(index)
    },
    async run ({ db }) {
      const { result } = await db.createIndex(INDEX)
      if (result !== 'created') throw new Error(`The index is not created but ${result}`)
    }
  },
  // `find` with an index of `key`, or without one, in a tenth of PouchDB's documents.
  findCase('simple-find-query', true, { key: 'foo' }, () => false),
  findCase('simple-find-query-no-index', false, { key: 'foo' }, () => false),
  findCase('complex-find-query', true, { $and: [{ key: { $gt: 4 } }, { key: { $ne: 7 } }] }, ({ key }) => key > 4 && key !== 7),
  findCase('complex-find-query-no-index', false, { $and: [{ key: { $gt: 4 } }, { key: { $ne: 7 } }] }, ({ key }) => key > 4 && key !== 7),
  findCase('multi-field-query', true, { key: { $gt: 5 }, str: 'foo' }, ({ key, str }) => key > 5 && str === 'foo')
].map((trial) => ({ ...trial, counts: true }))

function bulkInserts (name, most, makeDocs) {
  return {
    ...written,
    name,
    most,
    prepare: async (db) => ({ db, docs: makeDocs() }),
    async run ({ db, docs }) { expectWritten(await db.bulkDocs(docs)) }
  }
}

/** `replicate` from a server of ours, whose time does not count, into a new database each time. */
function pullCase (name, generations) {
  return {
    name,
    unit: 'replication',
    size: 1000,
    step: 1,
    async prepare (db, { folder, size }) {
      const server = await ServerProcess.start('http/potoroo, classic-level', path.join(folder, 'remote'))
      const source = new db.constructor(`${server.url}/source`, { adapter: 'http' })
      await fillGenerations(source, size, generations)
      return { db, source, size, target: null, close: () => server.close() }
    },
    async ready (state, number) {
      await state.target?.destroy()
      state.target = await openSibling(state.db, `target-${number}`)
    },
    async run ({ db, source, target, size }) {
      expectReplicated(await db.constructor.replicate(source, target, { live: false, batch_size: 100 }), size)
    }
  }
}

async function fillGenerations (source, size, generations) {
  let revs = []
  for (let generation = 0; generation < generations; generation++) {
    revs = await source.bulkDocs(Array.from({ length: size }, (_, number) => ({
      _id: documentId(number),
      _rev: revs[number]?.rev,
      foo: (number + generation) / size,
      bar: (size - number + generation) / size
    })))
  }
}

/** The five ranges of an index that is up to date. */
function persistedViews (name, options) {
  return {
    name,
    unit: 'round of five',
    size: 1200,
    step: 1,
    async prepare (db) {
      const state = await withSets(db)
      await db.put({ _id: '_design/myview', views: { myview: { map: 'function (doc) { emit(doc.key) }' } } })
      await db.query('myview/myview')
      return state
    },
    run: ({ db }) => queryRanges((range) => db.query('myview/myview', { ...range, ...options }))
  }
}

/** 100 sets of 12 documents, whose keys are of many types. */
async function withSets (db) {
  const sets = Array.from({ length: 100 }, (_, number) => {
    const fraction = number / 100
    return [null, true, false, -1, 0, 1, 2, 3, fraction, `bar${fraction}`, `foo${fraction}`, `foobar${fraction}`].map((key) => ({ key }))
  })
  for (const results of await Promise.all(sets.map((docs) => db.bulkDocs(docs)))) expectWritten(results)
  return { db }
}

async function queryRanges (query) {
  const ranges = ['foo', 'foobar', 'foo', -1, null].map((startkey) => ({ startkey, limit: 5 }))
  for (const { rows } of await Promise.all(ranges.map(query))) expectRows(rows, 5)
}

/** `get` of a document with 100 attachments, and these. */
function manyAttachments (name, options) {
  return {
    name,
    unit: 'get',
    size: 100,
    step: 1,
    async prepare (db, { size }) {
      const attachments = Array.from({ length: size }, (_, number) => [`att-${number}`, { content_type: TYPE, data: makeContent(number) }])
      await db.put({ _id: 'doc1', _attachments: Object.fromEntries(attachments) })
      return { db, last: `att-${size - 1}`, bytes: makeContent(0).length }
    },
    async run ({ db, last, bytes }) {
      const { data } = (await db.get('doc1', { attachments: true, ...options }))._attachments[last]
      const length = typeof data === 'string' ? data.length * 3 / 4 : data.length
      if (Math.abs(length - bytes) > 2) throw new Error(`${length} bytes and not ${bytes}`)
    }
  }
}

function findCase (name, indexed, selector, isFound) {
  return {
    name,
    unit: 'query',
    size: 1000,
    step: 1,
    async prepare (db, options) {
      const state = await withDocuments(makeKeyed)(db, options)
      if (indexed) await db.createIndex(INDEX)
      const found = Array.from({ length: options.size }, (_, number) => makeKeyed(number)).filter(isFound)
      return { ...state, count: Math.min(found.length, FOUND) }
    },
    async run ({ db, count }) { expectRows((await db.find({ selector })).docs, count) }
  }
}

function makeKeyed (number) {
  return { key: number % 1337, even: number % 2 === 0, random: number * 7919 % 1000 / 1000, str: ['foo', 'bar', 'smang'][number % 3] }
}

function makeSmall (number) {
  return { _id: documentId(number), foo: 'bar', baz: 'quux' }
}

/** 100 members. */
function makeLarge () {
  return Object.fromEntries(Array.from({ length: 100 }, (_, number) => [`hello${number}`, `hey${number}`]))
}

/** A tree of six levels with four branches each, and ten members in each of the 4096 leaves. */
function makeMassive (level = 1) {
  const deepest = level > 6
  return Object.fromEntries(Array.from({ length: deepest ? 10 : 4 }, (_, number) =>
    [`sovery${number}`, deepest ? `${number}cool` : makeMassive(level + 1)]))
}
