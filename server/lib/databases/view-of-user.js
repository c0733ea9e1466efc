'use strict'

const { isDatabaseAdmin } = require('../auth/access')
const { UnlimitedView } = require('./database-view')
const { MembersPolicy } = require('./members-policy')
const { PartPolicy } = require('./part-policy')
const { PreparedPolicy } = require('./prepared-policy')
const { ReplicationsPolicy, isReplicatorName } = require('./replications-policy')
const { OwnUserPolicy, UsersPolicy } = require('./users-policy')
const { ValidationPolicy } = require('./validation-policy')
const { ofShard } = require('../shards/shard-policy')

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */
/** @typedef {import('./database-view').DatabaseView} DatabaseView */
/** @typedef {import('../service/request-service').RequestService} RequestService */
/** @typedef {import('../service/request-service').RequestUsers} RequestUsers */
/** @typedef {import('../auth/authenticator').User} User */

/**
 * Databases as users see them, made once for each. They live as long as the user's object, which
 * is another one once the user has changed.
 *
 * @typedef {{ security: any, ofUsers: boolean, readable: any, writable: any }} Seen
 * @type {WeakMap<object, WeakMap<object, Seen>>} store → user → what they see
 */
const known = new WeakMap()

/**
 * A database as a user may use it.
 *
 * @param {import('../service/request-service').RequestService} service
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {import('../auth/authenticator').User} user
 * @param {any} security of the database, another object after each change
 * @param {boolean} reads whether it is for reading alone
 * @returns {DatabaseView}
 */
function userDatabase (service, store, user, security, reads) {
  const seen = seenBy(store, user, security, service.users.isUsersDatabase(store.name))
  if (reads) seen.readable ??= applyPolicies(service, partOf(store, user, security), user, security, seen.ofUsers)
  else seen.writable ??= applyPolicies(service, validated(service, store, user, security), user, security, seen.ofUsers)
  return reads ? seen.readable : seen.writable
}

/** The rules for what is written are those of the whole database. @param {RequestService} service @param {DocumentStore} store @param {User} user @param {any} security */
function validated ({ queryServer }, store, user, security) {
  const part = partOf(store, user, security)
  if (/** @type {any} */ (store).preparesWrites) return new PreparedPolicy(part, user)
  return part.isOfMember ? new ValidationPolicy(part, user, security, queryServer, store) : new ValidationPolicy(ofShard(store), user, security, queryServer)
}

/**
 * Returns what a user may see of a database: of one with access by document, a member sees a part.
 *
 * @param {DocumentStore} store
 * @param {User} user
 * @param {any} security
 * @returns {DatabaseView}
 */
function partOf (store, user, security) {
  return store.byDocument && !isDatabaseAdmin(user, security) ? new PartPolicy(store.forMember(user)) : new UnlimitedView(store)
}

/**
 * The policies on top of a view, for one user. Each acts before those below it.
 * @param {RequestService} service
 * @param {DatabaseView} view
 * @param {User} user
 * @param {any} security
 * @param {boolean} ofUsers
 * @returns {DatabaseView}
 */
function applyPolicies (service, view, user, security, ofUsers) {
  const isAdmin = isDatabaseAdmin(user, security)
  const own = ofUsers ? usersPolicy(view, user, service.users, isAdmin) : isAdmin ? view : new MembersPolicy(view, user)
  return isReplicatorName(view.name) ? new ReplicationsPolicy(own, user, security, service.replicator) : own
}

/** @param {DatabaseView} view @param {User} user @param {RequestUsers} users @param {boolean} isAdmin */
function usersPolicy (view, user, users, isAdmin) {
  return isAdmin ? new UsersPolicy(view, user, users) : new OwnUserPolicy(view, user, users)
}

/**
 * `ofUsers`: whether users are in it, which the configuration may change.
 *
 * @param {DocumentStore} store
 * @param {User} user
 * @param {any} security
 * @param {boolean} ofUsers
 */
function seenBy (store, user, security, ofUsers) {
  let users = known.get(store)
  if (users === undefined) known.set(store, users = new WeakMap())
  let seen = users.get(user)
  if (seen === undefined || seen.security !== security || seen.ofUsers !== ofUsers) users.set(user, seen = { security, ofUsers, readable: undefined, writable: undefined })
  return seen
}

module.exports = { applyPolicies, userDatabase }
