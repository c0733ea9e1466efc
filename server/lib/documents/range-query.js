'use strict'

const { createError } = require('@potoroo/errors')
const { types } = require('../query')
const { withAttachments } = require('./query')

/**
 * How `_all_docs`, `_design_docs` and `_local_docs` may be asked: the same parameters in the
 * query, in a body and in the `queries` of one; a body has values where the query has JSON.
 */
const rangeQuery = {
  key: 'json',
  keys: 'array',
  startkey: 'json',
  start_key: 'json',
  endkey: 'json',
  end_key: 'json',
  inclusive_end: 'boolean',
  descending: 'boolean',
  skip: 'count',
  limit: 'count',
  include_docs: 'boolean',
  conflicts: 'boolean',
  attachments: 'boolean',
  att_encoding_info: 'boolean',
  update_seq: 'boolean'
}

/**
 * The parameters of a body, checked.
 * @param {Record<string, any>} body
 * @returns {Record<string, any>}
 */
function readBodyArgs (body) {
  /** @type {Record<string, any>} */
  const args = {}
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(rangeQuery, name)) continue
    const type = rangeQuery[name]
    if (type === 'json') args[name] = body[name]
    else if (type !== 'array') args[name] = types[type](String(body[name]), name)
    else if (Array.isArray(body[name])) args[name] = body[name]
    else if (body[name] !== null) throw createError('BAD_REQUEST', { reason: `\`${name}\` body member must be an array.` })
  }
  return args
}

/**
 * What the document store takes.
 *
 * @param {Record<string, any>} args
 * @returns {import('@potoroo/document-store').AllDocsOptions}
 */
function rangeOptions (args) {
  const { inclusive_end: inclusiveEnd, include_docs: includeDocs, descending, skip, limit } = args
  const shared = { descending, skip, limit, includeDocs, conflicts: includeDocs && args.conflicts, ...(includeDocs && args.attachments && withAttachments) }
  if (args.keys !== undefined) {
    refuseRange(args)
    return { ...shared, keys: args.keys.map(toId) }
  }
  if (args.key !== undefined) return { ...shared, startkey: toId(args.key), endkey: toId(args.key) }
  const [start, end] = [args.startkey ?? args.start_key, args.endkey ?? args.end_key]
  const from = given(args, 'startkey', 'start_key') ? { startkey: toId(start) } : {}
  const to = given(args, 'endkey', 'end_key') ? { endkey: toId(end) } : {}
  return { ...shared, ...from, ...to, inclusiveEnd }
}

function refuseRange (args) {
  if (args.keys.length === 0 || !given(args, 'key', 'startkey', 'start_key', 'endkey', 'end_key')) return
  throw createError('QUERY_PARSE_ERROR', { reason: '`keys` is incompatible with `key`, `start_key` and `end_key`' })
}

function given (args, ...names) {
  return names.some(name => Object.hasOwn(args, name))
}

/** Ids are strings; every other JSON value sorts before them all, where no id is. */
function toId (key) { return typeof key === 'string' ? key : '' }

module.exports = { rangeQuery, readBodyArgs, rangeOptions }
