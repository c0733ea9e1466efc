'use strict'

const { createError } = require('@potoroo/errors')

/** @typedef {import('./authenticator').User} User */

/**
 * Decides who may do what. Security objects are CouchDB's:
 * `{ admins: { names, roles }, members: { names, roles } }`; `readers` is the older name of members.
 * @see https://docs.couchdb.org/en/stable/api/database/security.html
 */

/** @param {User} user @returns {boolean} an administrator of the server */
function isServerAdmin (user) {
  return user.roles.includes('_admin')
}

/** @param {User} user @param {any} group */
function isListed (user, group) {
  if (group === undefined || group === null) return false
  return (user.name !== null && group.names?.includes(user.name) === true) || user.roles.some(role => group.roles?.includes(role))
}

/** @param {User} user @param {any} security */
function isDatabaseAdmin (user, security) {
  return isServerAdmin(user) || isListed(user, security?.admins)
}

/** @param {User} user @param {any} security */
function isMember (user, security) {
  const members = security?.members ?? security?.readers
  const isPublic = !(members?.names?.length > 0) && !(members?.roles?.length > 0)
  return isPublic || isDatabaseAdmin(user, security) || isListed(user, members)
}

/**
 * Lets a user pass or throws CouchDB's refusal.
 *
 * @param {import('./authenticator').User} user
 * @param {import('../dispatch/route-table').Who} who
 * @param {any} security of the database, null on routes without one
 */
function admit (user, who, security) {
  switch (who) {
    case 'anyone': return
    case 'user':
      if (user.name === null && !isServerAdmin(user)) throw unauthorized('You are not an authenticated user')
      return
    case 'admin':
      if (!isServerAdmin(user)) throw unauthorized('You are not a server admin.')
      return
    case 'metrics':
      if (!isServerAdmin(user) && !user.roles.includes('_metrics')) throw unauthorized('You are not a server admin or read-only metrics user')
      return
    case 'member':
      return requireMember(user, security)
    case 'database-admin':
      requireMember(user, security)
      if (!isDatabaseAdmin(user, security)) throw refusal(user, 'You are not a db or server admin.')
      return
    case 'maintainer':
      requireMember(user, security)
      if (!isDatabaseAdmin(user, security)) throw unauthorized('You are not a server or db admin.')
      return
    default:
      throw new TypeError(`A route is for '${who}', which is no kind of user`)
  }
}

/** @param {User} user @param {any} security */
function requireMember (user, security) {
  if (!isMember(user, security)) throw refusal(user)
}

/** Refuses: a user with a name is forbidden; one without may still say who they are. @param {User} user @param {string} [reason] */
function refusal (user, reason) {
  return createError(user.name === null ? 'UNAUTHORIZED' : 'FORBIDDEN', { reason })
}

/** @param {string} reason */
function unauthorized (reason) { return createError('UNAUTHORIZED', { reason }) }

module.exports = { admit, isServerAdmin, isDatabaseAdmin, isMember }
