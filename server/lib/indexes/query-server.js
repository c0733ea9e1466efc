'use strict'

const { parseInTurns } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { integer } = require('../config/schema')
const { numberOf } = require('../stats/metrics')

/**
 * The server of design documents' functions, with the limits of `[query_server_config]`: a thread here is
 * what a process is there. Messages of functions go to the log.
 *
 * @param {import('../config/config').Config} config
 * @param {import('../log/log').Log} log
 * @param {import('../stats/statistics').Statistics} counts
 * @see https://docs.couchdb.org/en/stable/config/query-servers.html
 */
function openQueryServer (config, log, counts) {
  const limits = config.section(schema)
  const queryServer = new QueryServer({ ...limits.now, parseLong, count: counter(counts), log: entry => log.quote(entry.level, lineOf(entry)) })
  config.on('change', section => { if (section === SECTION) queryServer.configure(limits.now) })
  return queryServer
}

/** Returns why functions of design documents cannot run in this process; null if they can. */
function sandboxFault () {
  return 'WebAssembly' in globalThis ? null : 'functions of design documents cannot run: this Node.js has no WebAssembly, as with --jitless. Views, filters and validation are answered 500'
}

/** @param {import('../stats/statistics').Statistics} counts @returns {import('@potoroo/query-server').Count} */
function counter (counts) {
  return (name, by) => {
    if (name === 'vdu_process_time') counts.note(PROCESS_TIME, /** @type {number} */ (by))
    else counts.count(numberOf(VIEWS.has(name) ? `couchdb.mrview.${name}` : `couchdb.query_server.${name}`), by)
  }
}

const PROCESS_TIME = numberOf('couchdb.query_server.vdu_process_time')
const VIEWS = new Set(['map_doc', 'emits'])

/** Documents that update functions make carry their text: `[{ ok: { doc, response } }]`. @param {string} text */
function parseLong (text) { return parseInTurns(text, { documents: 3 }) }

const SECTION = 'query_server_config'

const schema = {
  timeout: integer(SECTION, 'os_process_timeout', { least: 1 }),
  memory: integer(SECTION, 'os_process_memory', { least: 1024 * 1024 }),
  threads: integer(SECTION, 'os_process_limit', { least: 1 }),
  softThreads: integer(SECTION, 'os_process_soft_limit', { least: 0 }),
  idle: integer(SECTION, 'os_process_idle_limit', { least: 0, unit: 1000 }),
  rows: integer(SECTION, 'max_rows_per_document', { least: 1 }),
  bytes: integer(SECTION, 'max_bytes_per_document', { least: 1 })
}

/** Puts the database and the design document of the function first. @param {{ origin?: { database: string, design: string }, message: string }} given */
function lineOf ({ origin, message }) {
  return origin === undefined ? message : `${origin.database} ${origin.design}: ${message}`
}

module.exports = { openQueryServer, sandboxFault }
