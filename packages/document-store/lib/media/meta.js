'use strict'

const { createError } = require('@potoroo/errors')
const { put, del } = require('./keyspace')
const { randomHex } = require('../revision-tree/revision')
const { isRetention } = require('../history/retention')
const { Totals } = require('../commit/totals')
const { LAYOUT_VERSION, damaged, upgrade } = require('./upgrade')

/**
 * @import { Core } from '../store/core'
 * @import { Layout } from './layout'
 * @import { Commit } from '../commit/commit'
 *
 * @typedef {{ version: number, instanceId: string, createdAt: number, revsLimit: number, purgedInfosLimit?: number,
 *   partitioned?: boolean, accessKey?: string }} DatabaseRecord
 */

/**
 * Values that belong to the database itself, each at `m name` as JSON text:
 *
 *   database      { version, instanceId, createdAt, revsLimit, purgedInfosLimit?, partitioned?, accessKey? }
 *                 accessKey: a secret, of a database with access by document
 *   history       what is kept of earlier versions: see history/retention.js
 *   state         totals: see totals.js; not JSON
 *   user:<key>    values set by setMeta
 *   destroying    is there while the database is being deleted
 */

/**
 * Reads what is stored, or makes a new database.
 *
 * @param {Core} core
 * @param {Record<string, any>} [values]
 */
async function openMeta (core, values) {
  const { keyspace, layout } = core
  const keys = [layout.meta('database'), layout.state, layout.meta('destroying'), layout.meta('history')]
  const [text, state, destroying, history] = await keyspace.getMany(keys)
  if (destroying !== undefined) await removeAll(core)
  else if (text === undefined) await refuseOthers(core)
  if (text === undefined || destroying !== undefined) return createMeta(core, values)
  const database = parse(text)
  if (!Totals.isText(state)) throw damaged('what it counts cannot be read')
  core.totals = new Totals(state)
  if (history !== undefined && !isRetention(history)) throw damaged('what it says of earlier versions cannot be read')
  core.retention = history === undefined ? null : JSON.parse(history)
  return upgrade(core, database)
}

/**
 * Refuses to make a database among the entries of something else, which deleting it would take along. A mark is at what was being
 * deleted when the process ended.
 *
 * @param {Core} core
 * @throws internal_server_error
 */
async function refuseOthers ({ keyspace, layout }) {
  const [other] = await keyspace.keys({ ...layout.all(), limit: 1 }).all()
  if (other === undefined) return
  throw createError('INTERNAL', { reason: 'This is no database, but it is not empty. What PouchDB stored in LevelDB is brought over by potoroo import; a database that is damaged is brought back by potoroo salvage, or from a backup' })
}

/** @param {string} text @returns {DatabaseRecord} */
function parse (text) {
  let database
  try {
    database = JSON.parse(text)
  } catch (cause) {
    throw damaged('what it says of itself cannot be read', cause)
  }
  if (typeof database !== 'object' || database === null) throw damaged('what it says of itself is no record')
  return database
}

/**
 * Deletes everything. The mark goes last: whatever a crash leaves has it, and is removed at the next opening.
 *
 * @param {{ keyspace: import('./keyspace').Keyspace, layout: Layout }} place
 */
async function removeAll ({ keyspace, layout }) {
  const mark = layout.meta('destroying')
  const { lt, ...from } = layout.all()
  await keyspace.write([put(mark, 'true')])
  await keyspace.clear({ ...from, lt: mark })
  await keyspace.clear(lt === undefined ? { gt: mark } : { gt: mark, lt })
  await keyspace.write([del(mark)])
}

/** @param {Core} core */
async function createMeta (core, values = {}) {
  const database = newDatabase({ ...core.options, access: core.makesAccess })
  await core.keyspace.write(creation(core.layout, database, values))
  core.totals = new Totals()
  return database
}

/** @param {{ revsLimit: number, partitioned?: boolean, access?: boolean }} options @returns {DatabaseRecord} */
function newDatabase ({ revsLimit, partitioned = false, access = false }) {
  const database = { version: LAYOUT_VERSION, instanceId: randomHex(), createdAt: Date.now(), revsLimit }
  return { ...database, ...(partitioned && { partitioned }), ...(access && { accessKey: randomHex() + randomHex() }) }
}

/**
 * The operations that make a database.
 *
 * @param {Layout} layout
 * @param {DatabaseRecord} database
 * @param {Record<string, any>} values
 */
function creation (layout, database, values) {
  const operations = [
    put(layout.meta('database'), JSON.stringify(database)),
    put(layout.state, new Totals().encode())
  ]
  for (const key of Object.keys(values)) operations.push(put(userKey(layout, key), JSON.stringify(values[key])))
  return operations
}

/** @param {Layout} layout @param {string} key */
function userKey (layout, key) {
  return layout.meta('user:' + key)
}

/** @param {Core} core @param {string} key */
async function getMeta (core, key) {
  core.assertOpen()
  const text = await core.keyspace.get(userKey(core.layout, key))
  return text === undefined ? undefined : JSON.parse(text)
}

/**
 * undefined removes it.
 *
 * @param {Core} core
 * @param {string} key
 * @param {unknown} value
 */
async function setMeta (core, key, value) {
  const text = JSON.stringify(value)
  const operation = text === undefined ? del(userKey(core.layout, key)) : put(userKey(core.layout, key), text)
  await core.queue.push({ keys: [], apply: (commit) => commit.add(operation) })
}

/** @param {Core} core @param {DatabaseRecord} database */
async function storeDatabase (core, database) {
  const operation = put(core.layout.meta('database'), JSON.stringify(database))
  await core.queue.push({ keys: [], apply: (commit) => commit.add(operation) })
}

module.exports = { openMeta, removeAll, newDatabase, creation, getMeta, setMeta, storeDatabase }
