'use strict'

const { setMaxListeners } = require('node:events')
const { importDatabase, verifyDatabase } = require('@potoroo/import')
const { SYSTEM } = require('../databases/server-databases')
const { readKey } = require('../service/storage')
const { findDatabases } = require('./find-databases')
const { Progress } = require('./progress')
const { FolderTargets, ServerTargets } = require('./targets')
const { count, describeImport, describeVerdict, several } = require('./words')

/** Skipped revisions and differences that are printed of each database. */
const SHOWN = 100

/** Errors that keep the whole of an import from going on, not one database. */
const FATAL = new Set(['SOURCE_UNREACHABLE', 'UNAUTHORIZED', 'NO_SPACE', 'ABORT_ERR'])

/**
 * @typedef {object} ImportCommand
 * @property {string} source
 * @property {string} [database] its name here
 * @property {string} [server] a server's URL, in place of a folder
 * @property {string} folder
 * @property {boolean} [verify] only compare
 * @property {boolean} [dryRun] only list
 * @property {boolean} [takeUuid]
 * @property {boolean} [open] a database that everybody may read stays so
 * @property {string} storage
 * @property {string} [keyFile] the key of the source's pools that are encrypted
 * @property {AbortSignal} signal
 * @property {{ write: (text: string) => any }} stdout
 * @property {any} stderr
 */

/**
 * `potoroo import`: brings databases over, or compares them.
 *
 * @param {ImportCommand} command
 * @returns {Promise<number>} the exit code: 0, 1 where a database failed, 2 where all were finished
 *   but something was skipped or differs
 */
async function runImport (command) {
  const { signal, stderr } = command
  setMaxListeners(0, signal)
  const options = { signal, onPause: (/** @type {string} */ message) => stderr.write(`${message}\n`) }
  const key = command.keyFile === undefined ? undefined : readKey(command.keyFile)
  const { databases, uuid } = await findDatabases(command.source, { ...options, key })
  if (command.database !== undefined && databases.length !== 1) {
    throw new Error(`${command.source} has ${several(databases.length, 'database')}; a name can be given to one only`)
  }
  if (command.takeUuid && (uuid === undefined || command.server !== undefined)) throw new Error('--take-uuid needs a source server that has a uuid, and a data folder to import into')
  if (command.dryRun) return listDatabases(command, databases)
  const targets = command.server === undefined ? await FolderTargets.open(command) : new ServerTargets(command.server, options)
  try {
    if (command.takeUuid && targets instanceof FolderTargets) targets.takeUuid(/** @type {string} */ (uuid))
    return await eachDatabase(command, databases, targets)
  } finally {
    await targets.close()
  }
}

/** @typedef {Awaited<ReturnType<typeof findDatabases>>['databases'][number]} Found */

/** @param {ImportCommand} command @param {Found[]} databases @param {FolderTargets | ServerTargets} targets */
async function eachDatabase (command, databases, targets) {
  let code = 0
  for (const found of databases) {
    const name = command.database ?? found.name
    try {
      const clean = await oneDatabase(command, found, name, targets)
      if (!clean && code === 0) code = 2
    } catch (error) {
      if (FATAL.has(error.code)) throw error
      command.stderr.write(`${name}: ${error.message}\n`)
      code = 1
    }
  }
  return code
}

/**
 * @param {ImportCommand} command
 * @param {Found} found
 * @param {string} name
 * @param {FolderTargets | ServerTargets} targets
 * @returns {Promise<boolean>} whether all is as it is there
 */
async function oneDatabase (command, found, name, targets) {
  if (command.verify && targets instanceof FolderTargets && !targets.has(name)) throw new Error('is not here')
  const source = await found.open()
  const progress = new Progress(command.stderr, name)
  try {
    const target = await targets.open(name, source)
    if (source.q !== undefined && !targets.keepsShards && !command.verify) progress.say(`it had ${source.q} shards and has one here: with --server it gets as many`)
    return await (command.verify ? verifyOne : importOne)(command, name, source, target, progress)
  } finally {
    progress.stop()
    await source.close()
  }
}

/** @param {ImportCommand} command @param {string} name @param {any} source @param {any} target @param {Progress} progress */
async function importOne ({ signal, stdout, stderr, open }, name, source, target, progress) {
  const summary = await importDatabase(source, target, {
    signal,
    security: takesSecurity(name),
    open,
    onProgress: state => progress.update(state),
    onNotice: message => progress.say(message)
  })
  progress.stop()
  stdout.write(`${name}: ${describeImport(summary)}\n`)
  show(stderr, summary.skipped.map(({ id, rev, reason }) => `skipped ${title(id, rev)}: ${reason}`), summary.skipped.length)
  return summary.skipped.length === 0
}

/** @param {ImportCommand} command @param {string} name @param {any} source @param {any} target @param {Progress} progress */
async function verifyOne ({ signal, stdout, stderr, open }, name, source, target, progress) {
  /** @type {string[]} */
  const lines = []
  const verdict = await verifyDatabase(source, target, {
    signal,
    security: takesSecurity(name),
    open,
    onProgress: state => progress.update(state),
    onDifference: ({ id, rev, what }) => { if (lines.length < SHOWN) lines.push(`${title(id, rev)} ${what}`) }
  })
  progress.stop()
  stdout.write(`${name}: ${describeVerdict(verdict)}\n`)
  show(stderr, lines, verdict.differences)
  return verdict.differences === 0
}

/**
 * The system's own databases keep what they have here: older CouchDBs protect theirs by themselves, and
 * leave the object empty, which says that everybody may read.
 *
 * @param {string} name
 */
function takesSecurity (name) {
  return !SYSTEM.includes(name)
}

/** @param {string} id @param {string | undefined} rev */
function title (id, rev) {
  return rev === undefined ? JSON.stringify(id) : `${JSON.stringify(id)} ${rev}`
}

/** @param {any} stream @param {string[]} lines @param {number} total */
function show (stream, lines, total) {
  for (const line of lines.slice(0, SHOWN)) stream.write(`  ${line}\n`)
  if (total > SHOWN) stream.write(`  and ${count(total - SHOWN)} more\n`)
}

/** @param {ImportCommand} command @param {Array<{ name: string, label: string }>} databases */
function listDatabases ({ database, stdout }, databases) {
  for (const { name, label } of databases) stdout.write(`${label} → ${database ?? name}\n`)
  return 0
}

module.exports = { runImport }
