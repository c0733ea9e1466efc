'use strict'

const { parseInTurns } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')

/** @typedef {import('../config/config').Config} Config */

/**
 * The server of design documents' functions, with the limits of `[query_server_config]`: a thread here is
 * what a process is there. Messages of functions go to the log.
 *
 * @param {import('../config/config').Config} config
 * @param {import('../log/log').Log} log
 * @see https://docs.couchdb.org/en/stable/config/query-servers.html
 */
function openQueryServer (config, log) {
  const queryServer = new QueryServer({ ...limitsOf(config), parseLong, log: entry => log.quote(entry.level, lineOf(entry)) })
  config.on('change', section => { if (section === SECTION) queryServer.configure(limitsOf(config)) })
  return queryServer
}

/** Documents that update functions make carry their text: `[{ ok: { doc, response } }]`. @param {string} text */
function parseLong (text) { return parseInTurns(text, { documents: 3 }) }

const SECTION = 'query_server_config'

/** @param {Config} config */
function limitsOf (config) {
  /** @param {keyof import('../config/defaults').Settings['query_server_config']} key @param {number} least */
  const limit = (key, least) => Math.max(least, config.integer(SECTION, key))
  return {
    timeout: limit('os_process_timeout', 1),
    memory: limit('os_process_memory', 1024 * 1024),
    threads: limit('os_process_limit', 1),
    softThreads: limit('os_process_soft_limit', 0),
    idle: 1000 * limit('os_process_idle_limit', 0),
    rows: limit('max_rows_per_document', 1),
    bytes: limit('max_bytes_per_document', 1)
  }
}

/**
 * Reads the limits of what a reduction gives.
 *
 * @param {import('../config/config').Config} config
 * @returns {import('@potoroo/indexes').ReduceLimits}
 */
function reduceLimits (config) {
  const mode = config.get(SECTION, 'reduce_limit')
  return {
    mode: mode === 'false' || mode === 'log' ? mode : 'true',
    threshold: config.integer(SECTION, 'reduce_limit_threshold'),
    ratio: config.number(SECTION, 'reduce_limit_ratio')
  }
}

/** Puts the database and the design document of the function first. @param {{ origin?: { database: string, design: string }, message: string }} given */
function lineOf ({ origin, message }) {
  return origin === undefined ? message : `${origin.database} ${origin.design}: ${message}`
}

module.exports = { openQueryServer, reduceLimits }
