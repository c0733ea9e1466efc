'use strict'

const { toJson, toObjectInTurns } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { Turn, compileFields, compileSelectorInTurns } = require('@potoroo/indexes')
const { designOf } = require('../functions/design')
const { requestObject } = require('../functions/request-object')

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('@potoroo/document-store').Change} Change */
/** @typedef {import('@potoroo/document-store').Document} Document */

/**
 * Returns what a `_changes` request filters by, as options of the document store's `changes()` and
 * `follow()`: `{}`, `{ docIds }` or `{ filter }`.
 *
 * @param {DatabaseRequest} req with `args` (`filter`, `doc_ids`, `view`) and `body` (`doc_ids`, `selector`)
 * @returns {Promise<FilterOptions>}
 * @see https://docs.couchdb.org/en/stable/api/database/changes.html#filtering
 */
async function filterFor (req) {
  const { filter, view } = req.args
  if (filter === undefined || filter === '') return {}
  return filterOf({
    database: req.database,
    queryServer: req.service.queryServer,
    counts: req.service.counts,
    filter,
    docIds: req.body?.doc_ids ?? req.args.doc_ids,
    // A body that lacks it is no object there, either.
    selector: req.method === 'POST' ? req.body?.selector ?? null : undefined,
    fields: req.body?.fields,
    view,
    request: filter.startsWith('_') ? undefined : await requestObject(req, { store: req.database, body: req.body ?? 'undefined' })
  })
}

/**
 * @typedef {{ docIds?: string[], filter?: (changes: any[]) => boolean[] | Promise<boolean[]>, project?: (doc: any) => any, pendingOfRows?: boolean }} FilterOptions
 *   project: what is shown of a document
 *
 * @typedef {object} Filtering
 * @property {import('../databases/database-view').AnyDatabase} database
 * @property {import('@potoroo/query-server').QueryServer} queryServer
 * @property {import('../stats/statistics').Statistics} [counts]
 * @property {string} filter `_doc_ids`, `_selector`, `_design`, `_view` or `design/filter`
 * @property {any} [docIds]
 * @property {any} [selector]
 * @property {any} [fields] that are shown with a selector
 * @property {string} [view] `design/view`
 * @property {any} [request] what a filter function gets as its second argument
 */

/**
 * @param {Filtering} filtering
 * @returns {Promise<FilterOptions>}
 */
async function filterOf (filtering) {
  const { filter } = filtering
  if (Object.hasOwn(builtIns, filter)) return builtIns[filter](filtering)
  if (filter.startsWith('_')) throw badRequest('unknown builtin filter name')
  return functionFilter(filtering)
}

/** Ids that CouchDB looks up one by one: then it does not count what it passes over, nor among design documents. */
const LOOKED_UP = 100

/** @type {Record<string, (filtering: Filtering) => any>} */
const builtIns = {
  _doc_ids ({ docIds }) {
    if (!Array.isArray(docIds) || docIds.some(id => typeof id !== 'string')) {
      throw badRequest('`doc_ids` filter parameter is not a list of doc ids.')
    }
    return { docIds, pendingOfRows: docIds.length <= LOOKED_UP }
  },
  _selector ({ database, selector, fields }) {
    if (selector === undefined) throw badRequest('Selector must be specified in POST payload')
    const matches = matcherOf(selector)
    return { ...fieldsOf(fields), filter: byRevision(database, documents => matchEach(matches, documents, database.name)) }
  },
  _design: () => ({ pendingOfRows: true, filter: (/** @type {Change[]} */ changes) => changes.map(({ id }) => id.startsWith('_design/')) }),
  async _view ({ counts, database, queryServer, view }) {
    if (!view) throw badRequest('`view` filter parameter is not provided.')
    const [name, viewName] = splitName(view, '`view` must be of the form `designname/viewname`')
    const functions = (await designOf(database, `_design/${name}`, counts)).function('views', viewName, 'map')
    return { filter: byRevision(database, documents => queryServer.emits(functions, documents.map(document => toJson(document)))) }
  }
}

/** @param {ReturnType<typeof compileSelectorInTurns>} matches @param {Document[]} documents @param {string} asker */
async function matchEach (matches, documents, asker) {
  const turn = new Turn()
  const verdicts = []
  for (const document of documents) {
    if (turn.isLong) await turn.end()
    const doc = toObjectInTurns(document)
    const verdict = matches(doc instanceof Promise ? await doc : doc, document.body.length, asker)
    verdicts.push(verdict instanceof Promise ? await verdict : verdict)
  }
  return verdicts
}

/** Whatever is wrong with a selector is a bad request here, where `_find` has names for it. @param {any} selector */
function matcherOf (selector) {
  if (selector === null || typeof selector !== 'object' || Array.isArray(selector)) {
    throw badRequest('Selector error: expected a JSON object')
  }
  return reworded(() => compileSelectorInTurns(selector))
}

/** Documents are whole where no fields are named. @param {any} fields */
function fieldsOf (fields) {
  if (fields === undefined || fields === null) return {}
  if (!Array.isArray(fields)) throw badRequest('Selector error: fields must be JSON array')
  return fields.length === 0 ? {} : { project: reworded(() => compileFields(fields)) }
}

/**
 * @template T
 * @param {() => T} compile
 * @returns {T}
 */
function reworded (compile) {
  try {
    return compile()
  } catch (error) {
    if (error.code !== 'BAD_REQUEST') throw error
    throw createError('BAD_REQUEST', { reason: error.reason, cause: error })
  }
}

/** @param {Filtering} filtering */
async function functionFilter ({ counts, database, queryServer, filter, request }) {
  const [name, filterName] = splitName(filter, '`filter` must be of the form `designname/filtername`')
  const functions = (await designOf(database, `_design/${name}`, counts)).function('filters', filterName)
  return { filter: byRevision(database, documents => queryServer.filter(functions, documents.map(document => toJson(document)), request)) }
}

/** @param {string} text @param {string} reason */
function splitName (text, reason) {
  const names = text.split('/').filter(part => part !== '')
  if (names.length !== 2) throw badRequest(reason)
  return names
}

/**
 * Every revision that a change tells is judged by itself; those that do not pass are taken out of it.
 *
 * @param {import('../databases/database-view').AnyDatabase} database
 * @param {(documents: import('@potoroo/document-store').Document[]) => boolean[] | Promise<boolean[]>} judge
 * @returns {(changes: any[]) => Promise<boolean[]>}
 */
function byRevision (database, judge) {
  return async changes => {
    const others = changes.flatMap(({ id, changes: [, ...leaves] }) => leaves.map((/** @type {{ rev: string }} */ { rev }) => ({ id, rev })))
    const found = others.length === 0 ? [] : await database.bulkGet(others)
    const losers = found.flatMap(result => 'ok' in result ? [result.ok] : [])
    const documents = [...changes.map(({ document }) => document), ...losers]
    const verdicts = documents.length === 0 ? [] : await judge(documents)
    const passed = new Set(documents.filter((document, i) => verdicts[i]).map(({ id, rev }) => `${rev} ${id}`))
    for (const change of changes) change.changes = change.changes.filter((/** @type {{ rev: string }} */ { rev }) => passed.has(`${rev} ${change.id}`))
    return changes.map(change => change.changes.length > 0)
  }
}

module.exports = { filterFor, filterOf }
