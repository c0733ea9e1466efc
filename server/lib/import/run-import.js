'use strict'

const { setMaxListeners } = require('node:events')
const { importDatabase, verifyDatabase } = require('@potoroo/import')
const { SYSTEM } = require('../databases/server-databases')
const { readKey } = require('../storage/open-storage')
const { findDatabases } = require('./find-databases')
const { Parts, PER_USER, matching } = require('./parts')
const { Progress } = require('./progress')
const { Report } = require('./report')
const { FolderTargets, ServerTargets } = require('./targets')
const { describeImport, describeVerdict, several } = require('./words')

/** Errors that keep the whole of an import from going on, not one database. */
const FATAL = new Set(['SOURCE_UNREACHABLE', 'UNAUTHORIZED', 'NO_SPACE', 'ABORT_ERR'])

/**
 * @typedef {object} ImportCommand
 * @property {string} source
 * @property {string} [database] its name here
 * @property {string} [server] a server's URL, in place of a folder
 * @property {string} folder
 * @property {boolean} [accessByDatabase] databases become one, whose documents say who may read and write them
 * @property {string} [databases] those that do, by a pattern of their names
 * @property {boolean} [prefixIds] their documents' ids begin with the user's or the database's name
 * @property {string} [designDocumentsOf] the database whose design documents come along
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
  const { databases: all, uuid } = await findDatabases(command.source, { ...options, key })
  const databases = command.accessByDatabase ? partsOf(command, all) : all
  if (command.database !== undefined && !command.accessByDatabase && databases.length !== 1) {
    throw new Error(`${command.source} has ${several(databases.length, 'database')}; a name can be given to one only`)
  }
  if (command.takeUuid && (uuid === undefined || command.server !== undefined)) throw new Error('--take-uuid needs a source server that has a uuid, and a data folder to import into')
  if (command.dryRun) return listDatabases(command, databases)
  const targets = command.server === undefined ? await FolderTargets.open(command) : new ServerTargets(command.server, options)
  try {
    if (command.takeUuid && targets instanceof FolderTargets) targets.takeUuid(/** @type {string} */ (uuid))
    const report = new Report(command)
    if (command.accessByDatabase) return await eachPart(command, databases, targets, report)
    return await eachDatabase(databases, report, found => oneDatabase(command, found, command.database ?? found.name, targets, report))
  } finally {
    await targets.close()
  }
}

/** @typedef {Awaited<ReturnType<typeof findDatabases>>['databases'][number]} Found */

/** @param {ImportCommand} command @param {Found[]} all */
function partsOf ({ database, databases: pattern = PER_USER, source }, all) {
  if (database === undefined) throw new Error('--access-by-database needs the name of the database that the others become')
  const parts = matching(all, pattern)
  if (parts.length === 0) throw new Error(`${source} has no database whose name matches ${pattern}`)
  return parts
}

/** @param {ImportCommand} command @param {Found[]} databases @param {FolderTargets | ServerTargets} targets @param {Report} report */
async function eachPart (command, databases, targets, report) {
  const name = /** @type {string} */ (command.database)
  if (command.verify && targets instanceof FolderTargets && !targets.has(name)) throw new Error(`${name} is not here`)
  const target = await targets.open(name, { access: true })
  if (!target.byDocument) throw new Error(`${name} has no access by document, which a database gets when it is made: its members would see all documents`)
  const parts = new Parts(command, target)
  const code = await eachDatabase(databases, report, found => parts.one(found, report))
  if (code === 1) return code
  return await parts.end(name, report) ? code : 2
}

/**
 * @param {Found[]} databases
 * @param {Report} report
 * @param {(found: Found) => Promise<boolean>} work whether all is as it is there
 */
async function eachDatabase (databases, report, work) {
  let code = 0
  for (const found of databases) {
    try {
      const clean = await work(found)
      if (!clean && code === 0) code = 2
    } catch (error) {
      if (FATAL.has(error.code)) throw error
      report.failed(found.name, error)
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
 * @param {Report} report
 * @returns {Promise<boolean>} whether all is as it is there
 */
async function oneDatabase (command, found, name, targets, report) {
  if (command.verify && targets instanceof FolderTargets && !targets.has(name)) throw new Error('is not here')
  const source = await found.open()
  const progress = new Progress(command.stderr, name)
  try {
    const target = await targets.open(name, source)
    if (source.q !== undefined && !targets.keepsShards && !command.verify) progress.say(`it had ${source.q} shards and has one here: with --server it gets as many`)
    return await (command.verify ? verifyOne : importOne)(command, name, source, target, { progress, report })
  } finally {
    progress.stop()
    await source.close()
  }
}

/** @typedef {{ progress: Progress, report: Report }} To */

/** @param {ImportCommand} command @param {string} name @param {any} source @param {any} target @param {To} to */
async function importOne ({ signal, open }, name, source, target, { progress, report }) {
  const summary = await importDatabase(source, target, {
    signal,
    security: takesSecurity(name),
    open,
    onProgress: state => progress.update(state),
    onNotice: message => progress.say(message)
  })
  progress.stop()
  report.say(name, describeImport(summary))
  return report.skipped(summary.skipped)
}

/** @param {ImportCommand} command @param {string} name @param {any} source @param {any} target @param {To} to */
async function verifyOne ({ signal, open }, name, source, target, { progress, report }) {
  const differences = report.differences()
  const verdict = await verifyDatabase(source, target, {
    signal,
    security: takesSecurity(name),
    open,
    onProgress: state => progress.update(state),
    onDifference: differences.add
  })
  progress.stop()
  report.say(name, describeVerdict(verdict))
  return differences.show(verdict.differences)
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

/** @param {ImportCommand} command @param {Array<{ name: string, label: string }>} databases */
function listDatabases ({ database, stdout }, databases) {
  for (const { name, label } of databases) stdout.write(`${label} → ${database ?? name}\n`)
  return 0
}

module.exports = { runImport }
