'use strict'

const path = require('node:path')
const { openPouchDB } = require('../pouchdb/database')
const { MemoryMeter } = require('./memory-meter')

const PAGE = 1000

/** MiB that nothing may take above an empty database. */
const LIMIT = 200

const documentOf = (number) => ({
  _id: `document-${String(number).padStart(9, '0')}`, number, name: `A document, the ${number}th of many`, tags: ['one', 'two', 'three'], text: 'x'.repeat(100)
})

async function insert (db, count, meter) {
  for (let at = 0; at < count; at += PAGE) {
    const results = await db.bulkDocs(Array.from({ length: Math.min(PAGE, count - at) }, (_, i) => documentOf(at + i)))
    if (!results.every(({ ok }) => ok)) throw new Error('A document was refused')
    meter.look()
  }
}

async function readAll (db, count, meter) {
  let seen = 0
  for (let options = {}; ;) {
    const { rows } = await db.allDocs({ include_docs: true, limit: PAGE, ...options })
    meter.look()
    seen += rows.length
    if (rows.length < PAGE) break
    options = { startkey: rows.at(-1).id, skip: 1 }
  }
  if (seen !== count) throw new Error(`${seen} documents instead of ${count}`)
}

async function readChanges (db, count, meter) {
  let seen = 0
  for (let since = 0; ;) {
    const { results, last_seq: last } = await db.changes({ since, limit: PAGE, include_docs: true })
    meter.look()
    seen += results.length
    if (results.length < PAGE) break
    since = last
  }
  if (seen !== count) throw new Error(`${seen} changes instead of ${count}`)
}

/** Nothing of ours runs while the index is built, so a clock looks. */
async function buildIndex (db, count, meter) {
  await db.put({ _id: '_design/all', views: { names: { map: 'function (doc) { emit(doc.name, doc.number) }', reduce: '_stats' } } })
  const timer = setInterval(() => meter.look(), 10)
  const { total_rows: total } = await db.query('all/names', { reduce: false, limit: 0 })
  clearInterval(timer)
  if (total !== count) throw new Error(`${total} rows instead of ${count}`)
}

async function queryAll (db, count, meter) {
  let seen = 0
  for (let options = {}; ;) {
    const { rows } = await db.query('all/names', { reduce: false, limit: PAGE, ...options })
    meter.look()
    seen += rows.length
    if (rows.length < PAGE) break
    options = { startkey: rows.at(-1).key, skip: 1 }
  }
  if (seen !== count) throw new Error(`${seen} rows instead of ${count}`)
}

/** Bytes that are in use. */
function heap () {
  global.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Feeds that hear of 100 more documents. */
async function listen (db, followers, meter) {
  const before = heap()
  let heard = 0
  const feeds = Array.from({ length: followers }, () => db.changes({ live: true, since: 'now', include_docs: true }).on('change', () => heard++))
  await db.info()
  const each = (heap() - before) / 1024 / followers
  const all = new Promise((resolve) => feeds.at(-1).on('change', () => { if (heard === followers * 100) resolve() }))
  await db.bulkDocs(Array.from({ length: 100 }, (_, i) => ({ _id: `later-${i}`, text: 'x'.repeat(1000) })))
  await all
  meter.look()
  for (const feed of feeds) feed.cancel()
  console.log(`${''.padEnd(26)}a live feed takes ${each.toFixed(1)} KiB`)
}

async function main () {
  const [adapter, folder, documents, followers, part] = process.argv.slice(2)
  const plugin = require(`pouchdb-adapter-${adapter}`)
  const db = await openPouchDB(plugin, { adapter }, path.join(folder, 'memory'))
  await db.put({ _id: 'first', name: '', number: -1 })
  const meter = new MemoryMeter(adapter)
  const count = Number(documents)
  await meter.measure('insert', () => insert(db, count, meter))
  if (part === 'index') {
    await meter.measure('index', () => buildIndex(db, count + 1, meter))
    await meter.measure('query', () => queryAll(db, count + 1, meter))
  } else {
    await meter.measure('allDocs', () => readAll(db, count + 1, meter))
    await meter.measure('changes', () => readChanges(db, count + 1, meter))
    await meter.measure('live feeds', () => listen(db, Number(followers), meter))
  }
  await db.close()
  if (meter.most > LIMIT) process.exitCode = 1
}

main()
