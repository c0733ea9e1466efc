'use strict'

/**
 * Defaults of settings: the keys of CouchDB's `[replicator]`, times in milliseconds
 * unless they say otherwise.
 * @see https://docs.couchdb.org/en/stable/config/replicator.html
 * @type {Readonly<import('../..').Settings>}
 */
const defaults = Object.freeze({
  max_jobs: 500,
  interval: 60000,
  max_churn: 20,
  max_history: 20,
  health_threshold: 120, // seconds
  startup_jitter: 5000,
  update_docs: false,
  worker_processes: 4,
  worker_batch_size: 500,
  http_connections: 20,
  connection_timeout: 30000,
  retries_per_request: 5,
  use_checkpoints: true,
  use_bulk_get: true,
  checkpoint_interval: 30000,
  max_document_id_length: Infinity,
  missing_doc_retry_msec: 2000,
  valid_endpoint_protocols: ['http', 'https'],
  valid_proxy_protocols: ['http', 'https'],
  verify_ssl_certificates: false,
  ssl_trusted_certificates_file: undefined,
  cert_file: undefined,
  key_file: undefined,
  password: undefined
})

/** @typedef {import('../..').Settings} Settings */

module.exports = { defaults }
