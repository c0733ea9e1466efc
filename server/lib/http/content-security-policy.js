'use strict'

/**
 * Policies of `[csp]` if neither its `…_header_value` nor its `…_enable` does otherwise.
 * @see https://docs.couchdb.org/en/stable/config/misc.html#content-security-policy
 */
const standard = {
  // News are a frame of this page; scripts need eval, since views are tried before they are kept.
  utils: "child-src 'self' data: blob:; default-src 'self'; img-src 'self' data:; font-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; frame-src https://blog.couchdb.org;",
  attachments: 'sandbox',
  showlist: 'sandbox'
}

/**
 * The `Content-Security-Policy` of a kind of content.
 *
 * @param {import('../config/config').Config} config
 * @param {keyof typeof standard} what
 * @returns {string | undefined} undefined where none is to be sent
 */
function contentSecurityPolicy (config, what) {
  const csp = config.texts('csp')
  if (csp[`${what}_enable`] !== 'false') return csp[`${what}_header_value`] ?? standard[what]
  // Before 3.2 there was only Fauxton's, under these names, and they are heard still.
  if (what === 'utils' && csp.enable !== 'false') return csp.header_value ?? standard.utils
  return undefined
}

module.exports = { contentSecurityPolicy }
