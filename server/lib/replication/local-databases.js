'use strict'

const { isShard } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { admit, isDatabaseAdmin } = require('../auth/access')
const { filterOf } = require('../changes/filter')
const { formatSequence, parseSequence } = require('../databases/sequence')
const { userDatabase } = require('../databases/view-of-user')

/** @typedef {import('../databases/database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('../service/request-service').RequestService} RequestService */
/** @typedef {import('../auth/authenticator').User} User */

/**
 * The databases of this server for its replicator, as the user who asked may use them.
 *
 * @param {import('../service/request-service').RequestService} service
 */
function localDatabases (service) {
  return {
    /** @param {string} name @param {User} user */
    async create (name, user) {
      if (service.databases.has(name)) return
      admit(user, 'admin', null)
      await service.databases.create(name).catch(unlessExists)
    },
    /** @param {string} name @param {User} user */
    async open (name, user) {
      if (isShard(name)) throw createError('NO_DATABASE')
      const store = await service.databases.take(name)
      const { cluster } = service
      // As long as the replication has it open, it is not given to others.
      if (cluster !== null) store.once('close', cluster.hold(name))
      const security = await service.databases.security(store)
      admit(user, 'member', security)
      if (store.byDocument && !isDatabaseAdmin(user, security)) throw createError('FORBIDDEN', { reason: 'Only administrators replicate a database with access by document here: replicate it by its URL' })
      const database = userDatabase(service, store, user, security, false)
      return {
        database,
        /** @param {number} seq */
        formatSequence: seq => formatSequence(database, seq),
        /** @param {any} seq */
        parseSequence: seq => parseSequence(database, seq),
        /** @param {any} request */
        changesOptions: request => changesOptions(service, database, request, user)
      }
    },
    flush: () => service.storage.flush()
  }
}

/** @param {any} error */
function unlessExists (error) {
  if (error.code !== 'DATABASE_EXISTS') throw error
}

/**
 * The store filters, in batches and in the sandbox.
 *
 * @param {RequestService} service
 * @param {AnyDatabase} database
 * @param {any} request
 * @param {User} user
 */
async function changesOptions ({ counts, queryServer }, database, { filter: name, docIds, selector, query }, user) {
  const filter = docIds !== undefined ? '_doc_ids' : selector !== undefined ? '_selector' : name
  if (filter === undefined) return {}
  const userCtx = { db: database.name, name: user.name, roles: user.roles }
  const request = { method: 'GET', path: [database.name, '_changes'], query: query ?? {}, headers: {}, body: 'undefined', userCtx }
  return filterOf({ counts, database, queryServer, filter, docIds, selector, view: query?.view, request })
}

module.exports = { localDatabases }
