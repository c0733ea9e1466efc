'use strict'

const { badRequest, createError } = require('@potoroo/errors')

/**
 * The roles in a token's claims: a list of texts, or one text with commas. `roles_claim_path` says
 * where, with dots between the levels and `\.` for a dot of a name; or else `roles_claim_name`, a
 * name of the first level.
 *
 * @param {Record<string, any>} claims
 * @param {Record<string, string>} settings `[jwt_auth]`
 * @returns {string[]}
 * @throws bad_request "Malformed token"; not_found where the path leads nowhere, as CouchDB has it
 */
function rolesOf (claims, { roles_claim_path: path, roles_claim_name: name }) {
  const roles = path ? follow(claims, path) : Object.hasOwn(claims, name) ? claims[name] : []
  const list = typeof roles === 'string' ? roles.split(',').map(role => role.trim()).filter(Boolean) : roles
  if (!Array.isArray(list) || list.some(role => typeof role !== 'string')) throw badRequest('Malformed token')
  return list
}

/** @param {Record<string, any>} claims @param {string} path */
function follow (claims, path) {
  let value = claims
  for (const part of path.split(/(?<!\\)\./)) {
    const key = part.replaceAll('\\.', '.')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw createError('MISSING', { reason: 'json_mismatch' })
    if (!Object.hasOwn(value, key)) throw createError('MISSING', { reason: `missing json key: ${key}` })
    value = value[key]
  }
  return value
}

module.exports = { rolesOf }
