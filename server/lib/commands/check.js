'use strict'

const path = require('node:path')
const { checkDatabases } = require('@potoroo/document-store')
const { setTimeout: sleep } = require('node:timers/promises')
const { faultsOf } = require('../storage/damage-report')
const { several, size } = require('../import/words')
const { escapeControls } = require('../log/safe-text')
const { describe } = require('../service/scrub')
const { openStorage } = require('../storage/open-storage')
const { demandDatabases } = require('../storage/data-folder')
const { Meter } = require('./meter')
const { withServer } = require('./server-option')
const { runConnected, runTask } = require('./task')

/** @typedef {import('commander').Command} Command */

/** Problems that are printed; the rest is counted. */
const SHOWN = 1000

/** Milliseconds between looks at how far a server is. */
const BETWEEN_LOOKS = 100

/** `potoroo check`: 0 all is well, 1 it could not be checked, 2 there are problems, 130 stopped. */
module.exports = (/** @type {Command} */ program) => {
  withServer(program.command('check'), { meanwhile: true, alias: 'online' })
    .description('read all databases of a data folder and say what in them does not agree')
    .option('--data <folder>', 'the data folder; where the databases are in a pool, a server may have it open', 'potoroo-data')
    .addHelpText('after', `
The storage checks itself when it is opened: a pool its roots and its log, LevelDB its files. Of a pool the
checksums of all pages and values are verified then, and what fails is told by its document. Then all documents
are read: their revisions, bodies, sequences and attachments with their digests, and the
totals of each database. No document is changed; what opening sets right, such as LevelDB's log or a
pool of an earlier layout, is set right. Rows of indexes are not compared with the documents that
they are made of; an index that is in doubt is made anew when its design document changes. Of a
database of which something is damaged the rest is read, and its counts are not compared.

What a crash left and the next start removes, such as an attachment whose upload was cut off, is no
problem: it is listed on standard error as a note, and counted apart.

With --server a server reads all of its pool anew and verifies each checksum, then checks its databases, each
as it is at one moment. LevelDB's checksums cannot be verified so.

Exit codes: 0, all is well; 2, there are problems, one a line on standard output; 1, it could not be
checked.

Examples:
  $ potoroo check --data ./potoroo-data
  $ potoroo check --server http://localhost:5984
  $ potoroo check --data ./potoroo-data || mail -s 'databases are damaged' me`)
    .action(options => {
      if (options.server !== undefined) return runConnected(options, checkOnline)
      const data = path.resolve(options.data)
      return runTask({ data, server: true }, signal => check(data, signal))
    })
}

/** @param {string} data @param {AbortSignal} signal */
async function check (data, signal) {
  demandDatabases(data, { server: true })
  const { level, close } = await openToRead(data)
  let problems = 0
  let leftovers = 0
  /** @param {string} sentence */
  const onLeftover = sentence => {
    if (leftovers++ < SHOWN) process.stderr.write(`Note: ${escapeControls(sentence)}\n`)
  }
  try {
    const faults = await faultsOf(level, signal)
    for await (const problem of checkDatabases(level, { prefix: 'databases/', onLeftover, faults })) {
      signal.throwIfAborted()
      if (problems++ < SHOWN) process.stdout.write(`${escapeControls(problem)}\n`)
    }
  } finally {
    await close()
  }
  process.stderr.write(`${problems === 0 ? 'No problems' : several(problems, 'problem')}.${cleared(leftovers)}\n`)
  return problems === 0 ? 0 : 2
}

/**
 * @param {import('./connection').Connection} connection
 * @param {AbortSignal} signal
 */
async function checkOnline (connection, signal) {
  /** @param {string} method */
  const ask = method => connection.demand(method, '/_scrub', method === 'POST' ? {} : undefined, signal)
  await ask('POST')
  const meter = new Meter(process.stderr, 'Checking')
  let status
  try {
    for (status = await ask('GET'); status.running; status = await ask('GET')) {
      meter.update(status.bytes, status.total, `${size(status.bytes)} read`)
      await sleep(BETWEEN_LOOKS, undefined, { signal })
    }
  } finally {
    meter.stop()
  }
  if (status.failed !== null) throw new Error(`the server could not read all of it: ${status.failed}`)
  for (const problem of [...status.faults.map(describe), ...status.problems]) process.stdout.write(`${escapeControls(problem)}\n`)
  process.stderr.write(`${status.errors === 0 ? 'No problems' : several(status.errors, 'problem')}; ${verifiedInWords(status)}.\n`)
  return status.errors === 0 ? 0 : 2
}

/** @param {{ verifies: boolean, bytes: number }} verified */
function verifiedInWords ({ verifies, bytes }) {
  if (!verifies) return 'only documents and counts were compared: LevelDB has no checksums to verify here'
  // A server that is new, or has written little, has had no checkpoint.
  if (bytes === 0) return 'only documents and counts were compared: all data is still in the log, which is verified whenever the pool is opened'
  return `${size(bytes)} verified`
}

/** Only opening for writing brings in order what a power cut tore, and an older layout. */
const NEEDS_WRITER = new Set(['LEVEL_PMEM_OLDER_LAYOUT', 'LEVEL_CORRUPTION'])

/** @param {string} folder */
async function openToRead (folder) {
  const options = /** @type {any} */ ({ folder, allowVolatile: true })
  try {
    return await openStorage({ ...options, readOnly: true })
  } catch (error) {
    if (!NEEDS_WRITER.has((error.cause ?? error).code)) throw error
    return await openStorage(options)
  }
}

/** @param {number} leftovers */
function cleared (leftovers) {
  return leftovers === 0 ? '' : ` ${several(leftovers, 'leftover')} of a crash, which the next start removes.`
}
