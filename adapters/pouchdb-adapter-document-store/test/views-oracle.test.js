'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-memory'))
  .plugin(require('pouchdb-adapter-memory-level'))
  .plugin(require('pouchdb-mapreduce'))
  .plugin(require('pouchdb-find'))

/** PouchDB's own adapter in memory with its own views is the oracle. */
const unit = fc.oneof(fc.constantFrom('a', 'b', 'B', 'é', '\0', '\u0001', '\u0002', '\ud83d\ude00', '\ufffd'), fc.integer({ min: 32, max: 126 }).map(code => String.fromCharCode(code)))
const text = fc.array(unit, { maxLength: 3 }).map(units => units.join(''))
const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.5, -0.5, 1e9, -1e9))
const { value } = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small', maxDepth: 2 }, fc.constantFrom(null, false, true), number, text, fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 2 }))
}))
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'é', 'A')
const body = fc.record({ a: value, b: value, n: number, list: fc.array(value, { maxLength: 3 }) }, { requiredKeys: [] })
// PouchDB takes revisions of different generations for one where their hashes are the same.
const rev = fc.integer({ min: 1, max: 3 }).chain(generation => fc.constantFrom(...'0123456789abcdef').map(digit => `${generation}-${generation}${digit.repeat(31)}`))
const edit = fc.oneof(
  fc.record({ kind: fc.constant('put'), id, body }),
  fc.record({ kind: fc.constant('remove'), id }),
  fc.record({ kind: fc.constant('replicate'), id, body, rev, deleted: fc.boolean() })
)
const edits = fc.array(edit, { maxLength: 12 })

const maps = [
  function (doc) { emit(doc.a) },
  function (doc) { emit(doc.a, doc.b); emit(doc.b, doc.a) },
  function (doc) { emit([doc.a, doc.n], doc.n) },
  function (doc) { doc.list.forEach(function (each) { emit(each, doc.n) }) },
  function (doc) { if (doc._conflicts) emit(doc._conflicts, { _id: 'a' }) },
  function (doc) { emit(typeof doc.n, { _id: doc.a }); emit('n', doc.n) },
  function (doc) { emit(doc.n, doc.n) },
  function (doc) { doc.a = 1; emit(doc._id, doc) },
  function (doc) { emit([doc.n, doc._id, 1], [doc.n, 1]) }
].map(String)
/** `_stats` of anything but numbers is another in PouchDB 9.0.0 than since. */
const numbers = 'function (doc) { if (typeof doc.n === "number") emit([doc.a, doc.b], doc.n) }'
const reduces = [undefined, '_count', '_sum', 'function (keys, values, rereduce) { return [keys, values, rereduce] }', 'function (keys, values) { return sum(values) }']

const view = fc.oneof(
  fc.record({ map: fc.constantFrom(numbers, ...maps), reduce: fc.constantFrom(...reduces) }),
  fc.constant({ map: numbers, reduce: '_stats' })
)

const key = fc.oneof(value, number, fc.tuple(value, number))
const options = fc.record({
  key, startkey: key, endkey: key, start_key: key, end_key: key,
  keys: fc.array(key, { maxLength: 3 }),
  inclusive_end: fc.boolean(), descending: fc.boolean(),
  limit: fc.integer({ min: -1, max: 5 }), skip: fc.integer({ min: 0, max: 3 }),
  reduce: fc.boolean(), group: fc.boolean(), group_level: fc.integer({ min: 0, max: 3 }),
  include_docs: fc.boolean(), conflicts: fc.boolean(), update_seq: fc.boolean(), stale: fc.constantFrom('ok', undefined)
}, { requiredKeys: [] })
  // Each takes part in one query of four, or hardly any would have an answer.
  .chain(all => fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 17, maxLength: 17 })
    .map(chances => Object.fromEntries(Object.entries(all).filter((entry, i) => chances[i] === 0))))

/**
 * PouchDB reduces all groups and then drops those beyond the limit; here those are not even read, so
 * that what they hold is no error.
 */
function comparable (options, reduce) {
  const { limit, keys, ...others } = options
  if (reduce !== '_sum' && reduce !== '_stats') return { ...options }
  return keys?.length > 0 ? { ...others, keys } : others
}

let serial = 0

function open () {
  serial++
  const databases = ['memory', 'memory-level'].map(adapter => new PouchDB(`views-oracle-${serial}`, { adapter }))
  for (const db of databases) db.on('error', () => {}) // of functions
  return databases
}

/** With revisions made here, for PouchDB and the document store do not make the same. */
async function apply (db, { kind, id, body, rev, deleted }, hash) {
  if (kind === 'replicate') return db.bulkDocs([{ ...body, _id: id, _rev: rev, ...(deleted && { _deleted: true }) }], { new_edits: false })
  const current = await db.get(id, { revs: true }).catch(() => undefined)
  if (current === undefined && kind === 'remove') return
  const { start, ids } = current?._revisions ?? { start: 0, ids: [] }
  const doc = kind === 'remove' ? { _deleted: true } : body
  return db.bulkDocs([{ ...doc, _id: id, _rev: `${start + 1}-${hash}`, _revisions: { start: start + 1, ids: [hash, ...ids] } }], { new_edits: false })
}

async function applyAll (databases, edits) {
  for (const edit of edits) {
    const hash = String(++serial).padStart(32, '0')
    await Promise.all(databases.map(db => apply(db, edit, hash)))
  }
}

/** What came of it, as data. */
async function outcome (promise) {
  try {
    return JSON.parse(JSON.stringify(await promise))
  } catch ({ status, name, message }) {
    return { status, name, message }
  }
}

async function both ([oracle, ours], action) {
  const expected = await outcome(action(oracle))
  const actual = await outcome(action(ours))
  assert.deepEqual(actual, expected)
  return actual
}

async function inBoth (databases, body) {
  try {
    await body(databases)
  } finally {
    await Promise.all(databases.map(db => db.destroy()))
  }
}

describe('queries are answered as by PouchDB\'s own', function () {
  this.timeout(120_000)

  it('of views in design documents, with edits in between', () => fc.assert(fc.asyncProperty(
    view, fc.array(fc.tuple(edits, fc.array(options, { maxLength: 4 })), { minLength: 1, maxLength: 3 }),
    ({ map, reduce }, rounds) => inBoth(open(), async databases => {
      await applyAll(databases, [{ kind: 'put', id: '_design/d', body: { views: { v: { map, reduce } } } }])
      for (const [edits, queries] of rounds) {
        await applyAll(databases, edits)
        for (const options of queries) await both(databases, db => db.query('d/v', comparable(options, reduce)))
      }
    })
  ), { numRuns: 150 }))

  it('of temporary views', () => fc.assert(fc.asyncProperty(
    view, edits, fc.array(options, { minLength: 1, maxLength: 4 }),
    ({ map, reduce }, edits, queries) => inBoth(open(), async databases => {
      await applyAll(databases, edits)
      for (const { stale, ...options } of queries) {
        await both(databases, db => db.query({ map, reduce }, comparable(options, reduce)))
        await both(databases, db => db.query({ map: (doc, emit) => { emit(doc.a, doc); emit(doc.n) }, reduce: reduce && '_count' }, comparable(options, reduce)))
      }
    })
  ), { numRuns: 100 }))
})
