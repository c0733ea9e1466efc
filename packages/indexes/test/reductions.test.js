'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const seedrandom = require('seedrandom')
const { couchCollation } = require('@potoroo/collation')
const { DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { Views } = require('..')
const { distinct, sizeOf } = require('../lib/reduces/distinct-count')
const { assertIntegrity } = require('./integrity')

const RUNS = Number(process.env.REDUCTION_RUNS ?? 4)
const DOCUMENTS = 60

const { compare } = couchCollation
const add = (a, b) => a + b
const unique = values => values.filter((value, i) => values.findIndex(other => compare(other, value) === 0) === i)
const valuesOf = rows => rows.map(({ value }) => value)

/** Reduce functions, and what they make of rows, in plain JavaScript. */
const reduces = {
  _sum: rows => valuesOf(rows).reduce(add, 0),
  _count: rows => rows.length,
  _stats: rows => ({
    sum: valuesOf(rows).reduce(add, 0),
    count: rows.length,
    min: Math.min(...valuesOf(rows)),
    max: Math.max(...valuesOf(rows)),
    sumsqr: valuesOf(rows).map(value => value * value).reduce(add, 0)
  }),
  _approx_count_distinct: rows => sizeOf(distinct(rows.map(({ key }) => key))),
  _top_3: rows => unique(valuesOf(rows)).sort((a, b) => b - a).slice(0, 3),
  _bottom_12: rows => unique(valuesOf(rows)).sort((a, b) => a - b).slice(0, 12),
  _first: rows => rows[0].value,
  _last: rows => rows.at(-1).value,
  'function (keys, values, rereduce) { return rereduce ? sum(values) : keys.map(k => k[1].length).reduce((a, b) => a + b) }':
    rows => rows.map(({ id }) => id.length).reduce(add),
  'function (keys, values) { return Math.max.apply(null, values) }': rows => Math.max(...valuesOf(rows))
}
const sources = Object.keys(reduces)

const part = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(null, true, 'a', 'B', 'é', '\u{1f600}'))
const key = fc.oneof(part, fc.array(part, { maxLength: 3 }))
const long = fc.constantFrom('a', 'b', 'c').map(letter => ['x'.repeat(5000), letter])
const anyKey = fc.oneof({ weight: 20, arbitrary: key }, { weight: 1, arbitrary: long })
const id = fc.integer({ min: 0, max: DOCUMENTS - 1 }).map(idOf)

/** UTF-8 orders some of them other than UTF-16. */
function idOf (number) { return `doc-${['\u{10000}', '\uffff', ''][number % 3]}${number}` }

const seldom = (arbitrary, weight) => fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const query = fc.record({
  kind: fc.constant('query'),
  reduce: fc.constantFrom(...sources),
  bounds: fc.tuple(seldom(anyKey, 1), seldom(anyKey, 1)),
  startId: seldom(id, 3),
  endId: seldom(id, 3),
  inclusive: fc.boolean(),
  descending: fc.boolean(),
  level: fc.constantFrom(0, 0, 1, 2, Infinity),
  keys: seldom(fc.array(anyKey, { maxLength: 5 }), 8),
  skip: fc.constantFrom(0, 0, 0, 1, 5),
  limit: fc.constantFrom(Infinity, Infinity, 1, 4)
}).map(inOrder)

function inOrder ({ bounds: [start, end], ...query }) {
  const isWrong = start !== undefined && end !== undefined && compare(start, end) * (query.descending ? -1 : 1) > 0
  return isWrong ? { ...query, start: end, end: start } : { ...query, start, end }
}

const change = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'remove', 'purge', 'conflict'),
  id,
  rows: fc.constantFrom(0, 1, 40, 80),
  seed: fc.integer()
})
const steps = fc.array(fc.oneof(
  { weight: 6, arbitrary: query },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('changes'), changes: fc.array(change, { minLength: 1, maxLength: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen') }) }
), { minLength: 30, maxLength: 60 })

/** A document's rows: keys that are often the same. */
function rowsOf (count, seed) {
  const random = seedrandom(String(seed))
  const below = most => Math.floor(random() * most)
  const parts = [0, 1, 2, 3, null, true, 'a', 'B', 'é', '\u{1f600}']
  const one = () => parts[below(parts.length)]
  const keyOf = () => {
    if (below(200) === 0) return ['x'.repeat(5000), 'abc'[below(3)]]
    return below(8) === 0 ? one() : Array.from({ length: below(4) }, one)
  }
  return Array.from({ length: count }, () => [keyOf(), below(1000) - 300])
}

/** A database, views over it that share an index, and what documents it should have. */
class World {
  async open (queryServer, level = new MemoryLevel()) {
    this.level = level
    this.queryServer = queryServer
    this.store = await DocumentStore.open(level)
    this.views = new Views({ queryServer })
  }

  async begin (seed) {
    const map = 'function (doc) { doc.rows.forEach(function (row) { emit(row[0], row[1]) }) }'
    const designs = sources.map((reduce, i) => ({ _id: `_design/${i}`, views: { v: { map, reduce } } }))
    const docs = Array.from({ length: DOCUMENTS }, (_, i) => ({ _id: idOf(i), rows: rowsOf(60, `${seed} ${i}`) }))
    await this.store.write([...designs, ...docs])
  }

  async reopen () {
    await this.store.close()
    await this.open(this.queryServer, this.level)
  }

  async change ({ kind, id, rows, seed }) {
    const current = await this.store.get(id).catch(() => undefined)
    const body = { _id: id, rows: rowsOf(rows, seed) }
    if (kind === 'put') await this.store.put({ ...body, _rev: current?.rev })
    else if (kind === 'conflict') await this.store.write([{ ...body, _rev: `1-${String(Math.abs(seed)).padStart(32, 'f')}` }], { newEdits: false })
    else if (current !== undefined && kind === 'remove') await this.store.put({ _id: id, _rev: current.rev, _deleted: true })
    else if (current !== undefined) await this.store.purge({ [id]: [current.rev] })
  }

  /** The rows as they should be, in order. */
  async rows () {
    const found = []
    const { rows } = await this.store.allDocs({ includeDocs: true })
    for await (const page of rows) {
      for (const { id, document } of page) {
        if (!id.startsWith('_')) for (const [key, value] of JSON.parse(document.body).rows) found.push({ id, key, value })
      }
    }
    return found.sort(byOrder)
  }
}

/** Keys that are cut stand in the order of their documents. */
function byOrder (a, b) {
  const areCut = [a, b].every(({ key }) => key?.[0]?.length === 5000)
  return (areCut ? 0 : compare(a.key, b.key)) || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)) || compare(a.key, b.key) || a.value - b.value
}

/** Works out the answer of a query in plain JavaScript. */
function expected (rows, { reduce, level, keys, skip, limit, descending, ...range }) {
  const ranges = keys === undefined ? [range] : keys.map(key => ({ ...range, start: key, end: key }))
  const groups = []
  for (const each of ranges) {
    const own = rows.filter(row => isWithin(row, each, descending)).map(row => ({ ...row, head: headOf(row.key, level) }))
    // Cut keys are not in their order among the others; their groups are.
    own.sort((a, b) => compare(a.head, b.head))
    const inRange = []
    for (const row of own) {
      const last = inRange.at(-1)
      if (last !== undefined && compare(last.key, row.head) === 0) last.rows.push(row)
      else inRange.push({ key: row.head, rows: [row] })
    }
    groups.push(...descending ? inRange.reverse() : inRange)
  }
  return groups.slice(skip, skip + limit).map(({ key, rows }) => ({ key, value: reduces[reduce](rows) }))
}

function headOf (key, level) { return level === 0 ? null : Array.isArray(key) ? key.slice(0, level) : key }

function isWithin ({ key, id }, { start, startId, end, endId, inclusive }, descending) {
  const sign = descending ? -1 : 1
  const order = (bound, boundId) => sign * (compare(key, bound) || (boundId === undefined ? 0 : Buffer.compare(Buffer.from(id), Buffer.from(boundId))))
  if (start !== undefined && order(start, startId) < 0) return false
  if (end === undefined) return true
  const atEnd = order(end, endId)
  return inclusive ? atEnd <= 0 : atEnd < 0
}

async function answer (views, store, { reduce, level, keys, skip, limit, descending, start, startId, end, endId, inclusive }) {
  const range = keys === undefined ? { startkey: start, endkey: end } : { keys }
  const answer = await views.query(store, String(sources.indexOf(reduce)), 'v', {
    ...range, startkey_docid: startId, endkey_docid: endId, inclusive_end: inclusive, descending, skip, limit, ...(level === Infinity ? { group: true } : { group_level: level })
  })
  return (await answer.toObject()).rows
}

function isAsked ({ start, startId, end, endId, keys, level, inclusive }) {
  if (keys !== undefined) return level === Infinity && keys.length !== 1 && startId === undefined && endId === undefined && inclusive
  // Documents do not tell keys apart that are cut.
  return startId === undefined && endId === undefined ? true : [start, end].every(key => key?.[0]?.length !== 5000)
}

describe('reductions', function () {
  this.timeout(600_000 + RUNS * 10_000)

  /** @type {QueryServer} */
  let queryServer
  before(() => { queryServer = new QueryServer() })
  after(() => queryServer.close())

  it('are those of plain JavaScript, whatever is asked and changed', async () => {
    const property = fc.asyncProperty(fc.integer(), steps, async (seed, steps) => {
      const world = new World()
      await world.open(queryServer)
      await world.begin(seed)
      for (const step of steps) {
        if (step.kind === 'changes') for (const change of step.changes) await world.change(change)
        else if (step.kind === 'reopen') await world.reopen()
        else if (isAsked(step)) assert.deepEqual(await answer(world.views, world.store, step), expected(await world.rows(), step))
      }
      await assertIntegrity(world.store)
      await world.store.close()
    })
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
  })

  it('are right after rows changed while they were worked out', async () => {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-'))
    const level = new ClassicLevel(folder)
    const world = new World()
    await world.open(queryServer, level)
    await world.begin(1)
    const range = { keys: undefined, skip: 0, limit: Infinity, descending: false, inclusive: true, level: 0 }
    for (let round = 0; round < 4; round++) {
      const writer = { isDone: false }
      const write = async () => {
        for (let i = 0; i < 12; i++) {
          await world.change({ kind: 'put', id: idOf((round * 7 + i * 5) % DOCUMENTS), rows: 60 + i, seed: round * 100 + i })
          await (await world.views.query(world.store, '0', 'v', { reduce: false, limit: 1 })).close()
        }
        writer.isDone = true
      }
      const read = async reduce => {
        for (let start = 0; !writer.isDone; start = (start + 1) % 4) await answer(world.views, world.store, { ...range, reduce, start })
      }
      await Promise.all([write(), ...sources.slice(-3).map(read)])
      await assertIntegrity(world.store)
      for (const reduce of sources.slice(-3)) {
        for (const start of [0, 1, 2]) assert.deepEqual(await answer(world.views, world.store, { ...range, reduce, start }), expected(await world.rows(), { ...range, reduce, start }))
      }
    }
    await world.store.close()
    await level.close()
    await fs.rm(folder, { recursive: true })
  })
})
