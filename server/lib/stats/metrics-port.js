'use strict'

const { once } = require('node:events')
const http = require('node:http')
const { measure } = require('./measures')
const { exposition } = require('./prometheus')
const { systemFigures } = require('./system')

/** @typedef {import('../service/request-service').RequestService} RequestService */

const PATH = /^\/_node\/[^/]+\/_prometheus\/?(\?|$)/

/**
 * Listens where `[prometheus] additional_port` says so: whoever reaches it reads the metrics, and nothing else.
 *
 * @param {import('../service/request-service').RequestService} service
 * @returns {Promise<{ url: string, close: () => Promise<void> } | undefined>}
 * @throws what listening throws
 * @see https://docs.couchdb.org/en/stable/config/misc.html#configuration-of-prometheus-endpoint
 */
async function openMetricsPort (service) {
  const { config } = service
  if (!config.boolean('prometheus', 'additional_port')) return undefined
  const server = http.createServer((req, res) => {
    answer(service, req, res).catch(error => {
      service.log.fault(req, error)
      res.destroy()
    })
  })
  const address = config.get('prometheus', 'bind_address')
  server.listen(config.integer('prometheus', 'port'), address === 'any' ? undefined : address)
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`, close: () => close(server) }
}

/** @param {RequestService} service @param {import('node:http').IncomingMessage} req @param {import('node:http').ServerResponse} res */
async function answer (service, req, res) {
  const isFound = PATH.test(/** @type {string} */ (req.url))
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  const text = isFound && isRead ? exposition(await measure(service), systemFigures(service), service.cluster?.names.length) : 'There is nothing but GET /_node/_local/_prometheus\n'
  res.writeHead(!isFound ? 404 : isRead ? 200 : 405, { 'Content-Type': 'text/plain; version=2.0', 'Content-Length': Buffer.byteLength(text) })
  res.end(req.method === 'HEAD' ? undefined : text)
}

/** @param {import('node:http').Server} server */
async function close (server) {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

module.exports = { openMetricsPort }
