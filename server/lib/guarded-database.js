'use strict'

const { createError } = require('@potoroo/errors')
const { isServerAdmin, isDatabaseAdmin } = require('./auth/access')
const { guardUsers } = require('./auth/users-database')
const { overlay } = require('./overlay')

/**
 * A database as one user sees it. Handlers use it like any DocumentStore; what it adds:
 *
 * - design documents are written by administrators only;
 * - databases of users are as `auth/users-database.js` has it.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {import('./auth/authenticator').User} user
 * @param {any} security
 * @param {import('./auth/users').Users} users
 * @returns {import('@potoroo/document-store').DocumentStore} the store itself where nothing is to guard
 */
function guard (store, user, security, users) {
  const isAdmin = isServerAdmin(user) || isDatabaseAdmin(user, security)
  if (users.isUsersDatabase(store.name)) return guardUsers(store, user, isAdmin, users)
  return isAdmin ? store : overlay(store, memberMethods(store, user))
}

function memberMethods (store, user) {
  const admit = id => { if (typeof id === 'string' && id.startsWith('_design/')) throw notAdmin(user) }
  return {
    async put (doc, ...rest) { admit(doc?._id); return store.put(doc, ...rest) },
    async write (docs, ...rest) { return store.write(docs.map(doc => refusedOr(doc, admit)), ...rest) },
    async putAttachment (id, ...rest) { admit(id); return store.putAttachment(id, ...rest) },
    async removeAttachment (id, ...rest) { admit(id); return store.removeAttachment(id, ...rest) }
  }
}

/** A refusal stands in the document's place: see DocumentStore's `write`. */
function refusedOr (doc, admit) {
  try {
    admit(doc?._id)
    return doc
  } catch (error) {
    return Object.assign(error, { id: doc._id })
  }
}

function notAdmin (user) {
  return createError(user.name === null ? 'UNAUTHORIZED' : 'FORBIDDEN', { reason: 'You are not a db or server admin.' })
}

module.exports = { guard }
