'use strict'

const fs = require('node:fs')
const path = require('node:path')

/** Seconds without a heartbeat, at least and at most, after which a server is taken for dead. */
const LIFETIMES = [2, 60]

/** @typedef {ReturnType<typeof readClusterSettings>} ClusterSettings */

/**
 * Reads what `[cluster]` says, in milliseconds.
 *
 * @param {import('../config/config').Config} config
 * @param {string} [folder] that files are relative to
 * @throws CLUSTER_SETTINGS
 */
function readClusterSettings (config, folder = '') {
  /** @param {keyof import('../config/defaults').Settings['cluster']} key */
  const text = key => config.get('cluster', key)
  const files = { cert: text('cert_file'), key: text('key_file'), ca: text('cacert_file') }
  const read = Object.entries(files).filter(([, file]) => file !== '').map(([name, file]) => [name, fs.readFileSync(path.resolve(folder, file))])
  return {
    secret: text('secret'),
    listen: addressOf(text('listen')),
    address: text('address'),
    name: text('name') || 'potoroo',
    lifetime: lifetimeOf(config),
    idle: Math.max(1, config.number('cluster', 'idle')) * 1000,
    /** With a certificate, each server asks the other for one of the same authority. */
    tls: read.length === 0 ? undefined : { ...Object.fromEntries(read), requestCert: true, rejectUnauthorized: true, checkServerIdentity: () => undefined }
  }
}

/** @param {import('../config/config').Config} config */
function lifetimeOf (config) {
  const seconds = config.number('cluster', 'lifetime')
  const [least, most] = LIFETIMES
  if (seconds >= least && seconds <= most) return seconds * 1000
  throw Object.assign(new Error(`[cluster] lifetime is ${seconds}, and must be ${least} to ${most} seconds`), { code: 'CLUSTER_SETTINGS' })
}

/** @param {string} text host:port; a host of IPv6 in brackets */
function addressOf (text) {
  const colon = text.lastIndexOf(':')
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) }
}

module.exports = { readClusterSettings }
