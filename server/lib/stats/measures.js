'use strict'

const fs = require('node:fs')
const { Statistics } = require('./statistics')
const { described, numberOf } = require('./metrics')

const COMMITS = numberOf('couchdb.commits')
const DATABASE_WRITES = numberOf('couchdb.database_writes')
const DOCUMENT_WRITES = numberOf('couchdb.document_writes')
const DOCUMENT_INSERTS = numberOf('couchdb.document_inserts')
const OPEN_TIME = numberOf('couchdb.db_open_time')

/** @typedef {import('../service/request-service').RequestService} RequestService */
/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */
/** @typedef {ReturnType<typeof Statistics.read>} Values */

/**
 * Counts what is written into databases: what a commit changed is the difference of the sequences, and of the numbers of documents.
 *
 * @param {Statistics} statistics
 * @param {import('@potoroo/document-store').Databases} databases
 */
function countWrites (statistics, databases) {
  /** @type {WeakMap<object, { seq: number, known: number }>} */
  const seen = new WeakMap()
  const stateOf = (/** @type {DocumentStore} */ store) => ({ seq: store.updateSeq, known: store.docCount + store.deletedCount })
  databases.on('opened', (store, milliseconds) => {
    seen.set(store, stateOf(store))
    statistics.note(OPEN_TIME, milliseconds)
  })
  databases.on('updated', (name, store) => {
    const now = stateOf(store)
    const before = seen.get(store) ?? now
    const changes = now.seq - before.seq
    seen.set(store, now)
    // A purge leaves fewer.
    statistics.count(DOCUMENT_INSERTS, Math.max(0, now.known - before.known))
    statistics.count(COMMITS)
    statistics.count(DATABASE_WRITES, changes)
    statistics.count(DOCUMENT_WRITES, changes)
  })
}

/**
 * All metrics of a server now, with those that are only looked up when they are asked for.
 *
 * @param {RequestService} service
 */
async function measure (service) {
  const values = Statistics.read(service.statistics)
  values.set('couchdb.open_databases', (await service.databases.opened()).length)
  values.set('couchdb.database_count', service.databases.users.list().length)
  measureReplications(service, values)
  await measureStorage(service, values)
  values.set('potoroo.scrub.last_pass_timestamp_seconds', Math.floor(service.scrub.status().lastPassAt / 1000))
  const files = openFiles()
  if (files === null) values.delete('couchdb.open_os_files')
  else values.set('couchdb.open_os_files', files)
  return values
}

/** @param {RequestService} service @param {Values} values */
function measureReplications ({ replicator }, values) {
  const jobs = replicator.jobs()
  for (const [name, state] of [['running', 'running'], ['pending', 'pending'], ['crashed', 'crashing']]) {
    values.set(`couch_replicator.jobs.${name}`, jobs.filter((/** @type {any} */ job) => stateOf(job) === state).length)
  }
  values.set('couch_replicator.jobs.total', jobs.length)
}

/** A job that is in the list by its history alone waits, or crashed. @param {any} job */
function stateOf ({ pid, history }) {
  if (pid !== null) return 'running'
  return history?.[0]?.type === 'crashed' ? 'crashing' : 'pending'
}

/** Only a pool says how large it is. @param {RequestService} service @param {Values} values */
async function measureStorage ({ storage }, values) {
  values.set('potoroo.storage.refuses_writes', await storage.writeFault() === null ? 0 : 1)
  const { pool } = storage.describe()
  for (const [name, bytes] of [['size', pool?.size], ['used', pool?.used], ['max', pool?.maxSize]]) {
    if (bytes === undefined) values.delete(`potoroo.storage.${name}_bytes`)
    else values.set(`potoroo.storage.${name}_bytes`, bytes)
  }
}

/** null where the system does not say. */
function openFiles () {
  try {
    return fs.readdirSync('/proc/self/fd').length
  } catch {
    return null
  }
}

/**
 * Returns what `_stats` says, as a tree: `{ couchdb: { request_time: { value, type, desc } } }`.
 *
 * @param {Awaited<ReturnType<typeof measure>>} values
 */
function toTree (values) {
  /** @type {Record<string, any>} */
  const tree = {}
  for (const [name, type, desc] of described) {
    const measured = values.get(name)
    if (measured === undefined) continue
    const path = name.split('.')
    const last = /** @type {string} */ (path.pop())
    path.reduce((node, step) => (node[step] ??= {}), tree)[last] = { value: typeof measured === 'number' ? measured : windowOf(measured), type, desc }
  }
  return tree
}

/** Leaves out what Prometheus alone is told. @param {Record<string, any>} measured */
function windowOf ({ count, sum, ...window }) { return window }

module.exports = { countWrites, measure, toTree }
