'use strict'

const { isShard } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const access = require('../auth/access')
const { admitToReplications } = require('../databases/replications-policy')
const { userDatabase } = require('../databases/view-of-user')

/** @typedef {import('./request').PotorooRequest} PotorooRequest */

/**
 * Opens the database of the path and lets only those on whom the route says may.
 *
 * @param {import('../service/request-service').RequestService} service
 * @param {PotorooRequest} req gets `database`, as its user may use it
 * @param {import('./route-table').Route} route
 * @param {import('@potoroo/document-store').DistantReader | null} [reader] of the database, where another server has it
 * @throws unauthorized, forbidden, not_found
 */
async function authorize (service, req, route, reader = null) {
  const name = req.params.db
  const who = typeof route.who === 'function' ? route.who(req) : route.who
  if (name === undefined || route.database === false) return access.admit(req.user, who, null)
  if (name.startsWith('_')) requireName(service, req, name)
  if (route.whoIn?.system !== undefined && OF_SYSTEM.has(name)) access.admit(req.user, route.whoIn.system, null)
  /** @type {any} what it lacks of a DocumentStore, reading does not use */
  const store = reader ?? await service.databases.get(name)
  const known = service.databases.security(store)
  const security = known instanceof Promise ? await known : known
  access.admit(req.user, who, security)
  if (store.byDocument && !route.byDocument && !access.isDatabaseAdmin(req.user, security)) throw byDocument()
  if (route.whoIn?.users === undefined && service.users.isUsersDatabase(name) && !access.isDatabaseAdmin(req.user, security)) throw closed(route)
  if (name.endsWith('_replicator')) admitToReplications(req.user, route, name, security)
  req.security = security
  req.database = userDatabase(service, store, req.user, security, req.method === 'GET' || req.method === 'HEAD')
}

/**
 * Names that begin so are the server's own. Shards of databases are for the server alone.
 *
 * @param {import('../service/request-service').RequestService} service
 * @param {PotorooRequest} req
 * @param {string} name
 */
function requireName (service, req, name) {
  if (isShard(name) && req.inShard !== true) {
    access.admit(req.user, 'admin', null)
    throw createError('NO_DATABASE')
  }
  if (!service.databases.has(name)) access.admit(req.user, 'admin', null)
}

/** Databases whose lists are for administrators of the server alone. */
const OF_SYSTEM = new Set(['_users', '_replicator'])

/** Refuses members a route that does not keep to access by document. */
function byDocument () { return createError('FORBIDDEN', { reason: 'Only administrators may use this of a database with access by document.' }) }

/** @param {{ path: string }} given */
function closed ({ path }) {
  const what = path.startsWith('/:db/:ddoc') ? 'Only administrators can view design docs in the users database.' : 'Only admins can access this of system databases.'
  return createError('FORBIDDEN', { reason: what })
}

/**
 * Checks the rights to the database that a path without a route begins with, so that outsiders cannot probe paths.
 *
 * @param {import('../service/request-service').RequestService} service
 * @param {import('../auth/authenticator').User} user
 * @param {string[]} segments of the path
 */
async function authorizeNear ({ databases }, user, [name]) {
  if (databases.has(name) && databases.sharded(name) === undefined && !isShard(name)) access.admit(user, 'member', await databases.security(await databases.get(name)))
  else if (name.startsWith('_') && !OPEN.has(name)) access.admit(user, 'admin', null)
}

/** Below them nothing is hidden. */
const OPEN = new Set(['_utils'])

module.exports = { authorize, authorizeNear }
