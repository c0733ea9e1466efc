'use strict'

/**
 * The older places of settings that their sections do not have: CouchDB moved these, and reads the older sections still.
 *
 * @typedef {{ section: string, has: (key: string) => boolean }} Older
 * @type {Record<string, Older>}
 */
const older = {
  chttpd: {
    section: 'httpd',
    // The others of `[httpd]`, such as its port, were of another server.
    has: among(['allow_jsonp', 'changes_timeout', 'config_whitelist', 'enable_cors', 'enable_xframe_options', 'max_http_request_size',
      'max_uri_length', 'rewrite_limit', 'secure_rewrites', 'server_header_versions', 'valid_hosts', 'validate_host', 'WWW-Authenticate',
      'x_forwarded_host', 'x_forwarded_proto', 'x_forwarded_ssl'])
  },
  chttpd_auth: { section: 'couch_httpd_auth', has: key => key !== 'authentication_db' },
  query_server_config: { section: 'couchdb', has: among(['os_process_timeout']) }
}

/** @param {string[]} keys */
function among (keys) {
  const set = new Set(keys)
  return (/** @type {string} */ key) => set.has(key)
}

/** @param {string} section @returns {Older | undefined} */
function olderOf (section) { return Object.hasOwn(older, section) ? older[section] : undefined }

/**
 * The section that a setting of an older one belongs to today.
 *
 * @param {string} section
 * @param {string | null} key null for any of it
 * @returns {string | undefined}
 */
function newerOf (section, key) {
  return Object.keys(older).find(newer => older[newer].section === section && (key === null || older[newer].has(key)))
}

module.exports = { olderOf, newerOf }
