'use strict'

const { mapInTurns } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { readMoment } = require('../databases/moment')
const { withAttachmentsOrStubs } = require('./query')
const { requireObject } = require('./input')
const { limitRows, readViewBody, readViewQuery, requireQueries } = require('./view-query')

/** @typedef {import('./view-query').ViewArgs} ViewArgs */
/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** A database, in one piece or of several shards, as far as reading a question takes. @typedef {{ name: string, instanceId: string, partitioned: boolean, shards?: string[] }} AskedDatabase */

/**
 * How `_all_docs`, `_design_docs` and `_local_docs` may be asked: as views that do not reduce, but that
 * a list of keys, of one key too, has a row for each of them.
 *
 * @param {string} search the query string, which goes before the body
 * @param {Record<string, any>} [body]
 * @returns {import('./view-query').ViewArgs}
 */
function readRange (search, body = {}) {
  const args = readViewQuery(search, readViewBody(body))
  const keys = body.keys ?? keysOf(search)
  return checked(keys === undefined ? args : { ...args, keys })
}

/** One of several queries. @param {Record<string, any>} query @param {string} search */
function readRangeOf (query, search) {
  return checked(readViewBody(query, readViewQuery(search)))
}

/** @param {string} search */
function keysOf (search) {
  const text = search === '' ? null : new URLSearchParams(search).get('keys')
  const keys = text === null ? undefined : JSON.parse(text)
  if (keys !== undefined && !Array.isArray(keys)) throw badRequest('`keys` parameter must be an array.')
  return keys
}

/** In the order in which CouchDB checks them, so that the same mistake is named. @param {ViewArgs} args */
function checked (args) {
  const { keys, group, group_level: level, reduce } = args
  if (group === false && level > 0) throw invalid('Can\'t specify group=false and group_level>0 at the same time')
  if (reduce === true) throw invalid('Reduce is invalid for map-only views.')
  if (keys !== undefined && !Array.isArray(keys)) throw invalid('`keys` must be an array of strings.')
  if (keys?.length > 0 && !agrees(args)) throw invalid('`keys` is incompatible with `key`, `start_key` and `end_key`')
  if (level > 0 || (group === true && level === undefined)) throw invalid('Invalid use of grouping on a map view.')
  return args
}

/** One key is a range too. @param {ViewArgs} args */
function agrees ({ keys, startkey, endkey }) {
  if (startkey === undefined && endkey === undefined) return true
  const [key] = keys.map((/** @type {any} */ each) => JSON.stringify(each))
  return keys.length === 1 && JSON.stringify(startkey) === key && JSON.stringify(endkey) === key
}

/**
 * Returns what the document store takes.
 *
 * @param {Record<string, any>} args
 * @returns {import('@potoroo/document-store').AllDocsOptions}
 */
function rangeOptions (args) {
  const { inclusive_end: inclusiveEnd, include_docs: includeDocs, descending, skip, limit, startkey = args.startkey_docid, endkey = args.endkey_docid } = args
  const shared = { descending, skip, limit, includeDocs, partition: args.partition, at: args.at, meta: args.meta, conflicts: includeDocs && args.conflicts, ...(includeDocs && args.attachments && withAttachmentsOrStubs) }
  if (args.keys !== undefined) return { ...shared, keys: args.keys }
  const from = startkey === undefined ? {} : { startkey: toId(startkey) }
  const to = endkey === undefined ? {} : { endkey: toId(endkey) }
  return { ...shared, ...from, ...to, inclusiveEnd }
}

/** Ids are strings; every other JSON value sorts before them all, where no id is. @param {any} key */
function toId (key) { return typeof key === 'string' ? key : '' }

/** @param {string} reason */
function invalid (reason) { return createError('QUERY_PARSE_ERROR', { reason }) }

/**
 * Only a partitioned database has partitions, and only databases have a history.
 *
 * @param {AskedDatabase | null} database null: the server's list of databases
 * @param {import('./view-query').ViewArgs} args
 * @returns {import('./view-query').ViewArgs} the same
 */
function forDatabase (database, args) {
  if (args.partition !== undefined && !database?.partitioned) throw invalid('`partition` parameter is not supported on this db')
  if (args.at !== undefined && database === null) throw invalid('`at` parameter is not supported here')
  return args.at === undefined ? args : Object.assign(args, { at: readMoment(/** @type {AskedDatabase} */ (database), args.at) })
}

/**
 * How a request asks `_all_docs` and its kin.
 *
 * @param {PotorooRequest} req
 * @param {AskedDatabase} database
 * @returns {ViewArgs}
 */
function readList ({ search, body = {}, service }, database) {
  const { keys } = requireObject(body)
  if (keys !== undefined && !Array.isArray(keys)) throw badRequest('`keys` body member must be an array.')
  return limitRows(forDatabase(database, readRange(search, body)), service.config)
}

/** The same of several queries at once. @param {PotorooRequest} req @param {AskedDatabase} database @returns {Promise<ViewArgs[]>} */
async function readLists ({ search, body, service }, database) {
  return mapInTurns(requireQueries(body), query => limitRows(forDatabase(database, readRangeOf(query, search)), service.config))
}

module.exports = { forDatabase, rangeOptions, readList, readLists, readRange, toId }
