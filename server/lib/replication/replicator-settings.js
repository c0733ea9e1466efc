'use strict'

const { defaults } = require('@potoroo/replicator')
const { isUnlimited } = require('../config/checks')

/** Keys of `[replicator]` that name a file or a password: '' is none. */
const TEXTS = new Set(['ssl_trusted_certificates_file', 'cert_file', 'key_file', 'password'])

/**
 * Reads what `[replicator]` says, as the replicator takes it. A value that it cannot take is as by default.
 *
 * @param {import('../config/config').Config} config
 * @returns {() => Record<string, any>} read again when something changed
 */
function replicatorSettings (config) {
  const settings = config.section(schema)
  return () => settings.now
}

/** @type {Record<string, (config: import('../config/config').Config) => any>} */
const schema = Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, config => read(key, config.get('replicator', key), value)]))

/** @param {string} key @param {string} text @param {any} otherwise */
function read (key, text, otherwise) {
  if (TEXTS.has(key)) return text === '' ? undefined : text
  if (text === '') return otherwise
  if (typeof otherwise === 'boolean') return text === 'true'
  if (Array.isArray(otherwise)) return text.split(',').map(each => each.trim())
  if (isUnlimited(key, text)) return Infinity
  const number = Number(text)
  return Number.isSafeInteger(number) && number >= 0 ? number : otherwise
}

module.exports = { replicatorSettings }
