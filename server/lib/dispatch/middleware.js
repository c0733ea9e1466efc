'use strict'

const { createDispatcher } = require('./dispatcher')
const { Service } = require('../service/service')
const { takeBody } = require('../http/taken-body')
const { adaptHost } = require('../transport/express-host')

/**
 * Makes what `app.use('/db', potoroo(options))` mounts: one function that answers every request
 * it gets, in express or any server that calls `(req, res)`.
 *
 * @param {import('../..').PotorooOptions} [options]
 * @returns {import('../..').Potoroo} with `ready` (open, or why not), `close()` and `service`
 */
function potoroo (options) {
  const service = new Service(options)
  const dispatch = createDispatcher(service)
  /** @type {any} */
  let host
  const middleware = (req, res) => {
    const server = req.socket?.server
    if (server !== host) {
      host = server
      adaptHost(req)
    }
    takeBody(req)
    dispatch(req, res)
  }
  return Object.assign(middleware, { service, ready: service.ready, close: () => service.close() })
}

module.exports = { potoroo }
