'use strict'

const { isInert, toObject } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { canonical, isObject } = require('./equality')

/** @typedef {Pick<import('@potoroo/document-store').DocumentStore, 'allDocs' | 'byDocument' | 'get' | 'put'>} Database */

/** @typedef {{ name: string, ddoc: string, rev: string, schema: any, selector: any }} StoredSchema */

/** Members of a design document that has nothing but a schema. */
const OWN = new Set(['_id', '_rev', 'language', 'validate_schema'])

/**
 * Schemas are members of design documents, so that replication brings them along: that of name `person` is `validate_schema`
 * of `_design/person`.
 *
 * @param {Database} database
 * @returns {Promise<StoredSchema[]>}
 */
async function listSchemas (database) {
  const schemas = []
  const { rows } = await database.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
  for await (const page of rows) {
    for (const { document } of /** @type {any[]} */ (page)) {
      // Most have none, and may be long.
      if (!document.body.includes('"validate_schema"')) continue
      const stored = storedIn(database, toObject(document))
      if (stored !== null) schemas.push(stored)
    }
  }
  return schemas
}

/** @param {Database} database @param {any} design @returns {StoredSchema | null} */
function storedIn (database, design) {
  const { _id: ddoc, _rev: rev, validate_schema: rule } = design
  if (isInert(database, design) || !isObject(rule) || !Object.hasOwn(rule, 'schema')) return null
  return { name: ddoc.slice('_design/'.length), ddoc, rev, schema: rule.schema, selector: rule.selector ?? {} }
}

/** @param {Database} database @param {string} name @returns {Promise<StoredSchema>} @throws not_found */
async function getSchema (database, name) {
  const stored = storedIn(database, await read(database, name) ?? {})
  if (stored === null) throw missing()
  return stored
}

/**
 * Puts a schema into its design document, whose other members stay.
 *
 * @param {Database} database
 * @param {string} name
 * @param {any} body `{ schema, selector? }`
 * @returns {Promise<{ ok: true, id: string, rev: string, result: 'created' | 'exists' }>}
 */
async function putSchema (database, name, body) {
  if (!isObject(body)) throw badRequest('Request body must be a JSON object')
  const before = await read(database, name)
  if (before?.validate_schema !== undefined && canonical(before.validate_schema) === canonical(body)) return { ok: true, id: before._id, rev: before._rev, result: 'exists' }
  const { id, rev } = await put(database, { ...before ?? { _id: `_design/${name}` }, validate_schema: body })
  return { ok: true, id, rev, result: 'created' }
}

/**
 * Removes a schema, and its design document if that has nothing else.
 *
 * @param {Database} database
 * @param {string} name
 * @returns {Promise<{ ok: true, id: string, rev: string }>} @throws not_found
 */
async function deleteSchema (database, name) {
  const before = await read(database, name)
  if (before?.validate_schema === undefined) throw missing()
  const { validate_schema: rule, ...rest } = before
  const isEmpty = Object.keys(before).every(member => OWN.has(member))
  const { id, rev } = await put(database, isEmpty ? { _id: before._id, _rev: before._rev, _deleted: true } : rest)
  return { ok: true, id, rev }
}

/** @param {Database} database @param {any} ddoc */
async function put (database, ddoc) { return /** @type {{ id: string, rev: string }} */ (await database.put(ddoc)) }

/** @param {Database} database @param {string} name @returns {Promise<any>} the design document, null if there is none */
async function read (database, name) {
  try {
    return toObject(await database.get(`_design/${name}`))
  } catch (error) {
    if (/** @type {any} */ (error).status === 404) return null
    throw error
  }
}

function missing () { return createError('MISSING') }

module.exports = { deleteSchema, getSchema, listSchemas, putSchema }
