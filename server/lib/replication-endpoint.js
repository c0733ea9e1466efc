'use strict'

const { admit } = require('./auth/access')
const { filterOf } = require('./changes-filter')
const { guard, overlay } = require('./guarded-database')
const { localPouch } = require('./local-pouch')
const { validated } = require('./validated-database')

/**
 * Opens the databases of this server for its replicator, as the user who asked may use them.
 *
 * @param {import('./service').Service} service
 * @returns {(name: string, options: { create: boolean, filter?: any, user: any }) => Promise<any>}
 */
function endpointOpener (service) {
  return async (name, { create, filter, user }) => {
    const { databases } = service
    if (create && !databases.has(name)) {
      admit(user, 'admin', null)
      await databases.create(name).catch(unlessExists)
    }
    const store = await databases.get(name)
    const security = await databases.security(store)
    admit(user, 'member', security)
    const database = guard(validated(store, user, security, service.queryServer), user, security, service.users)
    return withoutFilters(localPouch(await filtered(service, database, filter, user)))
  }
}

function unlessExists (error) {
  if (error.code !== 'DATABASE_EXISTS') throw error
}

/**
 * The store filters, in batches and in the sandbox. PouchDB itself would run a design document's
 * function in this process.
 */
async function filtered (service, database, filter, user) {
  if (filter === undefined) return database
  const { filter: name, docIds, selector, queryParams = {} } = filter
  const kind = docIds !== undefined ? '_doc_ids' : selector !== undefined ? '_selector' : name
  if (kind === undefined) return database
  const request = { method: 'GET', path: [database.name, '_changes'], query: queryParams, headers: {}, body: 'undefined', userCtx: { db: database.name, name: user.name, roles: user.roles } }
  const options = await filterOf({ database, queryServer: service.queryServer, filter: kind, docIds, selector, view: queryParams.view, request })
  return overlay(database, {
    changes: given => database.changes({ ...given, ...options }),
    follow: given => database.follow({ ...given, ...options })
  })
}

const FILTERS = ['filter', 'doc_ids', 'selector', 'view', 'query_params']

/** The replication names its filter, for its checkpoints; the source has it already. */
function withoutFilters (db) {
  const { changes } = db
  db.changes = function (options, callback) {
    const rest = { ...options }
    for (const name of FILTERS) delete rest[name]
    return changes.call(this, rest, callback)
  }
  return db
}

module.exports = { endpointOpener }
