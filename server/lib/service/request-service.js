'use strict'

/**
 * The public members of a class, for others to stand in for it.
 * @template T
 * @typedef {{ [K in keyof T]: T[K] }} Face
 */

/** @typedef {Face<import('../auth/authenticator').Authenticator>} RequestAuthenticator */
/** @typedef {Face<import('../users/users').Users>} RequestUsers */
/** @typedef {Face<import('../databases/server-databases').ServerDatabases>} RequestDatabases */
/** @typedef {Face<import('@potoroo/indexes').Searches>} RequestSearches */
/** @typedef {Face<import('@potoroo/indexes').Views>} RequestViews */
/** @typedef {Face<import('../indexes/moments').Moments>} RequestMoments */
/** @typedef {Face<import('@potoroo/indexes').Mango>} RequestMango */

/**
 * The service as requests have it: a Service, or a ThreadService that stands in for it where a thread answers, and
 * throws an OwnerOnlyError where it cannot.
 *
 * @typedef {Omit<Face<import('./service').Service>, 'authenticator' | 'databases' | 'mango' | 'moments' | 'searches' | 'users' | 'views'> & {
 *   authenticator: RequestAuthenticator,
 *   databases: RequestDatabases,
 *   mango: RequestMango,
 *   moments: RequestMoments,
 *   searches: RequestSearches,
 *   users: RequestUsers,
 *   views: RequestViews
 * }} RequestService
 */

module.exports = {}
