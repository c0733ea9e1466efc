'use strict'

const { nearestOf } = require('@potoroo/errors/known-options')
const { defaults } = require('./defaults')
const { newerOf } = require('./older')

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

/** Sections of CouchDB's that nothing here reads: its file may come along. */
const ofCouchDB = new RegExp(`^(?:${[
  '(?:auto_)?purge', 'bt_engine_cache', 'chttpd_auth_cache', 'compaction_daemon', 'compactions', 'cors:.*', 'couch_auto_purge_plugin', 'couch_eval.*', 'couch_httpd_auth', 'couch_jobs',
  'couch_quickjs_scanner.*', 'couch_scanner.*', 'couch_views', 'couchdb_engines', 'csrt.*', 'custodian', 'daemons', 'database_compaction', 'ddoc_cache', 'fabric.*', 'fdb_tx_options', 'feature_flags',
  'httpd_(?:db|design|global)_handlers', 'indexers', 'ioq.*', 'log_level_by_module', 'mem3', 'native_query_servers', 'nouveau', 'os_daemons', 'os_process_pool',
  'process_priority', 'query_servers', 'replicator\\..*', 'reshard', 'rexi', 'setup', 'shards', 'smoosh.*', 'stats', 'tracing.*', 'update_notification', 'view_compaction', 'view_upgrade',
  'view_updater'
].join('|')})$`)

/** Returns the settings that the server reads, by section; those of `named` are not among them. @returns {Map<string, string[]>} */
function knownSettings () {
  const sections = [...new Set([...Object.keys(defaults), ...Object.keys(others)])].filter(name => !named.includes(name)).sort()
  return new Map(sections.map(name => [name, [...new Set([...Object.keys(defaults[name] ?? {}), ...others[name] ?? []])].sort()]))
}

/**
 * Says that a setting is none, as a misspelt one is.
 *
 * @param {string} section
 * @param {string} key
 * @returns {string | null} null where it is one, or its section is CouchDB's
 */
function strangeSetting (section, key) {
  const known = knownSettings()
  const keys = known.get(section)
  if (named.includes(section) || newerOf(section, key) !== undefined || keys?.includes(key)) return null
  if (keys === undefined) return ofCouchDB.test(section) ? null : hinted(`[${section}] is no section of settings`, nearestSection(section, [...known.keys(), ...named]))
  return hinted(`[${section}] ${key} is no setting`, nearestOf(key, keys))
}

/** @param {string} section @param {string[]} known */
function nearestSection (section, known) {
  const nearest = nearestOf(section, known)
  return nearest && `[${nearest}]`
}

/** @param {string} text @param {string | undefined} nearest */
function hinted (text, nearest) { return `${text}, and has no effect${nearest === undefined ? '' : `; do you mean ${nearest}?`}` }

module.exports = { knownSettings, named, strangeSetting }
