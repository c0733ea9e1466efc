'use strict'

// PouchDB in Chromium: pouchdb-adapter-level beside PouchDB's idb and indexeddb, in turns.
//
//   node test/pouchdb/page/perf.js [--documents 5000] [--rounds 3] [--only sync,bulkDocs,…]
//
// Prints for each trial the median of seconds by the clock, and of seconds of CPU of all of the browser's processes.

const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { bundle } = require('../../../adapters/pouchdb-adapter-level/scripts/bundle')
const { median } = require('../../../perf/lib/report/statistics')
const { cpuTime, launchChromium, servePage } = require('../../support/chromium')
const { fillDatabase } = require('../../support/fill-database')
const { startServer } = require('../server')

const { values: options } = parseArgs({
  options: { documents: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '3' }, only: { type: 'string' }, adapters: { type: 'string', default: 'level,idb,indexeddb' } }
})

/** Each is run in the page, on `db`, in this order; some use what those before have left. */
const trials = {
  bulkDocs: async ({ count }) => {
    for (let at = 0; at < count; at += 500) await window.db.bulkDocs(window.documents(at, 500))
  },
  put: async () => { for (let i = 0; i < 300; i++) await window.db.put({ _id: `put-${i}`, n: i }) },
  get: async () => { for (let i = 0; i < 1000; i++) await window.db.get(`doc-${10000 + i}`) },
  allDocs: async () => { await window.db.allDocs({ include_docs: true }) },
  update: async () => {
    const { rows } = await window.db.allDocs({ startkey: 'doc-', endkey: 'doc-\uffff' })
    await window.db.bulkDocs(rows.slice(0, 1000).map(({ id, value }) => ({ _id: id, _rev: value.rev, n: -1 })))
  },
  createIndex: async () => {
    await window.db.createIndex({ index: { fields: ['type', 'n'] } })
    await window.db.find({ selector: { type: 'type-3', n: { $gt: 0 } }, limit: 1 })
  },
  find: async () => { for (let i = 0; i < 20; i++) await window.db.find({ selector: { type: `type-${i % 10}`, n: { $gt: 100 } }, limit: 50 }) },
  findAll: async () => { for (let i = 0; i < 3; i++) await window.db.find({ selector: { $or: [{ n: i }, { n: i + 7 }] } }) },
  sync: async ({ url, adapter }) => {
    const copy = new window.PouchDB(`copy-${adapter}`, { adapter })
    const { docs_written: written } = await copy.replicate.from(url)
    if (written < 1000) throw new Error(`only ${written} documents came`)
  }
}

async function runAdapter ({ browser, session, address, url }, adapter, results) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(address)
  await page.evaluate(`window.documents = ${documents}`)
  await page.evaluate((adapter) => {
    window.db = new window.PouchDB(`perf-${adapter}`, { adapter })
    return window.db.info()
  }, adapter)
  for (const [name, trial] of Object.entries(trials)) {
    if (options.only !== undefined && !options.only.split(',').includes(name) && name !== 'bulkDocs') continue
    const [started, spent] = [performance.now(), await cpuTime(session)]
    await page.evaluate(trial, { adapter, count: Number(options.documents), url })
    const figures = { clock: (performance.now() - started) / 1000, cpu: await cpuTime(session) - spent }
    results[name] ??= {}
    results[name][adapter] ??= []
    results[name][adapter].push(figures)
  }
  await context.close()
}

function print (results) {
  for (const [name, adapters] of Object.entries(results)) {
    const said = Object.entries(adapters).map(([adapter, figures]) =>
      `${adapter} ${median(figures.map(({ clock }) => clock)).toFixed(2)} s (CPU ${median(figures.map(({ cpu }) => cpu)).toFixed(2)})`)
    console.log(`${name.padEnd(12)} ${said.join('   ')}`)
  }
}

/** @param {number} from @param {number} count */
function documents (from, count) {
  return Array.from({ length: count }, (_, i) => ({
    _id: `doc-${10000 + from + i}`, n: from + i, type: `type-${(from + i) % 10}`, text: 'some words of a document '.repeat(8), tags: ['a', 'b', `${i}`]
  }))
}

async function main () {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-perf-browser-'))
  await bundle(folder)
  const server = await startServer(folder)
  const url = `${server.url}/perf-browser`
  await fillDatabase(url, documents(0, Number(options.documents)))
  const distribution = path.dirname(require.resolve('pouchdb/dist/pouchdb.js'))
  const own = ['pouchdb', 'pouchdb.find', 'pouchdb.indexeddb'].map(name => path.join(distribution, `${name}.min.js`))
  const site = await servePage([...own, path.join(folder, 'pouchdb.level.min.js')])
  const browser = await launchChromium()
  const session = await browser.newBrowserCDPSession()
  const results = {}
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const adapter of options.adapters.split(',')) await runAdapter({ browser, session, address: site.address, url }, adapter, results)
  }
  print(results)
  await browser.close()
  site.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
}).then(() => process.exit())
