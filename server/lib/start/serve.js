'use strict'

const { checkServerOptions } = require('./options')
const { announceServer, retractServer } = require('../storage/server-file')
const { potoroo } = require('../dispatch/middleware')
const { loopbackOnly } = require('../safety/loopback-only')
const { openMetricsPort } = require('../stats/metrics-port')
const { Listeners } = require('../transport/listeners')
const { preflight } = require('../transport/preflight')
const { httpThreads } = require('../workers/http-threads')

/** @typedef {import('../service/request-service').RequestService} RequestService */

/**
 * Starts a server of its own.
 *
 * @param {import('../..').ServeOptions} [options] those of `potoroo`, and `port` (0: any free one),
 *   `host`, `socket`, `workers`, `tlsCert` and `tlsKey`; by default what the ini file says, 127.0.0.1:5984
 * @returns {Promise<import('../..').Server>}
 * @throws what opening the storage or listening throws, and a TypeError for an unknown option; nothing is left open then
 */
async function serve (options = {}) {
  checkServerOptions(options)
  const withSettings = withTls(options)
  await preflight(withSettings)
  const { port, host, socket, workers, ...ofApp } = withSettings
  const app = potoroo({ tracing: true, ...ofApp })
  try {
    await app.ready
    return await listen(app, options)
  } catch (error) {
    await app.close()
    throw error
  }
}

/**
 * @param {any} app that is ready
 * @param {import('../..').ServeOptions} options
 * @returns {Promise<import('../..').Server>}
 */
async function listen (app, options) {
  const { service } = app
  const handle = options.adminParty ? loopbackOnly(app) : app
  const listeners = new Listeners(service, handle, httpThreads(app, options.workers))
  try {
    await listeners.open(options)
    service.listening = () => listeners.addresses
    const metrics = await openMetricsPort(service)
    announceServer(service.folder, listeners.urls)
    service.log.line('notice', `Listening on ${listeners.urls.join(', ')}`)
    const [url] = listeners.urls
    const [server] = listeners.servers
    return { url, urls: listeners.urls, server, service, reload: () => reload(listeners, service), metricsUrl: metrics?.url, close: () => close(listeners, metrics, app) }
  } catch (error) {
    await close(listeners, undefined, app)
    throw error
  }
}

/**
 * A certificate named at start stands for `[ssl]` in the ini file.
 *
 * @param {import('../..').ServeOptions} options
 * @returns {import('../..').ServeOptions}
 */
function withTls ({ tlsCert, tlsKey, ...options }) {
  if (tlsCert === undefined && tlsKey === undefined) return options
  const ssl = { ...options.config?.ssl, enable: true, ...(tlsCert && { cert_file: tlsCert }), ...(tlsKey && { key_file: tlsKey }) }
  return { ...options, config: { ...options.config, ssl } }
}

/**
 * Does what SIGHUP is for: certificates and the file of the log are opened again.
 *
 * @param {Listeners} listeners
 * @param {RequestService} service
 */
function reload (listeners, service) {
  service.log.reopen()
  return listeners.reload()
}

/**
 * Takes no more connections, ends feeds, lets requests under way finish, closes the storage.
 *
 * @param {Listeners} listeners
 * @param {any} metrics
 * @param {any} app
 */
async function close (listeners, metrics, app) {
  const { folder } = app.service
  app.service.endFeeds()
  await Promise.all([listeners.close(), metrics?.close()])
  retractServer(folder)
  await app.close()
}

module.exports = { serve }
