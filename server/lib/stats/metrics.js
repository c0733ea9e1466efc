'use strict'

/** Status codes that have a counter of their own, as in CouchDB. */
const CODES = [200, 201, 202, 204, 206, 301, 302, 304, 400, 401, 403, 404, 405, 406, 409, 412, 413, 414, 415, 416, 417, 500, 501, 503, 507]

const METHODS = ['COPY', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']

/** Levels of the log, as in CouchDB. */
const LEVELS = ['alert', 'critical', 'debug', 'emergency', 'error', 'info', 'notice', 'warning']

/** Calls of functions of design documents. @type {Array<[string, string]>} */
const CALLS = [
  ['map', 'map functions'], ['reduce', 'reduce functions'], ['ddoc_vdu', 'validation functions'], ['ddoc_filter', 'filter functions'],
  ['ddoc_other', 'show, list, update and rewrite functions, and of functions in transactions']
]

/** @type {(prefix: string, kind: Kind, rows: Array<[string, string]>) => Array<[string, Kind, string]>} */
const below = (prefix, kind, rows) => rows.map(([name, description]) => [`${prefix}.${name}`, kind, description])

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
  ['couchdb.httpd.abandoned_streaming_requests', 'counter', 'requests whose client went while the answer came'],
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
  ...below('couchdb.httpd_request_methods', 'counter', METHODS.map(method => [method, `requests with the method ${method}`])),
  ...below('couchdb.httpd_status_codes', 'counter', CODES.map(code => [String(code), `answers with the status ${code}`])),
  ['couchdb.request_time', 'histogram', 'from a request to the end of its answer'],
  ['couchdb.dbinfo', 'histogram', 'to read what GET /{db} says'],
  ['couchdb.commits', 'counter', 'commits of documents'],
  ['couchdb.database_reads', 'counter', 'documents that were asked for one by one'],
  ['couchdb.database_writes', 'counter', 'changes of documents that were committed'],
  ['couchdb.document_writes', 'counter', 'changes of documents that were committed'],
  ...below('couchdb', 'counter', [
    ['document_inserts', 'documents that were written for the first time'],
    ['database_purges', 'requests of _purge that were done'],
    ['document_purges.total', 'documents that _purge was asked to purge'],
    ['document_purges.success', 'documents of which it purged what it was asked to'],
    ['document_purges.failure', 'documents of which it did not'],
    ['local_document_writes', 'local documents that clients wrote'],
    ['auth_cache_hits', 'users who were in memory'],
    ['auth_cache_misses', 'users who had to be read'],
    ['password_hashing_slow', 'passwords that were hashed by PBKDF2'],
    ['query_server.process_starts', 'threads for functions of design documents that were started'],
    ['query_server.process_exits', 'such threads that were ended'],
    ['query_server.process_error_exits', 'such threads that broke, or did not answer in time'],
    ['query_server.process_errors', 'calls that such a thread could not finish'],
    ['query_server.process_prompts', 'calls that such a thread answered'],
    ['query_server.vdu_rejects', 'documents that a validation function refused'],
    ['mrview.map_doc', 'documents that map functions were given'],
    ['mrview.emits', 'rows that map functions emitted']
  ]),
  ['ddoc_cache.hit', 'counter', 'design documents of shows, lists, updates, rewrites and filters that were in memory'],
  ['ddoc_cache.miss', 'counter', 'such design documents that had to be read'],
  ...below('couchdb.query_server.calls', 'counter', CALLS.map(([name, what]) => [name, `calls of ${what}`])),
  ...below('couchdb.query_server.time', 'counter', CALLS.map(([name, what]) => [name, `microseconds in calls of ${what}`])),
  ['couchdb.db_open_time', 'histogram', 'to open a database'],
  ['couchdb.query_server.vdu_process_time', 'histogram', 'of a call of a validation function'],
  ['couchdb.database_count', 'gauge', 'databases'],
  ['couchdb.open_databases', 'gauge', 'databases that are open'],
  ['couchdb.open_os_files', 'gauge', 'file descriptors that are open'],
  ['mango.docs_examined', 'counter', 'documents that _find and _query looked at'],
  ['mango.keys_examined', 'counter', 'rows that _find and _query looked at'],
  ['mango.results_returned', 'counter', 'documents that _find, and the finds of _query, gave'],
  ...below('mango', 'counter', [
    ['unindexed_queries', 'finds without an index that fits'],
    ['query_invalid_index', 'finds that asked for an index which does not fit'],
    ['too_many_docs_scanned', 'finds that looked at many documents for each that they gave']
  ]),
  ['mango.query_time', 'histogram', 'that _find, and the finds of _query, took'],
  ...below('couch_log.level', 'counter', LEVELS.map(level => [level, `lines of the log of level ${level}`])),
  ...below('couch_replicator', 'counter', [
    ['changes_read_failures', 'feeds of changes that broke'],
    ['checkpoints.success', 'checkpoints that were saved'],
    ['checkpoints.failure', 'checkpoints that could not be saved'],
    ['failed_starts', 'replications that could not begin'],
    ['requests', 'HTTP requests of replications'],
    ['responses.success', 'answers that were taken whole'],
    ['responses.failure', 'answers that were to be taken whole, and were faults or did not come'],
    ['stream_responses.success', 'answers that were read as they came'],
    ['stream_responses.failure', 'answers that were to be read as they came, and were faults or did not come'],
    ['db_scans', 'times that databases for replications were looked for'],
    ['docs.dbs_found', 'such databases that were found or made'],
    ['docs.dbs_deleted', 'such databases that were deleted'],
    ['docs.db_changes', 'changes of documents that ask for replications'],
    ['docs.completed_state_updates', 'documents whose replication came to its end'],
    ['docs.failed_state_updates', 'documents whose replication failed for good'],
    ['jobs.adds', 'replications that were asked for'],
    ['jobs.duplicate_adds', 'replications that were asked for while there were the same'],
    ['jobs.removes', 'replications that ended or were cancelled'],
    ['jobs.starts', 'replications that were started'],
    ['jobs.stops', 'replications that were stopped, to go on later or never'],
    ['jobs.crashes', 'replications that failed']
  ]),
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
