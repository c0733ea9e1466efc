'use strict'

const { RemoteDatabase } = require('./remote-database')

/** Milliseconds until a connection stands, without a byte of an answer, and in which a request is sent again. */
const CONNECT = 10_000
const TIMEOUT = 120_000
const PATIENCE = 300_000

const CONNECTIONS = 8

/** All that a database has. */
const ALL = /** @type {import('../request/request').ReplicationRequest} */ ({ useBulkGet: true, winningRevsOnly: false })

/**
 * Opens a database elsewhere, or a server, for others than replications. Certificates are checked, and redirections are not followed.
 *
 * @type {typeof import('../..').openRemote}
 */
function openRemote ({ url, authorization }, { signal = new AbortController().signal, ...options }) {
  // Loaded for those who speak HTTP: it takes a tenth of a second.
  const { Peer } = require('./peer')
  const headers = /** @type {Array<[string, string]>} */ (authorization === undefined ? [] : [['Authorization', authorization]])
  return new RemoteDatabase(new Peer({ url, headers }, { connections: CONNECTIONS, timeout: TIMEOUT, patience: PATIENCE, redirections: 0, tls: { timeout: CONNECT }, refusal: () => null, signal, ...options }), ALL)
}

module.exports = { openRemote }
