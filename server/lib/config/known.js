'use strict'

const { nearestOf } = require('@potoroo/errors/known-options')
const { defaults } = require('./defaults')
const { newerOf, olderOf } = require('./older')

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

/**
 * Says that a setting is none, as a misspelt one is.
 *
 * @param {string} section
 * @param {string} key
 * @param {{ sections?: boolean }} [options] sections: of unknown sections, too, which CouchDB may have
 * @returns {string | null} null where it is one, or was one of CouchDB's former sections
 */
function strangeSetting (section, key, { sections = false } = {}) {
  const known = knownSettings()
  const keys = known.get(section)
  if (named.includes(section) || newerOf(section, key) !== undefined || keys?.includes(key)) return null
  if (keys === undefined) return sections && !isFormer(section) ? hinted(`[${section}] is no section of settings`, nearestOf(section, [...known.keys(), ...named])) : null
  return hinted(`[${section}] ${key} is no setting`, nearestOf(key, keys))
}

/** Whether CouchDB had, or has, settings in it that are heard. @param {string} section */
function isFormer (section) { return section === 'daemons' || newerOf(section, null) !== undefined || [...knownSettings().keys()].some(each => olderOf(each)?.section === section) }

/** @param {string} text @param {string | undefined} nearest */
function hinted (text, nearest) { return `${text}, and has no effect${nearest === undefined ? '' : `; do you mean ${nearest}?`}` }

module.exports = { knownSettings, named, strangeSetting }
