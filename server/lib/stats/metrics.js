'use strict'

/** Status codes that have a counter of their own, as in CouchDB. */
const CODES = [200, 201, 202, 204, 206, 301, 302, 304, 400, 401, 403, 404, 405, 406, 409, 412, 413, 414, 415, 416, 417, 500, 501, 503, 507]

const METHODS = ['COPY', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']

/**
 * All measures, under CouchDB's names: path → kind and what it says. Counters only grow; gauges are
 * of the moment; histograms are of the last ten seconds, of milliseconds where nothing else is said.
 *
 * @typedef {'counter' | 'gauge' | 'histogram'} Kind
 * @type {Array<[string, Kind, string]>}
 */
const described = [
  ['couchdb.httpd.requests', 'counter', 'requests'],
  ['couchdb.httpd.aborted_requests', 'counter', 'requests whose client went before the answer had ended'],
  ['couchdb.httpd.bulk_requests', 'counter', 'requests of _bulk_docs'],
  ['couchdb.httpd.bulk_docs', 'histogram', 'documents in a request of _bulk_docs'],
  ['couchdb.httpd.clients_requesting_changes', 'gauge', 'requests of _changes that go on'],
  ['couchdb.httpd.partition_all_docs_requests', 'counter', 'requests for the documents of a partition'],
  ['couchdb.httpd.partition_explain_requests', 'counter', 'requests of _explain in a partition'],
  ['couchdb.httpd.partition_find_requests', 'counter', 'requests of _find in a partition'],
  ['couchdb.httpd.partition_view_requests', 'counter', 'requests for the views of a partition'],
  ['couchdb.httpd.purge_requests', 'counter', 'requests of _purge'],
  ['couchdb.httpd.temporary_view_reads', 'counter', 'requests of _temp_view'],
  ['couchdb.httpd.view_reads', 'counter', 'requests for views'],
  ...METHODS.map(method => /** @type {[string, Kind, string]} */ ([`couchdb.httpd_request_methods.${method}`, 'counter', `requests with the method ${method}`])),
  ...CODES.map(code => /** @type {[string, Kind, string]} */ ([`couchdb.httpd_status_codes.${code}`, 'counter', `answers with the status ${code}`])),
  ['couchdb.request_time', 'histogram', 'from a request to the end of its answer'],
  ['couchdb.dbinfo', 'histogram', 'to read what GET /{db} says'],
  ['couchdb.commits', 'counter', 'commits of documents'],
  ['couchdb.database_reads', 'counter', 'documents that were asked for one by one'],
  ['couchdb.database_writes', 'counter', 'changes of documents that were committed'],
  ['couchdb.document_writes', 'counter', 'changes of documents that were committed'],
  ['couchdb.open_databases', 'gauge', 'databases that are open'],
  ['couchdb.open_os_files', 'gauge', 'file descriptors that are open'],
  ['mango.docs_examined', 'counter', 'documents that _find and _query looked at'],
  ['mango.keys_examined', 'counter', 'rows that _find and _query looked at'],
  ['mango.results_returned', 'counter', 'documents that _find, and the finds of _query, gave'],
  ['mango.query_time', 'histogram', 'that _find, and the finds of _query, took'],
  ['couch_replicator.jobs.running', 'gauge', 'replications that go on'],
  ['couch_replicator.jobs.pending', 'gauge', 'replications that wait for their turn'],
  ['couch_replicator.jobs.crashed', 'gauge', 'replications that failed, and wait until they are tried again'],
  ['couch_replicator.jobs.total', 'gauge', 'replications that are known'],
  ['potoroo.storage.size_bytes', 'gauge', 'bytes of the pool'],
  ['potoroo.storage.used_bytes', 'gauge', 'bytes of the pool that are in use'],
  ['potoroo.storage.max_bytes', 'gauge', 'bytes that the pool may grow to'],
  ['potoroo.storage.refuses_writes', 'gauge', '1: the storage is full or fails, 0: it takes writes'],
  ['potoroo.scrub.bytes', 'counter', 'bytes of the pool whose checksums were verified again'],
  ['potoroo.scrub.errors', 'counter', 'damaged pages and values, and problems of databases, that scrubs found'],
  ['potoroo.scrub.passes', 'counter', 'scrubs of the whole storage that came to their end'],
  ['potoroo.scrub.last_pass_timestamp_seconds', 'gauge', 'when the last one ended, in seconds since 1970; 0: none has']
]

const names = described.map(([name]) => name)

/** The place of a metric among its kind: counters and gauges share an array, histograms have one. */
const numbers = new Map()
for (const isHistogram of [false, true]) {
  described.filter(([, kind]) => (kind === 'histogram') === isHistogram).forEach(([name], i) => numbers.set(name, i))
}

/** @param {string} name @returns {number} */
function numberOf (name) {
  const number = numbers.get(name)
  if (number === undefined) throw new TypeError(`There is no metric ${name}`)
  return number
}

/** @param {string} name */
function isGauge (name) { return described.some(([each, kind]) => each === name && kind === 'gauge') }

module.exports = { described, isGauge, names, numberOf }
