'use strict'

const { defaults } = require('./defaults')

/** Settings that have no default. @type {Record<string, string[]>} */
const others = {
  chttpd: ['WWW-Authenticate', 'backlog', 'config_whitelist', 'enable_xframe_options', 'peer_header', 'server_options', 'socket_options', 'valid_hosts', 'x_forwarded_proto', 'x_forwarded_ssl'],
  chttpd_auth: ['authentication_db', 'cookie_domain', 'password_regexp', 'public_fields', 'secret'],
  couchdb: ['maintenance_mode', 'users_db_suffix', 'uuid'],
  csp: ['attachments_enable', 'attachments_header_value', 'enable', 'header_value', 'showlist_enable', 'showlist_header_value', 'utils_enable', 'utils_header_value'],
  jwt_auth: ['roles_claim_path'],
  log: ['file'],
  replicator: ['cert_file', 'key_file', 'password', 'ssl_trusted_certificates_file'],
  ssl: ['bind_address', 'cacert_file', 'cert_file', 'ciphers', 'ecc_curves', 'fail_if_no_peer_cert', 'key_file', 'password', 'signature_algs', 'strict_transport_security', 'tls_versions', 'verify_ssl_certificates'],
  storage: ['key_file'],
  uuids: ['format', 'utc_id_suffix'],
  x_frame_options: ['hosts', 'same_origin']
}

/** Sections whose keys are names that somebody gives. */
const named = ['admins', 'jwt_keys', 'ken.ignore', 'vendor', 'vhosts']

/** Returns the settings that the server reads, by section; those of `named` are not among them. @returns {Map<string, string[]>} */
function knownSettings () {
  const sections = [...new Set([...Object.keys(defaults), ...Object.keys(others)])].filter(name => !named.includes(name)).sort()
  return new Map(sections.map(name => [name, [...new Set([...Object.keys(defaults[name] ?? {}), ...others[name] ?? []])].sort()]))
}

module.exports = { knownSettings, named }
