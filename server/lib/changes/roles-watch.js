'use strict'

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

module.exports = { watchRoles }
