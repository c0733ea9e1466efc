'use strict'

const { createError } = require('@potoroo/errors')
const access = require('./auth/access')
const { admitToReplications } = require('./replication/replicator-database')
const { userDatabase } = require('./user-database')

/**
 * Opens the database of the path and lets only those on whom the route says may.
 *
 * @param {import('./service').Service} service
 * @param {any} req gets `database`, as its user may use it
 * @param {import('./route-table').Route} route
 * @throws unauthorized, forbidden, not_found
 */
async function admit (service, req, route) {
  const name = req.params.db
  const who = typeof route.who === 'function' ? route.who(req) : route.who
  if (name === undefined || route.database === false) return access.admit(req.user, who, null)
  if (name.startsWith('_') && !service.databases.has(name)) access.admit(req.user, 'admin', null)
  if (OF_SYSTEM.has(name) && FOR_SERVER_ADMINS.test(route.path)) access.admit(req.user, 'admin', null)
  const store = await service.databases.get(name)
  const known = service.databases.security(store)
  const security = known instanceof Promise ? await known : known
  access.admit(req.user, who, security)
  if (!MINE.has(route.path) && service.users.isUsersDatabase(name) && !access.isDatabaseAdmin(req.user, security)) throw closed(route)
  if (name.endsWith('_replicator')) admitToReplications(req.user, route, name, security)
  req.database = userDatabase(service, store, req.user, security, req.method === 'GET' || req.method === 'HEAD')
}

/** Databases whose lists are for administrators of the server alone. */
const OF_SYSTEM = new Set(['_users', '_replicator'])

const FOR_SERVER_ADMINS = /^\/:db\/_(all_docs|changes)/

/** Routes that are open to a member of a database of users; the documents that they see there are their own. */
const MINE = new Set([
  '/:db', '/:db/:doc', '/:db/:doc/:attachment+', '/:db/:local', '/:db/_bulk_docs', '/:db/_bulk_get',
  '/:db/_security', '/:db/_revs_limit', '/:db/_ensure_full_commit'
])

function closed ({ path }) {
  const what = path.startsWith('/:db/:ddoc') ? 'Only administrators can view design docs in the users database.' : 'Only admins can access this of system databases.'
  return createError('FORBIDDEN', { reason: what })
}

/**
 * To a path without a route: who may not come near learns nothing of it.
 *
 * @param {import('./service').Service} service
 * @param {import('./auth/authenticator').User} user
 * @param {string[]} segments of the path
 */
async function admitNear ({ databases }, user, [name]) {
  if (databases.has(name)) access.admit(user, 'member', await databases.security(await databases.get(name)))
  else if (name.startsWith('_') && !OPEN.has(name)) access.admit(user, 'admin', null)
}

/** Below them nothing is hidden. */
const OPEN = new Set(['_utils'])

module.exports = { admit, admitNear }
