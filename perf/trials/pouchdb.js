'use strict'

const { documentId, makeContent, makeDocument, makeDocuments } = require('../lib/data/samples')
const { expectRows, expectWritten } = require('../lib/data/expect')
const { withDatabase, withDocuments } = require('../lib/pouchdb/database')

const COUNT = 100
const WRITERS = 1000
const GROUPS = 10
const TYPE = 'application/octet-stream'

const written = { unit: 'call', size: 0, step: 1, most: 500, durable: true, prepare: withDatabase }
const read = { size: 1000, step: 1, prepare: withDocuments() }

/** @type {import('../lib/run/catalogue').Trial[]} PouchDB's own cases, and then ours. */
module.exports = [
  ...require('./pouchdb-suite'),
  {
    ...read,
    name: 'get',
    unit: 'document',
    step: 100,
    async run ({ db, size }, start, step) {
      // A step that has no divisor in common with the usual sizes, so neighbours are not read together.
      for (let index = start; index < start + step; index++) await db.get(documentId(index * 7919 % size))
    }
  },
  {
    ...written,
    name: `bulkDocs of ${COUNT}`,
    async run ({ db }, start) { expectWritten(await db.bulkDocs(makeDocuments(start * COUNT, COUNT))) }
  },
  {
    // They are the same documents, again and again.
    ...written,
    name: `${COUNT} updates by bulkDocs`,
    size: COUNT,
    async prepare (db) {
      const documents = makeDocuments(0, COUNT)
      keepRevisions(documents, await db.bulkDocs(documents))
      return { db, documents }
    },
    async run ({ db, documents }, start) {
      for (const document of documents) document.age = start
      keepRevisions(documents, await db.bulkDocs(documents))
    }
  },
  {
    ...read,
    name: `allDocs of ${COUNT}, include_docs`,
    unit: 'call',
    async run ({ db, size }, start) {
      const first = start * COUNT % (size - COUNT + 1)
      const { rows } = await db.allDocs({ include_docs: true, startkey: documentId(first), limit: COUNT })
      expectRows(rows, COUNT)
      if (rows[0].doc._id !== documentId(first)) throw new Error(`Not the document: ${rows[0].doc._id}`)
    }
  },
  {
    ...read,
    name: 'query, nothing changed',
    unit: 'query',
    step: 10,
    async prepare (db, options) {
      const state = await read.prepare(db, options)
      await db.put({ _id: '_design/people', views: { 'by-name': { map: 'function (doc) { emit(doc.name) }' } } })
      await db.query('people/by-name')
      return state
    },
    async run ({ db, size }, start, step) {
      for (let index = start; index < start + step; index++) {
        expectRows((await db.query('people/by-name', { key: `Person number ${index % size}` })).rows, 1)
      }
    }
  },
  {
    // The writers do not wait for each other.
    ...written,
    name: `put by ${WRITERS} at once`,
    unit: 'document',
    step: WRITERS,
    most: 20_000,
    async run ({ db }, start, step) {
      expectWritten(await Promise.all(makeDocuments(start, step).map((document) => db.put(document))))
    }
  },
  {
    // After 1000 updates its oldest revisions are forgotten.
    name: 'update of one document with 1000 revisions',
    unit: 'put',
    size: 1000,
    step: 20,
    async prepare (db, { size }) {
      const state = { db, document: makeDocument(0) }
      await this.run(state, 0, size)
      return state
    },
    async run ({ db, document }, start, step) {
      for (let number = start; number < start + step; number++) {
        document.age = number
        document._rev = (await db.put(document)).rev
      }
    }
  },
  {
    name: 'getAttachment of 50,000 bytes',
    unit: 'call',
    size: 100,
    step: 10,
    async prepare (db, { size }) {
      for (let number = 0; number < size; number++) await db.putAttachment(`document-${number}`, 'foo.bin', makeContent(number), TYPE)
      return { db, size, bytes: makeContent(0).length }
    },
    async run ({ db, size, bytes }, start, step) {
      for (let number = start; number < start + step; number++) {
        const content = await db.getAttachment(`document-${number % size}`, 'foo.bin')
        if (content.length !== bytes) throw new Error(`${content.length} bytes and not ${bytes}`)
      }
    }
  },
  // Eight of ten groups, as one.
  reduceQuery('reduce of a wide range', { startkey: [1], endkey: [8, {}] }, (sums) => [sums.slice(1, 9).reduce((sum, each) => sum + each)]),
  reduceQuery('reduce of ten groups', { group_level: 1 }, (sums) => sums)
]

function keepRevisions (documents, results) {
  expectWritten(results)
  for (const [index, { rev }] of results.entries()) documents[index]._rev = rev
}

/**
 * A reduction of a view in which nothing has changed. The documents are in groups that are all as
 * large.
 *
 * @param {string} name
 * @param {Record<string, any>} options of the query
 * @param {(sums: number[]) => number[]} expected values, by the sums of the groups
 */
function reduceQuery (name, options, expected) {
  return {
    name,
    unit: 'query',
    size: 10_000,
    step: 1,
    async prepare (db, { size }) {
      await withDocuments(makeMember)(db, { size })
      const map = 'function (doc) { emit([doc.group, doc.number], doc.number) }'
      await db.put({ _id: '_design/members', views: { sums: { map, reduce: '_sum' } } })
      // The first ones build the index, and what reductions go by.
      for (let i = 0; i < 3; i++) await db.query('members/sums', options)
      const sums = new Array(GROUPS).fill(0)
      for (let number = 0; number < size; number++) sums[number % GROUPS] += number
      return { db, wanted: expected(sums) }
    },
    async run ({ db, wanted }) {
      const { rows } = await db.query('members/sums', options)
      expectRows(rows, wanted.length)
      for (let i = 0; i < wanted.length; i++) if (rows[i].value !== wanted[i]) throw new Error(`${rows[i].value} and not ${wanted[i]}`)
    }
  }
}

function makeMember (number) {
  return { _id: `doc-${String(number).padStart(7, '0')}`, group: number % GROUPS, number }
}
