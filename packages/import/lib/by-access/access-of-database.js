'use strict'

const { usersOf } = require('../import/security')

/** As couch_peruser names the database of a user. */
const OF_USER = /^userdb-((?:[0-9a-f]{2})+)$/

/** The user whose database this is, by its name. @param {string} name @returns {string | undefined} */
function userOf (name) {
  const [, hex] = OF_USER.exec(name) ?? []
  if (hex === undefined) return undefined
  const user = Buffer.from(hex, 'hex').toString()
  return Buffer.from(user).toString('hex') === hex ? user : undefined
}

/**
 * Returns who may read and write a database, for documents that come from it. Everybody who is named counts, as a member or
 * as an admin. A database that lets everybody in is its user's, by its name; without one it is those admins' who are named.
 *
 * @param {string} name of the database
 * @param {Record<string, any> | undefined} security
 * @returns {{ names: string[], roles: string[] }} nobody where only administrators of the server may
 */
function accessOfDatabase (name, security) {
  const { admins, members } = usersOf(security)
  const user = members.names.length + members.roles.length === 0 ? userOf(name) : undefined
  const union = (/** @type {string[][]} */ ...lists) => [...new Set(lists.flat())].sort()
  return {
    // In `_access` such a name would be a role's.
    names: union(admins.names, members.names, user === undefined ? [] : [user]).filter(name => !name.startsWith('role:')),
    roles: union(admins.roles, members.roles).filter(role => role !== '_admin')
  }
}

module.exports = { accessOfDatabase, userOf }
