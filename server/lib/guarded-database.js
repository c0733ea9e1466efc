'use strict'

const { createError } = require('@potoroo/errors')
const { PREFIX } = require('./auth/users')
const { hashPassword, toUserDocument } = require('./auth/password')
const { isServerAdmin, isDatabaseAdmin } = require('./auth/access')

/**
 * A database as one user sees it. Handlers use it like any DocumentStore; what it adds:
 *
 * - design documents are written by administrators only;
 * - in `_users`, passwords are hashed on their way in, documents have the form that logging in
 *   needs, and who is no administrator reads and writes their own document alone.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {import('./auth/authenticator').User} user
 * @param {any} security
 * @param {{ iterations: number }} options for hashing, looked at each time
 * @returns {import('@potoroo/document-store').DocumentStore} the store itself where nothing is to guard
 */
function guard (store, user, security, options) {
  const admin = store.name === '_users' ? isServerAdmin(user) : isDatabaseAdmin(user, security)
  if (store.name === '_users') return overlay(store, usersMethods(store, user, admin, options))
  return admin ? store : overlay(store, memberMethods(store, user))
}

/** The store with some methods in front of its own, which keep their `this`. */
function overlay (store, methods) {
  const bound = new Map(Object.entries(methods))
  return new Proxy(store, {
    get (target, property) {
      const known = bound.get(property)
      if (known !== undefined) return known
      const value = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      bound.set(property, method)
      return method
    },
    set (target, property, value) {
      return Reflect.set(target, property, value, target)
    }
  })
}

function memberMethods (store, user) {
  return writeMethods(store, doc => {
    if (isDesign(doc?._id)) throw notAdmin(user)
    return doc
  }, id => { if (isDesign(id)) throw notAdmin(user) })
}

function usersMethods (store, user, admin, options) {
  const mine = id => admin || id === PREFIX + user.name
  const seen = id => { if (!mine(id)) throw createError('MISSING') }
  const closed = () => { if (!admin) throw createError('FORBIDDEN') }
  return {
    ...writeMethods(store, async doc => {
      if (typeof doc?._id !== 'string' || doc._id.startsWith('_')) {
        closed()
        return doc
      }
      if (!mine(doc._id) && user.name !== null) throw createError('MISSING')
      return prepareUser(doc, admin ? null : await current(store, doc._id), admin, options.iterations)
    }, id => { if (id.startsWith('_')) closed(); else seen(id) }),
    async get (id, ...rest) { seen(id); return store.get(id, ...rest) },
    async openRevs (id, ...rest) { seen(id); return store.openRevs(id, ...rest) },
    async getRevisionTree (id) { seen(id); return store.getRevisionTree(id) },
    async getAttachment (id, ...rest) { seen(id); return store.getAttachment(id, ...rest) },
    async bulkGet (requests, ...rest) {
      requests.forEach(({ id }) => seen(id))
      return store.bulkGet(requests, ...rest)
    },
    async allDocs (...rest) { closed(); return store.allDocs(...rest) },
    async purges (...rest) { closed(); return store.purges(...rest) },
    changes (...rest) { closed(); return store.changes(...rest) },
    follow (...rest) { closed(); return store.follow(...rest) }
  }
}

/** The ways in: each document passes `prepare`, which gives it (changed or not) or throws. */
function writeMethods (store, prepare, admitId) {
  return {
    async put (doc, ...rest) { return store.put(await prepare(doc), ...rest) },
    async write (docs, ...rest) {
      return store.write(await Promise.all(docs.map(doc => preparedOrRefused(doc, prepare))), ...rest)
    },
    async putAttachment (id, ...rest) { admitId(id); return store.putAttachment(id, ...rest) },
    async removeAttachment (id, ...rest) { admitId(id); return store.removeAttachment(id, ...rest) }
  }
}

/** A refusal stands in the document's place: see DocumentStore's `write`. */
async function preparedOrRefused (doc, prepare) {
  try {
    return await prepare(doc)
  } catch (error) {
    return Object.assign(error, { id: doc?._id })
  }
}

async function current (store, id) {
  try {
    return JSON.parse((await store.get(id)).body)
  } catch (error) {
    if (error.status === 404) return null
    throw error
  }
}

/**
 * A user document as it may be kept.
 * @see https://docs.couchdb.org/en/stable/intro/security.html#users-documents
 */
async function prepareUser (doc, before, admin, iterations) {
  if (doc._deleted === true) return doc
  const name = doc._id.startsWith(PREFIX) ? doc._id.slice(PREFIX.length) : null
  if (doc.type !== 'user') throw forbidden('doc.type must be user')
  if (!doc.name) throw forbidden('doc.name is required')
  if (!Array.isArray(doc.roles)) throw forbidden('doc.roles must be an array')
  if (doc.roles.some(role => typeof role !== 'string')) throw forbidden('doc.roles can only contain strings')
  if (doc.name !== name) throw forbidden('Doc ID must be of the form org.couchdb.user:name')
  if (doc.roles.some(role => role.startsWith('_'))) throw forbidden('No system roles (starting with underscore) in users db.')
  if (name.startsWith('_')) throw forbidden('Username may not start with underscore.')
  if (name.includes(':')) throw forbidden('Character `:` is not allowed in usernames.')
  if (!admin && !sameRoles(doc.roles, before?.roles ?? [])) throw forbidden('Only _admin may edit roles')
  if (doc.password === undefined || doc.password === null) return doc
  if (typeof doc.password !== 'string') throw forbidden('doc.password must be a string')
  const { password, ...rest } = doc
  return { ...rest, ...toUserDocument(await hashPassword(password, iterations)) }
}

function sameRoles (one, other) {
  return one.length === other.length && [...one].sort().every((role, i) => role === [...other].sort()[i])
}

function forbidden (reason) { return createError('FORBIDDEN', { reason }) }

function isDesign (id) { return typeof id === 'string' && id.startsWith('_design/') }

function notAdmin (user) {
  return createError(user.name === null ? 'UNAUTHORIZED' : 'FORBIDDEN', { reason: 'You are not a db or server admin.' })
}

module.exports = { guard, overlay }
