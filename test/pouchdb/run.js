'use strict'

// PouchDB's own tests on our adapters and on our server: those of PouchDB 4.0.3 and pouchdb-find
// 0.10.5, or with --suite today's, from a checkout of github.com/apache/pouchdb.
//
//   node test/pouchdb/run.js pmem|classic-level|level|memory-level|http [--folder pouchdb|find]
//   node test/pouchdb/run.js pmem|classic-level|level|memory-level|http --suite CHECKOUT [--folder integration|mapreduce|find]
//     and [--url URL] [--grep PATTERN] [--file NAME] [--seed SEED] [--skipped]
//
// `memory` is PouchDB's own adapter, to see what is ours and what is a change in PouchDB.
// With a local adapter: the suites on local databases, alone and replicating with the server.
// With http: the suites on the server alone. The server is one of ours on a pool in a temporary
// folder, or the one at `--url`, with an administrator's name and password in it. `--skipped` runs
// the cases that skipped.js or skipped-today.js lists, and those alone: one that passes should not
// be listed.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const chai = require('chai')
const { Mocha } = require('mocha')
const seedrandom = require('seedrandom')

const { testsOfToday } = require('./checkout')
const { testsOfRelease } = require('./release')
const { selectSuites } = require('./selection')
const { startServer } = require('./server')
const { applySkips, checkSkipped } = require('./skips')

/**
 * @typedef {object} Tests
 * @property {Array<{ name: string, files: string[], named: boolean }>} groups each is run by itself;
 *   `named` where suites name the kinds of database that they run on
 * @property {import('./skips').Skipped[]} skipped
 * @property {() => Record<string, any>} globals what the tests find in their world
 * @property {(root: import('mocha').Suite) => void} prepare
 */

const packages = {
  pmem: 'pouchdb-adapter-pmem',
  'classic-level': 'pouchdb-adapter-classic-level',
  level: 'pouchdb-adapter-level',
  'memory-level': 'pouchdb-adapter-memory-level',
  http: 'pouchdb-adapter-memory-level',
  memory: 'pouchdb-adapter-memory'
}

const { values: options, positionals: [adapter = 'pmem'] } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string' },
    folder: { type: 'string' },
    url: { type: 'string' },
    grep: { type: 'string' },
    file: { type: 'string' },
    skipped: { type: 'boolean' },
    seed: { type: 'string' }
  }
})

async function main () {
  if (!(adapter in packages)) throw new Error(`No such adapter: ${adapter}. There are: ${Object.keys(packages).join(', ')}`)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-pouchdb-'))
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  const server = options.url ? { url: options.url, stop () {} } : await startServer(folder)
  try {
    const tests = findTests(server.url)
    prepareGlobals(tests, folder)
    process.exitCode = await runGroups(tests) ? 0 : 1
  } finally {
    await server.stop()
  }
}

/** @returns {Tests} */
function findTests (url) {
  const { suite, folder } = options
  const known = { adapter, package: packages[adapter], url, folder }
  return suite === undefined ? testsOfRelease(known) : testsOfToday(suite, known)
}

/** Local databases are below ./tmp. */
function prepareGlobals (tests, folder) {
  const seed = options.seed ?? String(Date.now())
  console.log(`Seeded with: ${seed}`)
  seedrandom(seed, { global: true })
  chai.use(require('chai-as-promised'))
  process.chdir(folder)
  fs.mkdirSync('tmp')
  Object.assign(globalThis, tests.globals())
}

async function runGroups (tests) {
  const results = []
  let failures = 0
  for (const group of tests.groups) failures += await run(tests, group, results)
  return report(results) && (options.skipped ? checkSkipped(results, tests.skipped) : failures === 0)
}

/** @returns {Promise<number>} failures; each test's state is added to `results` */
async function run (tests, { name, files, named }, results) {
  const mocha = new Mocha({ timeout: 120_000, grep: options.grep && new RegExp(options.grep), reporter: 'spec', ui: 'bdd' })
  console.log(`\n${name}`)
  for (const file of files) {
    if (path.basename(file).includes(options.file ?? '')) mocha.addFile(file)
  }
  mocha.loadFiles()
  tests.prepare(mocha.suite)
  if (named) selectSuites(mocha.suite, adapter)
  applySkips(mocha.suite, tests.skipped, { adapter, only: Boolean(options.skipped) })
  return new Promise((resolve) => {
    const runner = mocha.run(resolve)
    for (const state of ['pass', 'fail', 'pending']) runner.on(state, (test) => results.push({ state, test }))
  })
}

/** Counts as JSON: on the last line, and where scripts/test.js looks for them. */
function report (results) {
  const count = (state) => results.filter((result) => result.state === state).length
  const counts = JSON.stringify({ passed: count('pass'), failed: count('fail'), skipped: count('pending') })
  const file = process.env.TEST_COUNTS_FILE
  if (file) fs.writeFileSync(file, counts)
  console.log(counts)
  return results.length > 0
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

// Whatever a test of 2015 leaves open must not keep the process.
main().catch((error) => {
  console.error(error)
  process.exitCode = 1
}).then(() => process.exit())
