'use strict'

const crypto = require('node:crypto')
const { toObject } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { planFind, ALL_DOCS } = require('./find-plan')
const { parseFind, makeBookmark, missingKey, invalid } = require('./find-request')
const { compileSelector, parsePath, fieldOf } = require('./selector')

/**
 * Finds documents by selectors, with indexes where there are some.
 * @see https://docs.couchdb.org/en/stable/api/database/find.html
 */
class Mango {
  #views

  /** @param {import('./views').Views} views */
  constructor (views) {
    this.#views = views
  }

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {any} body of `POST /{db}/_find`
   * @returns {Promise<{ docs: any[], bookmark: string, warning?: string, execution_stats?: any }>}
   */
  async find (database, body) {
    const started = Date.now()
    const request = parseFind(body)
    const { index, range, warning } = planFind(request, await this.#indexes(database))
    const { docs, examined } = await collect(this.#candidates(database, request, index, range), request)
    return {
      docs: request.fields === undefined ? docs : docs.map(doc => project(doc, request.fields)),
      bookmark: docs.length < request.limit || docs.length === 0 ? 'nil' : makeBookmark(request.skip + docs.length),
      ...(request.stats && { execution_stats: { total_keys_examined: index === ALL_DOCS ? 0 : examined, total_docs_examined: examined, total_quorum_docs_examined: 0, results_returned: docs.length, execution_time_ms: Date.now() - started } }),
      ...(warning && { warning })
    }
  }

  #candidates (database, request, index, range) {
    const { descending, conflicts } = request
    const { startkey, endkey } = descending ? { startkey: range.endkey, endkey: range.startkey } : range
    if (index === ALL_DOCS) return allDocuments(database, { startkey, endkey, descending, conflicts })
    return this.#views.documents(database, index.ddoc.slice('_design/'.length), index.name, { startkey, endkey, descending, conflicts })
  }

  /** What `POST /{db}/_explain` says. */
  async explain (database, body) {
    const request = parseFind(body)
    const { index, range } = planFind(request, await this.#indexes(database))
    const { startkey, endkey } = range
    return {
      dbname: database.name,
      index: listed(index),
      partitioned: false,
      selector: request.selector,
      opts: { use_index: request.useIndex, bookmark: 'nil', limit: request.limit, skip: request.skip, sort: body.sort ?? {}, fields: request.fields ?? [], conflicts: request.conflicts, r: 1, update: true, stable: false, execution_stats: request.stats },
      limit: request.limit,
      skip: request.skip,
      fields: request.fields ?? [],
      mrargs: { include_docs: true, view_type: 'map', reduce: false, direction: request.descending ? 'rev' : 'fwd', start_key: startkey ?? null, end_key: endkey ?? null }
    }
  }

  /** What `GET /{db}/_index` says. */
  async list (database) {
    const indexes = [ALL_DOCS, ...await this.#indexes(database)]
    return { total_rows: indexes.length, indexes: indexes.map(listed) }
  }

  /**
   * @param {any} body `{ index: { fields, partial_filter_selector }, ddoc, name, type }`
   * @returns {Promise<{ result: 'created' | 'exists', id: string, name: string }>}
   */
  async create (database, body) {
    const { view, fields } = parseDefinition(body)
    const hash = crypto.createHash('sha1').update(JSON.stringify([fields, view.map.partial_filter_selector])).digest('hex')
    const id = `_design/${(body.ddoc ?? hash).replace(/^_design\//, '')}`
    const name = body.name ?? hash
    const ddoc = await read(database, id) ?? { _id: id, language: 'query', views: {} }
    if (ddoc.language !== 'query') throw invalid('invalid_design_doc_language', 'Invalid design document language')
    const views = ddoc.views ?? {}
    if (Object.hasOwn(views, name) && JSON.stringify(views[name]) === JSON.stringify(view)) return { result: 'exists', id, name }
    await database.put({ ...ddoc, views: { ...views, [name]: view } })
    return { result: 'created', id, name }
  }

  /** The design document goes with its last index. */
  async delete (database, ddocName, name) {
    const id = `_design/${ddocName.replace(/^_design\//, '')}`
    const ddoc = await read(database, id)
    if (ddoc?.language !== 'query' || !Object.hasOwn(ddoc.views ?? {}, name)) throw createError('MISSING', { reason: 'index not found' })
    const { [name]: dropped, ...views } = ddoc.views
    await database.put(Object.keys(views).length === 0 ? { _id: id, _rev: ddoc._rev, _deleted: true } : { ...ddoc, views })
    return { ok: true }
  }

  /** @returns {Promise<import('./find-plan').Index[]>} */
  async #indexes (database) {
    const indexes = []
    const { rows } = await database.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
    for await (const page of rows) {
      for (const { document } of page) {
        // Most design documents are none of ours; that is seen without parsing them.
        if (document?.body.includes('"query"')) indexes.push(...indexesOf(toObject(document)))
      }
    }
    return indexes
  }
}

/**
 * @param {any} ddoc
 * @returns {import('./find-plan').Index[]}
 */
function indexesOf ({ _id: ddoc, language, views = {} }) {
  if (language !== 'query') return []
  return Object.entries(views).filter(([, view]) => typeof view?.map?.fields === 'object').map(([name, { map, options }]) => ({
    ddoc,
    name,
    type: 'json',
    partial: map.partial_filter_selector !== undefined,
    fields: Object.keys(map.fields),
    def: { ...options?.def, fields: Object.entries(map.fields).map(([field, direction]) => ({ [field]: direction })), ...(map.partial_filter_selector && { partial_filter_selector: map.partial_filter_selector }) }
  }))
}

function listed ({ ddoc, name, type, def }) {
  return { ddoc, name, type, partitioned: false, def }
}

function parseDefinition (body) {
  const { index, type = 'json', ddoc, name } = body ?? {}
  if (index === undefined) throw missingKey('index')
  if (type !== 'json') throw createError('NOT_IMPLEMENTED', { reason: `Indexes of type ${JSON.stringify(type)} are not implemented` })
  for (const text of [ddoc, name]) if (text !== undefined && (typeof text !== 'string' || text === '')) throw invalid('invalid_index_name', `Invalid index name: ${JSON.stringify(text)}`)
  const { fields, partial_filter_selector: partial } = index ?? {}
  if (!Array.isArray(fields) || fields.length === 0) throw invalid('invalid_index_fields_definition', 'Text Index field definitions not supported here; `fields` must be a list of fields')
  const pairs = fields.map(field => {
    const [pair] = typeof field === 'string' ? [[field, 'asc']] : Object.entries(field ?? {})
    if (pair === undefined || !['asc', 'desc'].includes(pair[1])) throw invalid('invalid_index_fields_definition', `Invalid field: ${JSON.stringify(field)}`)
    return pair
  })
  if (new Set(pairs.map(([, direction]) => direction)).size > 1) throw invalid('unsupported_mixed_sort', 'Sorts currently only support a single direction for all fields.')
  if (partial !== undefined) compileSelector(partial)
  const map = { fields: Object.fromEntries(pairs), ...(partial !== undefined && { partial_filter_selector: partial }) }
  return { fields: pairs, view: { map, reduce: '_count', options: { def: { fields } } } }
}

async function read (database, id) {
  try {
    return toObject(await database.get(id))
  } catch (error) {
    if (error.status === 404) return null
    throw error
  }
}

async function * allDocuments (database, { startkey, endkey, descending, conflicts }) {
  const isKey = key => typeof key === 'string'
  const { rows } = await database.allDocs({ startkey: isKey(startkey) ? startkey : undefined, endkey: isKey(endkey) ? endkey : undefined, descending, conflicts, includeDocs: true })
  for await (const page of rows) {
    for (const { id, document } of page) if (document && !id.startsWith('_design/')) yield toObject(document)
  }
}

async function collect (candidates, { matches, skip, limit }) {
  const docs = []
  let examined = 0
  let skipped = 0
  if (limit === 0) return { docs, examined }
  for await (const doc of candidates) {
    examined++
    if (!matches(doc) || skipped++ < skip) continue
    docs.push(doc)
    if (docs.length >= limit) break
  }
  return { docs, examined }
}

/** Only these fields, each where it was. */
function project (doc, fields) {
  const result = {}
  for (const field of fields) {
    const path = parsePath(field)
    const value = fieldOf(doc, path)
    if (value === undefined) continue
    let at = result
    for (const name of path.slice(0, -1)) at = Object.hasOwn(at, name) ? at[name] : (at[name] = {})
    at[path.at(-1)] = value
  }
  return result
}

module.exports = { Mango }
