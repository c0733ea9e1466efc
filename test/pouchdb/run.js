'use strict'

// PouchDB 4.0.3's own tests on our adapters and on our server.
//
//   node test/pouchdb/run.js pmem|classic-level|memory-level|http [--url URL] [--grep PATTERN] [--file NAME] [--skipped]
//
// With a local adapter: the suites on local databases, alone and replicating with the server.
// With http: the suites on the server alone. The server is one of ours on a pool in a temporary
// folder, or the one at `--url`, with an administrator's name and password in it. `--skipped` runs
// the cases that skipped.js lists, and those alone: one that passes should not be listed.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const chai = require('chai')
const { Mocha } = require('mocha')
const seedrandom = require('seedrandom')

const { applySkips, checkSkipped } = require('./skips')
const { selectSuites } = require('./selection')
const { startServer } = require('./server')
const { skippedFiles } = require('./skipped')
const { compareStrings, failOnUnhandledRejections, ignoreReturnedPromises } = require('./stand-in/mocha-2')
const { createPouchDB } = require('./stand-in/pouchdb')
const { createTestUtilities } = require('./stand-in/test-utilities')
const { unpackTests } = require('./tarball')

const packages = {
  pmem: 'pouchdb-adapter-pmem',
  'classic-level': 'pouchdb-adapter-classic-level',
  'memory-level': 'pouchdb-adapter-memory-level',
  http: 'pouchdb-adapter-memory-level'
}

const { values: options, positionals: [adapter = 'pmem'] } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, grep: { type: 'string' }, file: { type: 'string' }, skipped: { type: 'boolean' }, seed: { type: 'string' } }
})

async function main () {
  if (!(adapter in packages)) throw new Error(`No such adapter: ${adapter}. There are: ${Object.keys(packages).join(', ')}`)
  const tests = unpackTests()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-pouchdb-'))
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  const server = options.url ? { url: options.url, stop () {} } : await startServer(folder)
  try {
    prepareGlobals(server.url, folder)
    process.exitCode = await run(tests) ? 0 : 1
  } finally {
    await server.stop()
  }
}

/** Local databases are below ./tmp. */
function prepareGlobals (url, folder) {
  const seed = options.seed ?? String(Date.now())
  console.log(`Seeded with: ${seed}`)
  seedrandom(seed, { global: true })
  chai.use(require('chai-as-promised'))
  compareStrings()
  failOnUnhandledRejections()
  const PouchDB = createPouchDB(packages[adapter])
  Object.assign(globalThis, { PouchDB, testUtils: createTestUtilities(PouchDB, url), should: chai.should() })
  process.chdir(folder)
  fs.mkdirSync('tmp')
}

async function run (tests) {
  const mocha = new Mocha({ timeout: 30_000, grep: options.grep && new RegExp(options.grep), reporter: 'spec', ui: 'bdd' })
  for (const file of testFiles(tests)) mocha.addFile(file)
  mocha.loadFiles()
  ignoreReturnedPromises(mocha.suite)
  selectSuites(mocha.suite, adapter)
  applySkips(mocha.suite, { adapter, only: Boolean(options.skipped) })
  const results = []
  const failures = await new Promise((resolve) => {
    const runner = mocha.run(resolve)
    for (const state of ['pass', 'fail', 'pending']) runner.on(state, (test) => results.push({ state, test }))
  })
  return report(results) && (options.skipped ? checkSkipped(results) : failures === 0)
}

function testFiles (tests) {
  return ['integration', 'mapreduce'].flatMap((folder) => fs.readdirSync(path.join(tests, folder))
    .filter((name) => /^test\..*\.js$/.test(name) && name.includes(options.file ?? '') && !skippedFiles.has(name))
    .map((name) => path.join(tests, folder, name)))
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
