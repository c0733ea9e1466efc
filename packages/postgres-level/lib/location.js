'use strict'

/** Names of tables are not quoted. */
const PREFIX = /^[a-z_][a-z0-9_]{0,39}$/

/**
 * @param {unknown} location
 * @returns {string} it
 * @throws TypeError whose text does not repeat it, as it may have a password
 */
function checkLocation (location) {
  if (typeof location === 'string' && /^postgres(ql)?:\/\/./.test(location) && isUrl(location)) return location
  throw new TypeError("The first argument 'location' must be a URL, postgres://user:password@host:port/database")
}

/** A URL with a socket's folder in its query has no host. @param {string} location */
function isUrl (location) {
  return URL.canParse(location) || URL.canParse(location.replace(/@\//, '@localhost/'))
}

/**
 * The URL without its password and its options, for people.
 *
 * @param {string} location
 */
function describeLocation (location) {
  const [, user = '', rest] = /** @type {RegExpExecArray} */ (/^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::[^@]*)?@)?([^?#]*)/.exec(location))
  return `postgres://${user === '' ? '' : `${user}@`}${rest}`
}

/** @param {unknown} [prefix] */
function checkPrefix (prefix = 'potoroo') {
  if (typeof prefix === 'string' && PREFIX.test(prefix)) return prefix
  throw new TypeError("The option 'prefix' must be up to 40 small letters, digits and underscores")
}

module.exports = { checkLocation, checkPrefix, describeLocation }
