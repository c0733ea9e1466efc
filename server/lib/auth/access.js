'use strict'

const { createError } = require('@potoroo/errors')

/**
 * Who may do what. Security objects are CouchDB's:
 * `{ admins: { names, roles }, members: { names, roles } }`.
 * @see https://docs.couchdb.org/en/stable/api/database/security.html
 */

/** @returns {boolean} an administrator of the server */
function isServerAdmin (user) {
  return user.roles.includes('_admin')
}

function isListed (user, group) {
  if (group === undefined || group === null) return false
  return (user.name !== null && group.names?.includes(user.name)) || user.roles.some(role => group.roles?.includes(role))
}

function isDatabaseAdmin (user, security) {
  return isServerAdmin(user) || isListed(user, security?.admins)
}

function isMember (user, security) {
  const members = security?.members
  const isPublic = !(members?.names?.length > 0) && !(members?.roles?.length > 0)
  return isPublic || isDatabaseAdmin(user, security) || isListed(user, members)
}

/**
 * Lets a user pass or throws CouchDB's refusal.
 *
 * @param {import('./authenticator').User} user
 * @param {import('../route-table').Who} who
 * @param {any} security of the database, null on routes without one
 */
function admit (user, who, security) {
  switch (who) {
    case 'anyone': return
    case 'user':
      if (user.name !== null || isServerAdmin(user)) return
      throw createError('UNAUTHORIZED', { reason: 'You are not authorized to use this feature.' })
    case 'admin':
      if (isServerAdmin(user)) return
      throw createError('UNAUTHORIZED', { reason: 'You are not a server admin.' })
    case 'metrics':
      if (isServerAdmin(user) || user.roles.includes('_metrics')) return
      throw createError('UNAUTHORIZED', { reason: 'You are not a server admin or read-only metrics user' })
    case 'member':
      if (isMember(user, security)) return
      throw user.name === null ? createError('UNAUTHORIZED') : createError('FORBIDDEN')
    case 'database-admin':
      if (isDatabaseAdmin(user, security)) return
      throw createError(user.name === null ? 'UNAUTHORIZED' : 'FORBIDDEN', { reason: 'You are not a db or server admin.' })
    default:
      throw new TypeError(`Nobody is ${who}`)
  }
}

module.exports = { admit, isServerAdmin, isDatabaseAdmin, isMember }
