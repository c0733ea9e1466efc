'use strict'

const { sendError } = require('../http/response')
const { askedFeed } = require('./asked-feed')
const { SocketFeed } = require('./socket-feed')

/**
 * Answers requests for a WebSocket, whose connections have left HTTP.
 *
 * @param {{ config: import('../config/config').Config, cors: import('../http/cors').Cors, jsonLimit: number }} service
 * @param {(req: any, res: any) => unknown} handle answers a request
 * @param {{ stallTimeout: number }} settings
 * @param {AbortSignal} closing the server stops
 * @returns {(req: any, res: any, head: Buffer) => void}
 */
function webSockets (service, handle, { stallTimeout }, closing) {
  return (req, res, head) => {
    try {
      const asked = askedFeed(req, service)
      new SocketFeed({ req, res, head }, asked, { stallTimeout, mostBytes: service.jsonLimit }, closing).begin(handle)
    } catch (error) {
      sendError(res, error, () => {})
    }
  }
}

module.exports = { webSockets }
