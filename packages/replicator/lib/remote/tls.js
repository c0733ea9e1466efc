'use strict'

const fs = require('node:fs')

/**
 * Returns the settings of `[replicator]` for TLS, for node:https. Certificates of peers are not checked unless
 * `verify_ssl_certificates` says so, as in CouchDB.
 *
 * @param {import('../request/replicator-settings').Settings} settings
 * @throws what reading the files throws
 */
function tlsOptions (settings) {
  /** @param {string | undefined} file */
  const read = file => file === undefined || file === '' ? undefined : fs.readFileSync(file)
  const cert = read(settings.cert_file)
  const key = read(settings.key_file)
  return {
    rejectUnauthorized: settings.verify_ssl_certificates,
    ca: settings.verify_ssl_certificates ? read(settings.ssl_trusted_certificates_file) : undefined,
    ...(cert !== undefined && key !== undefined && { cert, key, passphrase: settings.password })
  }
}

module.exports = { tlsOptions }
