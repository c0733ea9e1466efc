'use strict'

const { isDatabaseAdmin, isMember } = require('../auth/access')

/** @typedef {Pick<import('../dispatch/request').DatabaseRequest, 'service' | 'params' | 'user' | 'security'>} Rights of a request */

/** Ways to authenticate whose roles are those of the user's document; others bring them with the request. */
const BY_DOCUMENT = new Set(['cookie', 'default'])

/**
 * Calls `end` once a user has other roles than a request had, or is there no longer.
 *
 * @param {import('../service/request-service').RequestUsers} users
 * @param {import('../auth/authenticator').User} user of the request
 * @param {() => void} end
 * @returns {() => void} ends that
 */
function watchRoles (users, { name, roles, authenticated }, end) {
  if (name === null || !BY_DOCUMENT.has(String(authenticated))) return () => {}
  const look = async () => {
    try {
      const record = await users.find(name)
      if (record === null || String([...record.roles].sort()) !== String([...roles].sort())) end()
    } catch {
      end()
    }
  }
  const stop = users.onChange(name, look)
  // They may have changed since the request was authenticated.
  look()
  return stop
}

/**
 * Calls `end` once `_security` leaves the user of a request with fewer rights than they had.
 *
 * @param {Rights} req
 * @param {() => void} end
 * @returns {() => void} ends that
 */
function watchSecurity ({ service: { databases }, params: { db }, user, security }, end) {
  const wasAdmin = isDatabaseAdmin(user, security)
  const look = (/** @type {any} */ now) => { if (!isMember(user, now) || (wasAdmin && !isDatabaseAdmin(user, now))) end() }
  const stop = databases.onSecurity(db, look)
  // It may have changed since the request was let in.
  databases.get(db).then(store => databases.security(store)).then(look).catch(end)
  return stop
}

/**
 * The same for all rights that a request has in a database with access by document.
 *
 * @param {Rights} req
 * @param {() => void} end
 * @returns {() => void} ends that
 */
function watchRights (req, end) {
  const stops = [watchRoles(req.service.users, req.user, end), watchSecurity(req, end)]
  return () => { for (const stop of stops) stop() }
}

module.exports = { watchRights, watchSecurity }
