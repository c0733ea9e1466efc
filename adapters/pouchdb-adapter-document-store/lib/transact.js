'use strict'

const errors = require('pouchdb-errors')
const { adapterFun } = require('pouchdb-utils')

const { answer } = require('./call-back')
const { isNotDocument, toStoreDocuments } = require('./incoming-document')
const { toPouchError } = require('./pouch-error')

const { createError } = errors

/**
 * Writes documents if others are as they were read, all of it or nothing.
 *
 * @param {import('./adapter').Adapter} adapter
 * @param {any} transaction `{ reads: [{ id, rev }], writes: [document] }`
 * @returns {Promise<Array<{ ok: true, id: string, rev: string }>>}
 */
async function transact (adapter, transaction) {
  if (isNotDocument(transaction)) throw createError(errors.BAD_REQUEST, 'A transaction must be an object.')
  const { writes = [] } = transaction
  if (!Array.isArray(writes)) throw createError(errors.BAD_REQUEST, '`writes` must be an array.')
  const docs = toStoreDocuments(writes)
  try {
    return await adapter.transact({ ...transaction, writes: docs })
  } catch (error) {
    throw toPouchError(error, error.id)
  }
}

/**
 * pouchdb-core has no such method.
 *
 * @param {any} db the PouchDB instance
 * @param {() => import('./adapter').Adapter} adapter once it is open
 */
function installTransact (db, adapter) {
  db.transact = adapterFun('transact', (transaction, callback) => answer(transact(adapter(), transaction), callback))
}

module.exports = { installTransact }
