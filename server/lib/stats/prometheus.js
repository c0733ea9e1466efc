'use strict'

const { described } = require('./metrics')

/** Families whose last step is a label: `couchdb_httpd_status_codes{code="200"}`. @type {Record<string, { label: string, family: string, description: string }>} */
const LABELS = {
  'couchdb.httpd_request_methods.': { label: 'method', family: 'couchdb_httpd_request_methods', description: 'requests by method' },
  'couchdb.httpd_status_codes.': { label: 'code', family: 'couchdb_httpd_status_codes', description: 'requests by code' },
  'couch_log.level.': { label: 'level', family: 'couchdb_couch_log_requests_total', description: 'lines of the log by level' }
}

/** Counters of what went well, in whose place CouchDB says how many there were. @type {Record<string, { name: string, others: string, description: string }>} */
const TOTALS = {
  'couchdb.auth_cache_hits': { name: 'auth_cache_requests', others: 'couchdb.auth_cache_misses', description: 'users who were looked up' },
  'ddoc_cache.hit': { name: 'ddoc_cache_requests', others: 'ddoc_cache.miss', description: 'design documents of shows, lists, updates, rewrites and filters that were asked for' },
  'couch_replicator.checkpoints.success': { name: 'couch_replicator_checkpoints', others: 'couch_replicator.checkpoints.failure', description: 'checkpoints' },
  'couch_replicator.responses.success': { name: 'couch_replicator_responses', others: 'couch_replicator.responses.failure', description: 'answers that were to be taken whole' },
  'couch_replicator.stream_responses.success': { name: 'couch_replicator_stream_responses', others: 'couch_replicator.stream_responses.failure', description: 'answers that were to be read as they came' }
}

/** Counters whose names are other ones there. @type {Record<string, string>} */
const NAMES = { 'ddoc_cache.miss': 'ddoc_cache.requests.failures' }

/** Histograms of something else than milliseconds. */
const COUNTS = new Set(['couchdb.httpd.bulk_docs'])

const QUANTILES = [[50, '0.5'], [75, '0.75'], [90, '0.9'], [95, '0.95'], [99, '0.99'], [999, '0.999']]

/**
 * Metrics in Prometheus' text format, under CouchDB's names.
 *
 * @param {Map<string, any>} values as `measure` gives them
 * @param {ReturnType<typeof import('./system').systemFigures>} system
 * @param {number} [nodes] servers that share the storage
 * @returns {string}
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
function exposition (values, system, nodes = 1) {
  const lines = []
  /** @type {string | undefined} */
  let last
  for (const [name, kind, description] of described) {
    const value = values.get(name)
    if (value === undefined) continue
    const prefix = Object.keys(LABELS).find(each => name.startsWith(each))
    const total = TOTALS[name]
    if (total !== undefined) lines.push(...single(`couchdb_${total.name}_total`, kind, total.description, value + values.get(total.others)))
    else if (kind === 'histogram') lines.push(...summary(familyOf(name) + (COUNTS.has(name) ? '' : '_seconds'), description, value, COUNTS.has(name) ? 1 : 1000))
    else if (prefix === undefined) lines.push(...single(familyOf(name) + (kind === 'counter' && !name.endsWith('.total') ? '_total' : ''), kind, description, value))
    else {
      const { label, family, description: ofAll } = LABELS[prefix]
      if (last !== prefix) lines.push(...head(family, 'counter', ofAll))
      last = prefix
      lines.push(`${family}{${label}="${name.slice(prefix.length)}"} ${value}`)
    }
  }
  return [...lines, ...ofSystem(system, nodes)].join('\n') + '\n'
}

/** `couchdb.httpd.requests` is `couchdb_httpd_requests`, `mango.x` `couchdb_mango_x`. @param {string} name */
function familyOf (name) { return (/^(couchdb|potoroo)\./.test(name) ? name : `couchdb.${NAMES[name] ?? name}`).replaceAll('.', '_') }

/** @param {string} name @param {string} type @param {string} description */
function head (name, type, description) { return [`# HELP ${name} ${description}`, `# TYPE ${name} ${type}`] }

/** @param {string} name @param {string} type @param {string} description @param {number} value */
function single (name, type, description, value) { return [...head(name, type, description), `${name} ${value}`] }

/**
 * @param {string} name
 * @param {string} description
 * @param {ReturnType<typeof import('./histogram').Histogram.summary> & { count: number, sum: number }} measured
 * @param {number} unit
 */
function summary (name, description, { percentile, count, sum }, unit) {
  const quantiles = QUANTILES.map(([percent, text]) => `${name}{quantile="${text}"} ${/** @type {number[]} */ (percentile.find(([each]) => each === percent))[1] / unit}`)
  return [...head(name, 'summary', description), ...quantiles, `${name}_sum ${sum / unit}`, `${name}_count ${count}`]
}

/** @param {ReturnType<typeof import('./system').systemFigures>} system @param {number} nodes */
function ofSystem ({ uptime, memory, context_switches: switches, internal_replication_jobs: jobs, io_input: read, io_output: written, process_count: threads }, nodes) {
  const kinds = Object.entries(memory).map(([kind, bytes]) => `couchdb_erlang_memory_bytes{memory_type="${kind}"} ${bytes}`)
  return [
    ...single('couchdb_uptime_seconds', 'counter', 'since the server started', uptime),
    ...head('couchdb_erlang_memory_bytes', 'gauge', 'memory of the process by kind, as _system has it'),
    ...kinds,
    ...single('couchdb_erlang_context_switches_total', 'counter', 'context switches of the process', switches),
    ...single('couchdb_erlang_io_recv_bytes_total', 'counter', 'bytes that the process read from disks', read),
    ...single('couchdb_erlang_io_sent_bytes_total', 'counter', 'bytes that the process wrote to disks', written),
    ...single('couchdb_erlang_processes', 'gauge', 'threads that run functions of design documents, and the server', threads),
    ...single('couchdb_internal_replication_jobs', 'gauge', 'replications between nodes', jobs),
    ...head('couchdb_membership', 'gauge', 'nodes'),
    `couchdb_membership{nodes="all_nodes"} ${nodes}`,
    `couchdb_membership{nodes="cluster_nodes"} ${nodes}`
  ]
}

module.exports = { exposition }
