'use strict'

const crypto = require('node:crypto')
const { toObjectInTurns } = require('@potoroo/document-store')
const { createError, formatTerm } = require('@potoroo/errors')
const { assertKnown, assertObject, missingKey, parseSort, positive } = require('../request/find-request')
const { mangoError } = require('../selector/mango-error')
const { isObject, normalizeSelector, printSelector } = require('../selector/normalize-selector')
const { parsePath } = require('../selector/path')
const { analyzerOf, parseTextIndex } = require('../text/definition')
const { parseVectorIndex } = require('../vector/definition')

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */

/** A member of a design document, and what it gets. @typedef {{ member: string, value: any }} Part */

/** Writes of one design document that are tried while others write it. */
const MOST_TRIES = 20

/**
 * Writes an index into its design document.
 *
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {any} body `{ index: { fields, partial_filter_selector }, ddoc, name, type, partitioned, w }`, and, in a database with
 *   access by document, `access`: whether the index has rows by principal, which finds of members use
 * @returns {Promise<{ result: 'created' | 'exists', id: string, name: string }>}
 * @see https://docs.couchdb.org/en/stable/api/database/find.html#db-index
 */
async function createIndex (database, body) {
  const { ddoc, name, part, options } = parseDefinition(body, database)
  const id = `_design/${ddoc}`
  if (id === '_design/') throw createError('ILLEGAL_DOCID', { reason: 'Illegal document id `_design/`' })
  for (let tries = 1; ; tries++) {
    try {
      return { result: await addPart(database, id, name, part, options), id, name }
    } catch (error) {
      // Somebody has written the design document since it was read, perhaps this very index.
      if (error.code !== 'CONFLICT' || tries === MOST_TRIES) throw error
    }
  }
}

/**
 * @param {DocumentStore} database
 * @param {string} id
 * @param {string} name
 * @param {Part} part
 * @param {{ partitioned?: boolean, access?: boolean }} options of the design document
 * @returns {Promise<'created' | 'exists'>}
 */
async function addPart (database, id, name, { member, value }, { partitioned, access }) {
  const before = await read(database, id)
  if (before !== null && before.language !== 'query') throw mangoError('invalid_ddoc_lang', `Existing design doc has an invalid language: ${languageOf(before)}`)
  if (before !== null && partitioned !== before.options?.partitioned) throw mangoError('invalid_partitioned_option', `Requested partitioned option does not match existing value on design document ${id}`)
  if (before !== null && database.byDocument && access !== before.options?.access) throw mangoError('invalid_access_option', `Requested access option does not match existing value on design document ${id}`)
  const options = { ...partitioned === false && { partitioned }, ...access && { access } }
  const design = before ?? { _id: id, language: 'query', ...Object.keys(options).length > 0 && { options } }
  const known = design[member]?.[name]
  if (known !== undefined && JSON.stringify(known) === JSON.stringify(value)) return 'exists'
  await database.put({ ...design, [member]: { ...design[member], [name]: value } })
  return 'created'
}

/** @param {any} ddoc */
function languageOf ({ language }) { return language === undefined ? 'false' : `{${formatTerm('language')},${formatTerm(language)}}` }

/** The design document that an index is written into. @param {any} body @param {boolean} partitioned @returns {string} */
function designOfIndex (body, partitioned) { return `_design/${parseDefinition(body, { partitioned, byDocument: false }).ddoc}` }

/** @param {any} body @param {{ partitioned: boolean, byDocument: boolean }} database */
function parseDefinition (body, database) {
  assertObject(body)
  const { index, type = 'json', ddoc, name, w = 2, partitioned = false, access = false } = body
  if (index === undefined) throw missingKey('index')
  if (typeof type !== 'string') throw mangoError('invalid_string', `Invalid string: ${formatTerm(type)}`)
  checkName(name)
  checkName(ddoc)
  positive(w)
  if (typeof partitioned !== 'boolean') throw mangoError('invalid_value', `Invalid value for partitioned: ${formatTerm(partitioned)}`)
  if (database.byDocument && typeof access !== 'boolean') throw mangoError('invalid_value', `Invalid value for access: ${formatTerm(access)}`)
  assertKnown(body, ['index', 'type', 'name', 'ddoc', 'w', 'partitioned', ...database.byDocument ? ['access'] : []])
  if (!Object.hasOwn(members, type)) throw mangoError('invalid_index', `Invalid type for index: ${type}`)
  if (partitioned && !database.partitioned) throw mangoError('error_saving_ddoc', 'Unknown error while saving the design document: invalid_design_doc')
  const part = { member: members[type], value: parsers[type](index) }
  const made = crypto.createHash('sha1').update(JSON.stringify([index, ddoc ?? null, name ?? null])).digest('hex')
  const options = { partitioned: body.partitioned, access: access || undefined }
  return { part, ddoc: (ddoc ?? made).replace(/^_design\//, ''), name: name ?? made, options }
}

/** Members of design documents that have the indexes of a type. @type {Record<string, string>} */
const members = { json: 'views', text: 'indexes', nouveau: 'nouveau', vector: 'vectors' }

/** @type {Record<string, (index: any) => any>} */
const parsers = { json: viewOf, text: index => textOf(index, 'text'), nouveau: index => textOf(index, 'nouveau'), vector: parseVectorIndex }

/** Makes the text index that the design document gets, as CouchDB writes it. @param {any} index @param {import('../text/kinds').TextType} type */
function textOf (index, type) {
  const parsed = parseTextIndex(index, type)
  return { index: parsed, analyzer: analyzerOf(parsed) }
}

/** @param {any} name */
function checkName (name) {
  if (name === undefined) return
  if (name === '') throw mangoError('invalid_empty_string', 'Index name or ddoc cannot be empty string')
  if (typeof name !== 'string') throw mangoError('invalid_string', `Invalid string: ${formatTerm(name)}`)
}

/** Makes the view that the design document gets, as CouchDB writes it. @param {any} index */
function viewOf (index) {
  if (!isObject(index)) throw mangoError('invalid_index', `JSON indexes must be an object, not: ${formatTerm(index)}`)
  const { fields, partial_filter_selector: partial = {} } = index
  if (fields === undefined) throw missingKey('fields')
  const sorted = parseSort(fields)
  for (const field of sorted.keys()) parsePath(field)
  const node = normalizeSelector(partial)
  assertKnown(index, ['fields', 'partial_filter_selector'])
  return { map: { fields: Object.fromEntries(sorted), partial_filter_selector: printSelector(node) }, reduce: '_count', options: { def: index } }
}

/**
 * The design document goes with its last index.
 *
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {string} ddocName with or without `_design/`
 * @param {string} name
 * @param {'json' | 'text' | 'nouveau' | 'vector'} [type]
 */
async function deleteIndex (database, ddocName, name, type = 'json') {
  const ddoc = await read(database, designId(ddocName))
  const member = members[type]
  if (ddoc?.language !== 'query' || !Object.hasOwn(ddoc[member] ?? {}, name)) throw createError('MISSING')
  const { [name]: dropped, ...others } = ddoc[member]
  const { [member]: all, ...rest } = ddoc
  const left = Object.keys(others).length === 0 ? rest : { ...ddoc, [member]: others }
  await database.put(isEmpty(left) ? { _id: ddoc._id, _rev: ddoc._rev, _deleted: true } : left)
  return { ok: true }
}

/** Whether a design document has no index. @param {Record<string, any>} ddoc */
function isEmpty (ddoc) { return Object.values(members).every(member => Object.keys(ddoc[member] ?? {}).length === 0) }

/**
 * Deletes all indexes of design documents. The answers come in CouchDB's order: the last first.
 *
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {any} body `{ docids, w }`
 */
async function bulkDelete (database, body) {
  assertObject(body)
  const { docids, w = 2 } = body
  if (docids === undefined) throw missingKey('docids')
  if (!Array.isArray(docids)) throw mangoError('invalid_bulk_docs', `Bulk Delete requires an array of non-null docids. Docids: ${formatTerm(docids)}`)
  for (const id of docids) if (typeof id !== 'string') throw mangoError('invalid_index_name', `Invalid index name: ${formatTerm(id)}`)
  positive(w)
  assertKnown(body, ['docids', 'w'])
  const answer = { success: /** @type {Array<{ id: string, ok: true }>} */ ([]), fail: /** @type {Array<{ id: string, error: string }>} */ ([]) }
  for (const id of docids.map(designId)) {
    const ddoc = await read(database, id)
    if (ddoc?.language === 'query' && Object.values(members).some(member => isObject(ddoc[member]))) {
      await database.put({ _id: id, _rev: ddoc._rev, _deleted: true })
      answer.success.unshift({ id, ok: true })
    } else answer.fail.unshift({ id, error: 'not_found' })
  }
  return answer
}

/** @param {string} name */
function designId (name) { return name.startsWith('_design/') ? name : `_design/${name}` }

/** @param {DocumentStore} database @param {string} id @returns {Promise<Record<string, any> | null>} */
async function read (database, id) {
  try {
    return await toObjectInTurns(await database.get(id))
  } catch (error) {
    if (error.status === 404) return null
    throw error
  }
}

module.exports = { designOfIndex, bulkDelete, createIndex, deleteIndex }
