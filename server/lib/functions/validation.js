'use strict'

const { carriedText, isInert, stringifyAnyDepth, toJson, toObjectInTurns } = require('@potoroo/document-store')
const { CouchError, createError } = require('@potoroo/errors')
const { compileRule } = require('@potoroo/indexes')
const { isStandard } = require('../users/auth-design')
const { shortened } = require('./document')
const { Design } = require('./design')

/** @typedef {import('@potoroo/query-server').QueryServer} QueryServer */
/** @typedef {import('@potoroo/document-store').Document} Document */
/** @typedef {import('@potoroo/document-store').WriteOptions} WriteOptions */

/**
 * @typedef {import('../databases/database-view').AnyDatabase} AnyDatabase
 * @typedef {import('@potoroo/query-server').Functions} Functions
 * @typedef {NonNullable<ReturnType<typeof compileRule>>} SchemaRule
 *
 * The rules for what is written to a store, or why one cannot be asked.
 * @typedef {{ functions: Array<Functions | CouchError>, schemas: Array<SchemaRule | CouchError> }} Rules
 *
 * They are read when they are first needed, and again after a design document was written or purged.
 * @type {WeakMap<AnyDatabase, { moment: string, rules: Promise<Rules> }>}
 */
const known = new WeakMap()

/** @param {AnyDatabase} store @returns {Promise<Rules>} of each design document that has some */
function rulesOf (store) {
  const moment = `${store.designSeq} ${store.purgeSeq}`
  const last = known.get(store)
  if (last?.moment === moment) return last.rules
  const rules = readRules(store)
  known.set(store, { moment, rules })
  rules.catch(() => known.delete(store))
  return rules
}

/** @param {AnyDatabase} store @returns {Promise<Rules>} */
async function readRules (store) {
  const functions = []
  const schemas = []
  const { rows } = await store.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
  for await (const page of rows) {
    for (const { document } of /** @type {Array<{ document: import('@potoroo/document-store').Document }>} */ (page)) {
      const ddoc = await toObjectInTurns(document)
      if ((store.name === '_users' && isStandard(ddoc)) || isInert(store, ddoc)) continue
      if (ddoc.validate_doc_update !== undefined) functions.push(orFault(() => new Design(store, ddoc).function('validate_doc_update')))
      if (ddoc.validate_schema !== undefined) schemas.push(orFault(() => /** @type {SchemaRule} */ (compileRule(ddoc))))
    }
  }
  return { functions, schemas }
}

/** Gives a rule; its fault is told to who writes, except of design documents, as one may put it right. @template T @param {() => T} make @returns {T | CouchError} */
function orFault (make) {
  try {
    return make()
  } catch (error) {
    if (error instanceof CouchError) return error
    throw error
  }
}

/**
 * Returns what the functions have against documents.
 *
 * @param {AnyDatabase} store
 * @param {any[]} docs
 * @param {import('@potoroo/document-store').WriteOptions | undefined} options of the write
 * @param {{ userCtx: any, security: any }} context
 * @param {import('@potoroo/query-server').QueryServer} queryServer
 * @param {Rules['functions']} functions
 * @returns {Promise<Array<Error | null>>} of the first design document that refuses, null for what may be written;
 *   what follows no revision that stands is in conflict, whatever becomes of the others meanwhile
 */
async function refusalsOf (store, docs, options, { userCtx, security }, queryServer, functions) {
  const befores = await Promise.all(docs.map(doc => before(store, doc, options)))
  const asked = docs.map((doc, i) => i).filter(i => befores[i] !== CONFLICT)
  const calls = asked.map(i => callOf(docs[i], befores[i], userCtx, security))
  /** @type {Array<Error | null>} */
  const refused = docs.map((doc, i) => befores[i] === CONFLICT ? conflictOf(doc) : null)
  for (const each of calls.length === 0 ? [] : functions) {
    const verdicts = await verdictsOf(each, calls, queryServer)
    verdicts.forEach((verdict, i) => { if (verdict !== null) refused[asked[i]] ??= refusal(verdict, docs[asked[i]]) })
  }
  return refused
}

/** @param {Functions | Error} functions @param {string[]} calls @param {QueryServer} queryServer */
async function verdictsOf (functions, calls, queryServer) {
  if (functions instanceof Error) return calls.map(() => functions)
  try {
    return await queryServer.validate(functions, /** @type {any[]} */ (calls))
  } catch (error) {
    if (error.status === undefined || error.code === 'CLOSED') throw error
    return calls.map(() => error)
  }
}

/** @param {any} verdict @param {any} doc */
function refusal ({ error, reason, status }, { _id: id, _rev: rev }) {
  if (error === 'forbidden') return createError('FORBIDDEN', { reason, id, rev })
  if (error === 'unauthorized') return createError('UNAUTHORIZED', { reason, id, rev })
  return createError('FUNCTION_ERROR', { error, reason, id, rev, ...(status !== undefined && { status }) })
}

/**
 * @param {any} doc
 * @param {Document | null} before
 * @param {any} userCtx
 * @param {any} security
 * @returns {string} the arguments as JSON: what is stored is text already
 */
function callOf (doc, before, userCtx, security) {
  return `[${textOf(doc, before)},${before === null ? 'null' : toJson(before)},${JSON.stringify([userCtx, security]).slice(1)}`
}

/** To copy a large document takes seconds, so that one carries its text. @param {any} doc @param {Document | null} before */
function textOf (doc, before) {
  const carried = carriedText(doc)
  if (carried === undefined) return stringifyAnyDepth(shown(doc, before), Infinity)
  const names = new Set(['_id', '_rev', '_attachments', ...carried.special])
  const special = Object.fromEntries([...names].filter(name => Object.hasOwn(doc, name)).map(name => [name, doc[name]]))
  const head = stringifyAnyDepth(shown(/** @type {any} */ (special), before), Infinity).slice(0, -1)
  return carried.body === '{}' ? `${head}}` : `${head},${carried.body.slice(1)}`
}

/** The document as the functions see it: content of attachments is not for them. @param {any} doc @param {Document | null} old */
function shown ({ _id, _rev, ...doc }, old) {
  const history = doc._revisions ?? (_rev === undefined ? undefined : old?.revisions)
  const head = { _id, ...(_rev !== undefined && { _rev }), ...(history !== undefined && { _revisions: history }) }
  if (!doc._attachments) return { ...head, ...doc }
  const stubs = Object.entries(doc._attachments).map(([name, attachment]) => [name, stubOf(attachment)])
  return { ...head, ...doc, _attachments: Object.fromEntries(stubs) }
}

/** @param {any} attachment */
function stubOf ({ data, ...rest }) {
  if (typeof data !== 'string') return { ...rest, stub: true }
  return { ...rest, revpos: 0, length: Buffer.byteLength(data, 'base64'), stub: true }
}

const CONFLICT = Symbol('conflict')

/** @param {{ _id: string, _rev: string }} given */
function conflictOf ({ _id: id, _rev: rev }) { return createError('CONFLICT', { id, rev }) }

/** The form of a revision; the store refuses others. */
const REVISION = /^\d+-/

/**
 * Gives what stands now where the document will: its revision's parent, or nothing.
 *
 * @param {AnyDatabase} store
 * @param {any} doc
 * @param {WriteOptions | undefined} options
 */
async function before (store, doc, options) {
  if (options?.newEdits !== false) return current(store, doc._id, doc._rev)
  const { _id: id, _revisions: path } = doc
  const ancestors = (path?.ids ?? []).slice(1).map((/** @type {string} */ hash, /** @type {number} */ i) => `${path.start - i - 1}-${hash}`)
  const found = ancestors.length === 0 ? [] : await store.openRevs(id, ancestors, { revs: true })
  const parent = /** @type {{ ok: Document } | undefined} */ (found.find(each => 'ok' in each))
  return parent === undefined ? null : shortened(parent.ok)
}

/**
 * The revision that an edit follows, null where there is none.
 * @param {AnyDatabase} store
 * @param {string} id
 * @param {string} rev
 * @returns {Promise<any>} a document as the store has it; CONFLICT where it follows none that stands
 */
async function current (store, id, rev) {
  if (rev !== undefined && !REVISION.test(rev)) return null
  const winner = await winnerOf(store, id)
  if (rev === undefined) return winner === null ? null : CONFLICT
  if (winner?.rev === rev) return winner
  const leaves = await leavesOf(store, id)
  const leaf = leaves.find((/** @type {any} */ each) => 'ok' in each && each.ok.rev === rev)
  return leaf === undefined ? CONFLICT : shortened(leaf.ok)
}

/** @param {AnyDatabase} store @param {string} id */
async function winnerOf (store, id) {
  try {
    return shortened(await store.get(id, { revs: true }))
  } catch (error) {
    return nothing(error, null)
  }
}

/** @param {AnyDatabase} store @param {string} id */
async function leavesOf (store, id) {
  try {
    return await store.openRevs(id, 'all', { revs: true })
  } catch (error) {
    return nothing(error, [])
  }
}

/** A malformed id is for the store to refuse. @param {any} error @param {any} instead */
function nothing (error, instead) {
  if (error.status === 404 || error.status === 400) return instead
  throw error
}

module.exports = { CONFLICT, conflictOf, current, refusalsOf, rulesOf }
