'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { unknownMember } = require('@potoroo/errors/known-options')
const { isRefusal } = require('./apply-edits')
const { isObject } = require('../json/is-object')
const { Turn, inTurns, mapInTurns } = require('../json/turn')
const { LOCAL, normaliseRevision, validateId } = require('./validate')

/**
 * @import { DocumentStore, Transaction, WriteOptions } from '../..'
 * @import { Read } from './all-or-nothing'
 *
 * @typedef {Pick<DocumentStore, 'write' | 'get' | 'getLocal'>} Database a store, or what stands in front of one: it has its say about each write
 */

/**
 * Writes documents if what was read still holds: all of it in one commit, or nothing.
 *
 * @param {Database} database
 * @param {Transaction} transaction
 * @param {WriteOptions} [options]
 * @returns {Promise<Array<{ ok: true, id: string, rev: string }>>} aligned with the documents
 * @throws CONFLICT with `conflicts`, what has changed and its revision now; otherwise what the first document is refused
 *   with, and its `id`
 */
async function transact (database, transaction, options = {}) {
  const { reads = [], writes = [] } = isObject(transaction) ? transaction : invalid('A transaction must be an object.')
  const strange = unknownMember(transaction, ['reads', 'writes'], 'A transaction')
  if (strange !== undefined) throw badRequest(strange)
  if (!Array.isArray(reads)) throw badRequest('`reads` must be an array.')
  if (!Array.isArray(writes)) throw badRequest('`writes` must be an array.')
  const read = await mapInTurns(reads, parseRead)
  await requireOnce(read, ({ id }) => id, 'reads')
  await requireOnce(writes, (doc) => doc?._id, 'writes')
  if (options.keepLocal !== true) await inTurns(writes, refuseLocalAttachments)
  try {
    const results = await database.write(writes, { ...options, allOrNothing: true, reads: read })
    throwRefusal(results)
    return /** @type {any[]} */ (results)
  } catch (error) {
    throw error.code === 'CONFLICT' ? await conflictNow(database, error) : error
  }
}

/** @param {any} read @returns {Read} */
function parseRead (read) {
  if (!isObject(read)) throw badRequest('Each of `reads` must be an object with `id` and `rev`.')
  const { id, rev } = read
  validateId(id)
  if (rev === null) return { id, rev }
  if (typeof rev !== 'string') throw badRequest('`rev` of each of `reads` must be a string, or null for a document that must not be there.')
  return { id, rev: id.startsWith(LOCAL) ? rev : normaliseRevision(rev) }
}

/**
 * @template T
 * @param {T[]} list
 * @param {(element: T) => unknown} idOf
 * @param {string} name
 */
async function requireOnce (list, idOf, name) {
  const ids = new Set()
  await inTurns(list, (element) => {
    const id = idOf(element)
    if (id === undefined) return
    if (ids.has(id)) throw badRequest(`\`${name}\` must name each document once: ${id}`)
    ids.add(id)
  })
}

/** A transaction says that all is written: what CouchDB drops from local documents is refused. @param {any} doc */
function refuseLocalAttachments (doc) {
  if (doc?._attachments === undefined || typeof doc._id !== 'string' || !doc._id.startsWith(LOCAL)) return
  throw Object.assign(badRequest('_local documents do not accept attachments.'), { id: doc._id })
}

/** Throws why nothing was written: what no repetition could change before what one could. @param {any[]} results */
function throwRefusal (results) {
  const refusals = results.filter((result) => isRefusal(result) && result.code !== 'NOT_ALL')
  if (refusals.length === 0) return
  const lasting = refusals.find(({ code }) => code !== 'CONFLICT')
  if (lasting !== undefined) throw lasting
  throw createError('CONFLICT', { conflicts: refusals.map(({ id }) => ({ id, rev: null })) })
}

/**
 * Says which revisions there are now, as far as the database shows them.
 *
 * @param {Database} database
 * @param {any} error
 */
async function conflictNow (database, { conflicts = [] }) {
  const now = []
  const turn = new Turn()
  for (const { id } of conflicts) {
    if (turn.isLong) await turn.end()
    now.push({ id, rev: await revisionOf(database, id) })
  }
  return createError('CONFLICT', { conflicts: now })
}

/** @param {Database} database @param {string} id */
async function revisionOf (database, id) {
  try {
    const { rev } = id.startsWith(LOCAL) ? await database.getLocal(id) : await database.get(id)
    return rev
  } catch (error) {
    if (error.status >= 500) throw error
    return null
  }
}

/** @param {string} reason @returns {never} */
function invalid (reason) { throw badRequest(reason) }

module.exports = { transact }
