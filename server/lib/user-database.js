'use strict'

const { guard } = require('./guarded-database')
const { overlay } = require('./overlay')
const { isReplicatorName, replicatorMethods } = require('./replication/replicator-database')
const { validated } = require('./validated-database')

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
 * @param {import('./service').Service} service
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {import('./auth/authenticator').User} user
 * @param {any} security of the database, another object after each change
 * @param {boolean} reads whether it is for reading alone
 * @returns {import('@potoroo/document-store').DocumentStore}
 */
function userDatabase (service, store, user, security, reads) {
  const seen = seenBy(store, user, security, service.users.isUsersDatabase(store.name))
  if (reads) seen.readable ??= bounded(service, store, user, security)
  else seen.writable ??= bounded(service, validated(store, user, security, service.queryServer), user, security)
  return reads ? seen.readable : seen.writable
}

/** In its bounds for this user, who may own some of its documents. */
function bounded (service, store, user, security) {
  const guarded = guard(store, user, security, service.users)
  return isReplicatorName(store.name) ? overlay(guarded, replicatorMethods(guarded, user, security, service.replicator)) : guarded
}

/** `ofUsers`: whether users are in it, which the configuration may change. */
function seenBy (store, user, security, ofUsers) {
  let users = known.get(store)
  if (users === undefined) known.set(store, users = new WeakMap())
  let seen = users.get(user)
  if (seen === undefined || seen.security !== security || seen.ofUsers !== ofUsers) users.set(user, seen = { security, ofUsers, readable: undefined, writable: undefined })
  return seen
}

module.exports = { userDatabase }
