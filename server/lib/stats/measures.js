'use strict'

const fs = require('node:fs')
const { Statistics } = require('./statistics')
const { described, numberOf } = require('./metrics')

const COMMITS = numberOf('couchdb.commits')
const DATABASE_WRITES = numberOf('couchdb.database_writes')
const DOCUMENT_WRITES = numberOf('couchdb.document_writes')

/**
 * Counts what is written into databases: what a commit changed is the difference of the sequences.
 *
 * @param {Statistics} statistics
 * @param {import('@potoroo/document-store').Databases} databases
 */
function countWrites (statistics, databases) {
  /** @type {WeakMap<object, number>} */
  const seen = new WeakMap()
  databases.on('opened', store => { seen.set(store, store.updateSeq) })
  databases.on('updated', (name, store) => {
    const changes = store.updateSeq - (seen.get(store) ?? store.updateSeq)
    seen.set(store, store.updateSeq)
    statistics.count(COMMITS)
    statistics.count(DATABASE_WRITES, changes)
    statistics.count(DOCUMENT_WRITES, changes)
  })
}

/**
 * All metrics of a server now, with those that are only looked up when they are asked for.
 *
 * @param {import('../service/request-service').RequestService} service
 */
async function measure (service) {
  const values = Statistics.read(service.statistics)
  values.set('couchdb.open_databases', (await service.databases.opened()).length)
  values.set('couch_replicator.jobs.running', service.replicator.jobs().filter(({ pid }) => pid !== null).length)
  values.set('potoroo.scrub.last_pass_timestamp_seconds', Math.floor(service.scrub.status().lastPassAt / 1000))
  const files = openFiles()
  if (files === null) values.delete('couchdb.open_os_files')
  else values.set('couchdb.open_os_files', files)
  return values
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
