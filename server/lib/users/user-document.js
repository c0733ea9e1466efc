'use strict'

const { copyInTurns, isLargeCopy } = require('@potoroo/document-store')
const { createError, printTerm } = require('@potoroo/errors')
const { PREFIX, isOfHash, withoutHash } = require('./users')

/** @typedef {import('../auth/authenticator').User} User */

/**
 * Checks that a document of `_users` is as it has to be, as CouchDB's `_design/_auth` has it.
 *
 * @param {any} doc with the members of its password's hash, if it has one
 * @param {any} before what stands there now, or null
 * @param {import('../auth/authenticator').User} user
 * @param {boolean} isAdmin of the server, or of the database
 * @throws forbidden
 * @see https://docs.couchdb.org/en/stable/intro/security.html#users-documents
 */
function validateUser (doc, before, user, isAdmin) {
  if (doc._deleted === true) return validateDeletion(before, user)
  requireForm(doc, before)
  requireHash(doc)
  if (!isAdmin) requireSameRoles(doc, before, user)
  if (doc.roles.some((/** @type {string} */ role) => role.startsWith('_') && role !== '_metrics')) throw forbidden('No system roles (starting with underscore) in users db.')
  if (doc.name.startsWith('_')) throw forbidden('Username may not start with underscore.')
  if (doc.name.includes(':')) throw forbidden('Character `:` is not allowed in usernames.')
}

/** @param {any} before @param {User} user */
function validateDeletion (before, { name, roles }) {
  if (roles.includes('_admin') || (name !== null && name === before?.name)) return
  throw forbidden('Only admins may delete other user docs.')
}

/** @param {any} doc @param {any} before */
function requireForm ({ _id: id, type, name, roles }, before) {
  if (type !== 'user') throw forbidden('doc.type must be user')
  if (!name) throw forbidden('doc.name is required')
  if (!roles) throw forbidden('doc.roles must exist')
  if (!Array.isArray(roles)) throw forbidden('doc.roles must be an array')
  if (roles.some(role => typeof role !== 'string')) throw forbidden('doc.roles can only contain strings')
  if (typeof name !== 'string' || id !== PREFIX + name) throw forbidden('Doc ID must be of the form org.couchdb.user:name')
  if (before !== null && before.name !== name) throw forbidden('Usernames can not be changed.')
}

const SCHEMES = ['simple', 'pbkdf2', 'simple+pbkdf2']

/** @param {any} doc */
function requireHash ({ password_sha: sha, password_scheme: scheme, salt, iterations, derived_key: key }) {
  if (sha && !salt) throw forbidden('Users with password_sha must have a salt.See /_utils/script/couch.js for example code.')
  if (scheme && !SCHEMES.includes(scheme)) throw forbidden(`Password scheme \`${scheme}\` not supported.`)
  if (scheme !== 'pbkdf2') return
  if (typeof iterations !== 'number') throw forbidden('iterations must be a number.')
  if (typeof key !== 'string') throw forbidden('derived_key must be a string.')
}

/** @param {any} doc @param {any} before @param {User} user */
function requireSameRoles (doc, before, user) {
  if (before === null) {
    if (doc.roles.length > 0) throw forbidden('Only _admin may set roles')
    return
  }
  if (user.name !== doc.name) throw forbidden('You may only update your own user document.')
  const old = Array.isArray(before.roles) ? [...before.roles].sort() : []
  const roles = [...doc.roles].sort()
  if (old.length !== roles.length || roles.some((role, i) => role !== old[i])) throw forbidden('Only _admin may edit roles')
}

/**
 * A document of `_users` as it may be kept: with a hash in place of its password.
 *
 * @param {any} doc
 * @param {(doc: any) => void} validate throws; it does not see the password
 * @param {import('../service/request-service').RequestUsers} users
 * @param {string} client whose turn the hashing costs
 * @throws forbidden, bad_request
 */
async function prepareUser (doc, validate, users, client) {
  const { password } = doc
  if (password === undefined || password === null) {
    validate(lookedAt(doc))
    return doc
  }
  if (typeof password !== 'string') throw forbidden(`Password value of '${printTerm(password)}' is invalid.`)
  const salt = doc.preserve_salt === true ? doc.salt : undefined
  if (salt !== undefined && typeof salt !== 'string') throw forbidden(`Salt value of '${printTerm(salt)}' is invalid.`)
  validate(withoutHash(lookedAt(doc)))
  return withHash(doc, await users.hash(password, { salt, client }))
}

/** Members that `validateUser` looks at: to copy all of them takes long where there are very many. */
const LOOKED_AT = ['_id', '_deleted', 'type', 'name', 'roles', 'password_sha', 'password_scheme', 'salt', 'iterations', 'derived_key']

/** @param {any} doc */
function lookedAt (doc) { return Object.fromEntries(LOOKED_AT.filter(name => Object.hasOwn(doc, name)).map(name => [name, doc[name]])) }

/** @param {any} doc @param {Record<string, any>} hash */
async function withHash (doc, hash) {
  try {
    if (isLargeCopy(doc)) return await copyInTurns(doc, name => !isOfHash(name), hash)
  } catch (error) {
    // It is nested too deeply for that, which few are.
    if (!(error instanceof RangeError)) throw error
  }
  return { ...withoutHash(doc), ...hash }
}

/** @param {string} reason */
function forbidden (reason) { return createError('FORBIDDEN', { reason }) }

module.exports = { lookedAt, prepareUser, validateUser }
