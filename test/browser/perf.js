#!/usr/bin/env node
'use strict'

// node test/browser/perf.js [--documents N] [--rounds N] [--adapters level,idb] prints what the first replication of a page in
// Chromium from this server costs, in PouchDB's own way and with pouchdb-fast-sync, by turns: requests, the time by the clock, and
// the CPU time of all of the browser's processes (the server's pool in /dev/shm, PMEM_IS_PMEM_FORCE=1). Documents as in perf/bin/first-sync.js.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { cpuTime, launchChromium, servePage } = require('../support/chromium')
const { fillDatabase } = require('../support/fill-database')
const { ServerProcess } = require('../../perf/lib/http/server-process')
const { documents } = require('../../perf/lib/pouchdb/first-sync-documents')
const { median } = require('../../perf/lib/report/statistics')
const { bundlePlugins } = require('./plugins')

const { values } = parseArgs({ options: { documents: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '3' }, adapters: { type: 'string', default: 'level,idb' } } })
const DOCUMENTS = Number(values.documents)
const WAYS = { PouchDB: false, 'pouchdb-fast-sync': true }

/**
 * @param {{ browser: any, session: any, address: string, url: string }} place
 * @param {string} adapter
 * @param {boolean} isFast
 * @returns {Promise<{ requests: number, milliseconds: number, cpu: number }>}
 */
async function replicated ({ browser, session, address, url }, adapter, isFast) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(address)
  await page.evaluate(async (/** @type {any} */ { adapter, isFast, url }) => {
    const { PouchDB, fastSync } = /** @type {any} */ (globalThis)
    if (isFast) PouchDB.plugin(fastSync)
    const scope = /** @type {any} */ (globalThis)
    scope.requests = 0
    scope.remote = new PouchDB(url, { skip_setup: true, fetch: (/** @type {any} */ asked, /** @type {any} */ options) => { scope.requests++; return PouchDB.fetch(asked, options) } })
    scope.db = new PouchDB('first-sync', { adapter })
    await scope.db.info()
  }, { adapter, isFast, url })
  const [began, cpuBefore] = [performance.now(), await cpuTime(session)]
  const { written, requests } = await page.evaluate(async () => {
    const scope = /** @type {any} */ (globalThis)
    const { docs_written: written } = await scope.db.replicate.from(scope.remote)
    return { written, requests: scope.requests }
  })
  const figures = { requests, milliseconds: performance.now() - began, cpu: 1000 * (await cpuTime(session) - cpuBefore) }
  await context.close()
  if (written !== DOCUMENTS) throw new Error(`${written} documents`)
  return figures
}

async function main () {
  const folder = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'potoroo-first-sync-page-'))
  const server = await ServerProcess.start('http/potoroo, pmem', path.join(folder, 'server'))
  const plugins = await bundlePlugins()
  const site = await servePage(plugins.files)
  const browser = await launchChromium()
  try {
    const url = `${server.url}/first-sync`
    await fillDatabase(url, documents(0, DOCUMENTS))
    const place = { browser, session: await browser.newBrowserCDPSession(), address: site.address, url }
    console.log('adapter, way: requests, ms by the clock, ms of CPU of the browser')
    for (const adapter of values.adapters.split(',')) {
      /** @type {Record<string, any[]>} */
      const rounds = Object.fromEntries(Object.keys(WAYS).map(way => [way, []]))
      // The first is to warm up.
      for (let round = 0; round <= Number(values.rounds); round++) {
        for (const [way, isFast] of Object.entries(WAYS)) {
          const figures = await replicated(place, adapter, isFast)
          if (round > 0) rounds[way].push(figures)
        }
      }
      for (const [way, figures] of Object.entries(rounds)) {
        console.log(`${adapter}, ${way}: ${['requests', 'milliseconds', 'cpu'].map(name => Math.round(median(figures.map(each => each[name])))).join(', ')}`)
      }
    }
  } finally {
    await browser.close()
    site.close()
    plugins.remove()
    await server.close()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
