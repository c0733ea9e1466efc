'use strict'

const { expectWritten } = require('./load')

const SETS = 100

/** Keys of many types; 12 documents a set. */
const KEYS = [null, true, false, -1, 0, 1, 2, 3]
const WORDS = ['bar', 'foo', 'foobar']

function makeSet (number) {
  const fraction = number / SETS
  return [...KEYS, fraction, ...WORDS.map((word) => word + fraction)].map((key) => ({ key }))
}

/** The ranges that PouchDB's cases query, all at once. */
const RANGES = [
  { startkey: 'foo', limit: 5 },
  { startkey: 'foobar', limit: 5 },
  { startkey: 'foo', limit: 5 },
  { startkey: -1, limit: 5 },
  { startkey: null, limit: 5 }
]

/** 1200 documents. */
async function loadKeys (db) {
  const sets = await Promise.all(Array.from({ length: SETS }, (_, number) => db.bulkDocs(makeSet(number))))
  sets.forEach(expectWritten)
}

/** A case of PouchDB's: the five ranges of an index that is up to date. */
function persistedViews (name, options) {
  return {
    name,
    unit: 'round of five',
    counts: true,
    size: SETS * (KEYS.length + 1 + WORDS.length),
    step: 1,
    async prepare (db) {
      await loadKeys(db)
      await db.put({ _id: '_design/myview', views: { myview: { map: 'function (doc) { emit(doc.key) }' } } })
      await db.query('myview/myview')
      return { db }
    },
    async run ({ db }) {
      await queryRanges((range) => db.query('myview/myview', { ...range, ...options }))
    }
  }
}

async function queryRanges (query) {
  for (const { rows } of await Promise.all(RANGES.map(query))) {
    if (rows.length !== 5) throw new Error(`${rows.length} rows and not 5`)
  }
}

module.exports = { loadKeys, queryRanges, persistedViews }
