'use strict'

/**
 * Says what a security object means, as CouchDB's `couch_db:check_is_member` reads it: a database whose
 * members nobody names is open to everybody, for writing, too.
 */

const ADMIN = '_admin'

/** @param {Record<string, any> | undefined} security @returns {boolean} whether strangers may read and write */
function isPublic (security) {
  const { members } = usersOf(security)
  return members.names.length === 0 && members.roles.length === 0
}

/**
 * The security object that a database has after it is brought over. It lets in only
 * those who were named: PouchDB in an application, and CouchDB before 3.0, leave databases open by default.
 *
 * @param {Record<string, any> | undefined} security the source's
 * @param {boolean} open whether one that is open there stays so
 * @returns {Record<string, any>}
 */
function securityAfterImport (security, open) {
  if (open || !isPublic(security)) return security ?? {}
  const { admins } = usersOf(security)
  const named = admins.names.length > 0 || admins.roles.length > 0
  return { ...security, admins: named ? security?.admins : { roles: [ADMIN] }, members: { roles: [ADMIN] } }
}

/**
 * Tells whether two objects let in the same people as the same.
 * @param {Record<string, any> | undefined} one
 * @param {Record<string, any> | undefined} other
 */
function isSameSecurity (one, other) {
  return JSON.stringify(usersOf(one)) === JSON.stringify(usersOf(other))
}

/**
 * Reads names and roles in order; `readers` is the older name of members. A server's administrator needs no mention.
 * @param {Record<string, any> | undefined} security
 */
function usersOf (security) {
  const listed = (/** @type {any} */ group, /** @type {'names' | 'roles'} */ kind) => Array.isArray(group?.[kind]) ? [...new Set(group[kind].map(String))].sort() : []
  const groupOf = (/** @type {any} */ group) => ({ names: listed(group, 'names'), roles: listed(group, 'roles') })
  const admins = groupOf(security?.admins)
  return { admins: { ...admins, roles: admins.roles.filter(role => role !== ADMIN) }, members: groupOf(security?.members ?? security?.readers) }
}

module.exports = { isPublic, isSameSecurity, securityAfterImport, usersOf }
