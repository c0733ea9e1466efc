'use strict'

const { constants } = require('node:crypto')
const fs = require('node:fs')
const tls = require('node:tls')
const { reasonOf } = require('../storage/system-error-text')

/** @typedef {import('../config/config').Config} Config */

/**
 * `[ssl]` as node:tls takes it.
 *
 * @param {import('../config/config').Config} config
 * @returns {import('node:tls').TlsOptions}
 * @throws an Error in words for whoever starts the server
 * @see https://docs.couchdb.org/en/stable/config/http.html#https-tls-options
 */
function tlsOptions (config) {
  const options = {
    ...certificates(config),
    ...clientCertificates(config),
    ...versions(config.get('ssl', 'tls_versions')),
    ...(list(config, 'ciphers') && { ciphers: cipherList(list(config, 'ciphers')), honorCipherOrder: true }),
    ...(list(config, 'ecc_curves') && { ecdhCurve: list(config, 'ecc_curves').map((/** @type {string} */ curve) => CURVES[curve] ?? curve).join(':') }),
    ...(list(config, 'signature_algs') && { sigalgs: list(config, 'signature_algs').join(':') }),
    // HTTP/2 forbids what only TLS 1.2 has.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION
  }
  try {
    tls.createSecureContext(options)
  } catch (error) {
    const file = unusableFile(config, options)
    throw unusable(`[ssl]: ${file === undefined ? '' : `${file} cannot be used: `}${error.message}`, { cause: error })
  }
  return options
}

/** Which of the files OpenSSL does not take. @param {Config} config @param {any} options */
function unusableFile (config, { cert, key, passphrase, ca }) {
  const name = Object.entries({ cert_file: { cert }, key_file: { key, passphrase }, cacert_file: { ca } }).find(([, part]) => !isUsable(part))?.[0]
  return name && config.get('ssl', name)
}

/** @param {any} part */
function isUsable (part) {
  try {
    tls.createSecureContext(part)
    return true
  } catch {
    return false
  }
}

/** The files that TLS needs. @param {import('../config/config').Config} config */
function certificateFiles (config) {
  return ['cert_file', 'key_file', 'cacert_file'].map(key => config.get('ssl', key)).filter(file => file !== '')
}

/** The options of the command line that say it, too. @type {Record<string, string>} */
const OPTIONS = { cert_file: '--tls-cert', key_file: '--tls-key' }

/** @param {string} message @param {{ cause?: unknown }} [options] */
function unusable (message, options) { return Object.assign(new Error(message, options), { code: 'TLS_SETTINGS' }) }

/** @param {Config} config */
function certificates (config) {
  const [cert, key] = ['cert_file', 'key_file'].map(name => {
    const file = config.get('ssl', name)
    if (file === '') throw unusable(`[ssl]: TLS needs a certificate and its key, and there is no ${name}: name it with ${OPTIONS[name]}, or in potoroo.ini`)
    return read(file)
  })
  const password = config.get('ssl', 'password')
  return { cert, key, ...(password !== '' && { passphrase: password }) }
}

/** @param {Config} config */
function clientCertificates (config) {
  const file = config.get('ssl', 'cacert_file')
  const verify = config.get('ssl', 'verify_ssl_certificates') === 'true'
  return {
    ...(file !== '' && { ca: read(file) }),
    requestCert: verify,
    rejectUnauthorized: verify && config.get('ssl', 'fail_if_no_peer_cert') === 'true'
  }
}

/** @param {string} file */
function read (file) {
  try {
    return fs.readFileSync(file)
  } catch (error) {
    throw unusable(`[ssl]: cannot read ${file}: ${reasonOf(error)}`, { cause: error })
  }
}

/** @type {Record<string, import('node:tls').SecureVersion>} */
const VERSIONS = { tlsv1: 'TLSv1', 'tlsv1.1': 'TLSv1.1', 'tlsv1.2': 'TLSv1.2', 'tlsv1.3': 'TLSv1.3' }

/** `['tlsv1.2', 'tlsv1.3']`: the lowest and the highest. @param {string} text */
function versions (text) {
  const given = words(text)
  if (given.length === 0) return { minVersion: VERSIONS['tlsv1.2'] }
  const unknown = given.find(version => !Object.hasOwn(VERSIONS, version))
  if (unknown !== undefined) throw unusable(`[ssl] tls_versions: ${unknown} is none of ${Object.keys(VERSIONS).join(', ')}`)
  const sorted = Object.keys(VERSIONS).filter(version => given.includes(version))
  return { minVersion: VERSIONS[sorted[0]], maxVersion: VERSIONS[sorted[sorted.length - 1]] }
}

/** OpenSSL's names of Erlang's curves, where they differ. */
/** @type {Record<string, string>} */
const CURVES = { x25519: 'X25519', x448: 'X448', secp256r1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }

/** @param {string[]} names */
function cipherList (names) {
  // Ciphers of TLS 1.3 are not chosen so in CouchDB, and without them there is no TLS 1.3.
  const modern = tls.getCiphers().filter(name => name.startsWith('tls_')).map(name => name.toUpperCase())
  return [...new Set([...names, ...modern])].join(':')
}

/**
 * @param {Config} config
 * @param {string} key
 * @returns {any} names of a list in Erlang's form or separated by commas or colons; undefined where there are none
 */
function list (config, key) {
  const text = config.get('ssl', key)
  if (text.includes('{')) throw unusable(`[ssl] ${key}: ${text} has Erlang's names; OpenSSL's are taken`)
  const names = words(text)
  return names.length === 0 ? undefined : names
}

/** @param {string} text */
function words (text) {
  return text === 'undefined' ? [] : text.split(/[\s,:[\]'"]+/).filter(Boolean)
}

module.exports = { tlsOptions, certificateFiles }
