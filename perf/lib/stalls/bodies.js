'use strict'

const { REV, members, repeated, storedDocuments } = require('./stored')

/**
 * Bodies of a few megabytes that a member of a database may send, each in one request: long lists of
 * small things above all.
 *
 * @typedef {object} LargeBody
 * @property {string} name
 * @property {string} what
 * @property {number} count of the small things, at full size
 * @property {string} target of the request, with method: `POST /n/_bulk_docs`
 * @property {(count: number) => string} text the body
 * @property {number[]} statuses that the answer may have
 * @property {(ask: Ask, count: number) => Promise<any>} [before] writes what is there before
 * @property {Record<string, string>} [headers] of the request
 *
 * @typedef {(method: string, target: string, body?: any) => Promise<any>} Ask body: bytes, or what becomes JSON
 */

/** @param {string} member @param {(i: number) => string} item @param {string} [rest] */
function list (member, item, rest = '') { return count => `{"${member}":[${repeated(count, item)}]${rest}}` }

/** @param {(count: number) => string} condition on `n` */
function find (condition, rest = '') { return count => `{"selector":{"n":${condition(count)}}${rest}}` }

const id = i => `"d${i}"`
const revisions = members(i => `"d${i}":["${REV}"]`)

/** @type {LargeBody[]} */
const largeBodies = [
  { name: 'bulk-docs', what: 'tiny documents in _bulk_docs', count: 200_000, target: 'POST /n/_bulk_docs', text: list('docs', i => `{"n":${i}}`), statuses: [201] },
  { name: 'bulk-docs-replicated', what: 'tiny documents in _bulk_docs with new_edits=false', count: 100_000, target: 'POST /n/_bulk_docs', text: list('docs', i => `{"_id":"r${i}","_rev":"${REV}","n":${i}}`, ',"new_edits":false'), statuses: [201] },
  { name: 'bulk-docs-malformed', what: 'documents in _bulk_docs of which the last is none', count: 200_000, target: 'POST /n/_bulk_docs', text: count => `{"docs":[${repeated(count, i => `{"n":${i}}`)},1]}`, statuses: [400] },
  { name: 'bulk-get', what: 'ids in _bulk_get', count: 300_000, target: 'POST /n/_bulk_get', text: list('docs', i => `{"id":"d${i}"}`), statuses: [200] },
  { name: 'bulk-get-revisions', what: 'ids with revisions in _bulk_get', count: 200_000, target: 'POST /n/_bulk_get', text: list('docs', i => `{"id":"d${i}","rev":"${REV}"}`), statuses: [200] },
  { name: 'long-integers', what: 'integers of 20 digits in one document', count: 300_000, target: 'POST /n', text: list('a', i => `${10n ** 19n + BigInt(i)}`), statuses: [201] },
  { name: 'members', what: 'members of one document', count: 600_000, target: 'POST /n', text: members(i => `"m${i}":0`), statuses: [201, 413] },
  { name: 'members-later', what: 'members of one document with batch=ok', count: 600_000, target: 'POST /n?batch=ok', text: members(i => `"m${i}":0`), statuses: [202] },
  { name: 'members-local', what: 'members of one local document', count: 600_000, target: 'PUT /n/_local/wide', text: members(i => `"m${i}":0`), statuses: [201] },
  { name: 'members-multipart', what: 'members of one document in multipart/related', count: 600_000, target: 'PUT /n/wide', text: count => `--b\r\nContent-Type: application/json\r\n\r\n${members(i => `"m${i}":0`)(count)}\r\n--b--`, statuses: [201], headers: { 'content-type': 'multipart/related; boundary=b' } },
  { name: 'members-user', what: 'members of a user', count: 600_000, target: 'PUT /_users/org.couchdb.user:wide', text: count => `{"name":"wide","type":"user","roles":[],"password":"secret",${members(i => `"m${i}":0`)(count).slice(1)}`, statuses: [201] },
  { name: 'members-user-read', what: 'members of a user that is read', count: 600_000, target: 'GET /_users/org.couchdb.user:wide', text: () => '', statuses: [200], before: (ask, count) => ask('PUT', '/_users/org.couchdb.user:wide', Buffer.from(`{"name":"wide","type":"user","roles":[],"password":"secret",${members(i => `"m${i}":0`)(count).slice(1)}`)) },
  { name: 'members-replication', what: 'members of a replication', count: 600_000, target: 'PUT /_replicator/wide', text: count => `{"source":"a","target":"b","_replication_state":"completed",${members(i => `"m${i}":0`)(count).slice(1)}`, statuses: [201] },
  { name: 'nesting', what: 'arrays in each other', count: 1_000_000, target: 'POST /n', text: count => `{"a":${'['.repeat(count)}${']'.repeat(count)}}`, statuses: [400] },
  { name: 'all-docs-keys', what: 'keys of _all_docs', count: 1_000_000, target: 'POST /n/_all_docs', text: list('keys', id), statuses: [200] },
  { name: 'view-keys', what: 'keys of a view', count: 1_000_000, target: 'POST /n/_design/d/_view/v', text: list('keys', i => String(i)), statuses: [200] },
  { name: 'local-docs-keys', what: 'keys of _local_docs', count: 1_000_000, target: 'POST /n/_local_docs', text: list('keys', i => `"_local/${i}"`), statuses: [200] },
  { name: 'all-docs-queries', what: 'queries of _all_docs', count: 100_000, target: 'POST /n/_all_docs/queries', text: list('queries', i => `{"key":"d${i}"}`), statuses: [200] },
  { name: 'view-queries', what: 'queries of a view', count: 100_000, target: 'POST /n/_design/d/_view/v/queries', text: list('queries', i => `{"key":${i}}`), statuses: [200] },
  { name: 'revs-diff', what: 'documents in _revs_diff', count: 300_000, target: 'POST /n/_revs_diff', text: revisions, statuses: [200] },
  { name: 'revs-diff-revisions', what: 'revisions of one document in _revs_diff', count: 300_000, target: 'POST /n/_revs_diff', text: list('d1', i => `"${i + 1}-a"`), statuses: [200] },
  { name: 'missing-revs', what: 'documents in _missing_revs', count: 300_000, target: 'POST /n/_missing_revs', text: revisions, statuses: [200] },
  { name: 'purge', what: 'documents in _purge', count: 200_000, target: 'POST /n/_purge', text: revisions, statuses: [201] },
  { name: 'changes-doc-ids', what: 'doc_ids of _changes', count: 1_000_000, target: 'POST /n/_changes?filter=_doc_ids', text: list('doc_ids', id), statuses: [200] },
  { name: 'view-emits', what: 'rows that each of 40 documents emits', count: 90_000, target: 'GET /n/_design/e/_view/v?limit=1', text: () => '', statuses: [200], before: ask => ask('PUT', '/n/_design/e', { views: { v: { map: 'function (doc) { if (doc.n % 50 === 0) for (var i = 0; i < 90000; i++) emit(i, 1) }' } } }) },
  { name: 'view-emits-alike', what: 'rows with one key that each of 4 documents emits', count: 60_000, target: 'GET /n/_design/e/_view/v?limit=1', text: () => '', statuses: [200], before: ask => ask('PUT', '/n/_design/e', { views: { v: { map: 'function (doc) { if (doc.n % 500 === 0) for (var i = 0; i < 60000; i++) emit(null, { a: String((i * 7919) % 60000), n: i }) }' } } }) },
  { name: 'find-in', what: 'values of $in', count: 1_000_000, target: 'POST /n/_find', text: find(count => `{"$in":[${repeated(count, String)}]}`), statuses: [200, 400] },
  { name: 'find-all', what: 'values of $all', count: 1_000_000, target: 'POST /n/_find', text: find(count => `{"$all":[${repeated(count, String)}]}`), statuses: [200, 400] },
  { name: 'find-or', what: 'branches of $or', count: 100_000, target: 'POST /n/_find', text: count => `{"selector":{"$or":[${repeated(count, i => `{"n":${i}}`)}]}}`, statuses: [200, 400] },
  { name: 'find-regex', what: 'alternatives of a $regex', count: 100_000, target: 'POST /n/_find', text: find(count => `{"$regex":"${Array.from({ length: count }, (_, i) => `a${i}`).join('|')}"}`), statuses: [200, 400] },
  { name: 'find-fields', what: 'fields of a find', count: 100_000, target: 'POST /n/_find', text: count => `{"selector":{},"fields":[${repeated(count, i => `"f${i}.g"`)}]}`, statuses: [200, 400] },
  { name: 'find-sort', what: 'fields to sort by', count: 100_000, target: 'POST /n/_find', text: count => `{"selector":{},"sort":[${repeated(count, i => `"f${i}"`)}]}`, statuses: [400] },
  ...storedDocuments
]

/** Makes what has to be there before. @param {Ask} ask */
async function prepare (ask) {
  await ask('PUT', '/n')
  await ask('POST', '/n/_bulk_docs', { docs: Array.from({ length: 2000 }, (_, i) => ({ _id: `d${i}`, n: i })) })
  await ask('PUT', '/n/_design/d', { views: { v: { map: 'function (doc) { emit(doc.n) }' } } })
  await ask('GET', '/n/_design/d/_view/v?limit=1')
}

/** A document of those, for somebody who does no harm. */
const GOOD = '/n/d1'

module.exports = { GOOD, largeBodies, prepare }
