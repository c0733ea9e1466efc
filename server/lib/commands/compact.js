'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { count, size } = require('../import/words')
const { Meter } = require('./meter')
const { withServer } = require('./server-option')
const { runConnected } = require('./task')

/** @typedef {import('commander').Command} Command */
/** @typedef {import('./connection').Connection} Connection */

/** Milliseconds between looks at how far a compaction is. */
const BETWEEN_LOOKS = 100

/** `potoroo compact [DATABASE…]`: 0 done, 1 not done, 130 stopped. */
module.exports = (/** @type {Command} */ program) => {
  withServer(program.command('compact'))
    .description('remove the bodies of revisions that have been superseded')
    .argument('[database...]', 'which databases (default: all)')
    .option('--shrink', 'after compacting, return free space of the pool to the disk; without databases, do only that')
    .option('--data <folder>', 'the data folder of a server that is not running', 'potoroo-data')
    .addHelpText('after', `
What replication needs stays: which revisions there were. A compaction that is stopped has done what it
has done, and the next one goes on; with --server, the server goes on by itself.

Examples:
  $ potoroo compact --data ./potoroo-data
  $ potoroo compact todos notes --server http://localhost:5984
  $ potoroo compact --shrink --server http://localhost:5984`)
    .action((names, options) => runConnected(options, async (/** @type {Connection} */ connection, /** @type {AbortSignal} */ signal) => {
      for (const name of await chosen(connection, names, options, signal)) await compact(connection, name, signal)
      if (options.shrink) await shrink(connection, signal)
    }))
}

/**
 * The databases to be compacted.
 *
 * @param {Connection} connection
 * @param {string[]} names
 * @param {{ shrink?: boolean }} options
 * @param {AbortSignal} signal
 */
function chosen (connection, names, { shrink }, signal) {
  return names.length > 0 || shrink ? names : connection.demand('GET', '/_all_dbs', undefined, signal)
}

/** @param {Connection} connection @param {AbortSignal} signal */
async function shrink (connection, signal) {
  const { before, after } = await connection.demand('POST', '/_shrink', {}, signal)
  process.stdout.write(`on disk: ${size(before)} before, ${size(after)} now\n`)
}

/** Returns what `GET /{db}` says. @param {Connection} connection @param {string} name @param {AbortSignal} signal */
async function infoOf (connection, name, signal) {
  try {
    return await connection.demand('GET', `/${encodeURIComponent(name)}`, undefined, signal)
  } catch (error) {
    throw error.status === 404 ? new Error(`there is no database ${name}`, { cause: error }) : error
  }
}

/** @param {Connection} connection @param {string} name @param {AbortSignal} signal */
async function compact (connection, name, signal) {
  const before = await infoOf(connection, name, signal)
  await connection.demand('POST', `/${encodeURIComponent(name)}/_compact`, {}, signal)
  const meter = new Meter(process.stderr, `Compacting ${name}`)
  try {
    while ((await infoOf(connection, name, signal)).compact_running) {
      const task = (await connection.demand('GET', '/_active_tasks', undefined, signal)).find((/** @type {any} */ each) => each.type === 'database_compaction' && each.database.includes(name))
      if (task !== undefined) meter.update(task.changes_done, task.total_changes, `${count(task.changes_done)} of ${count(task.total_changes)} revisions`)
      await sleep(BETWEEN_LOOKS, undefined, { signal })
    }
  } finally {
    meter.stop()
  }
  const after = await infoOf(connection, name, signal)
  process.stdout.write(`${name}: ${size(before.sizes.file)} before, ${size(after.sizes.file)} now\n`)
}
