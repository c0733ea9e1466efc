'use strict'

const { createDispatcher } = require('./dispatcher')
const { Foundation } = require('../service/foundation')
const { checkAppOptions } = require('../start/options')
const { Service } = require('../service/service')
const { takeBody } = require('../http/taken-body')
const { adaptHost } = require('../transport/express-host')

/**
 * Makes what `app.use('/db', potoroo(options))` mounts: one function that answers every request
 * it gets, in express or any server that calls `(req, res)`.
 *
 * @param {import('../..').PotorooOptions} [options]
 * @returns {import('../..').Potoroo} with `ready` (open, or why not), `close()`, and `service` once it is open
 * @throws TypeError of an option, an unknown one too
 */
function potoroo (options) {
  checkAppOptions(options)
  const foundation = new Foundation(options)
  const opening = Service.on(foundation)
  /** @type {Service | Promise<Service>} */
  let service = opening
  const dispatch = foundation.handle = createDispatcher(foundation, () => service)
  /** @type {import('../..').Potoroo} */
  const app = Object.assign(middlewareOf(dispatch), {
    service: undefined,
    ready: opening.then(opened => { app.service = service = opened }),
    close: async () => {
      foundation.endFeeds()
      const opened = await opening.catch(() => foundation)
      await opened.close()
    }
  })
  // Callers that await it learn of it; the others are answered 500.
  app.ready.catch(() => {})
  return app
}

/**
 * @param {(req: any, res: any) => void} dispatch
 * @returns {(req: any, res: any) => void}
 */
function middlewareOf (dispatch) {
  /** @type {any} */
  let host
  return (req, res) => {
    const server = req.socket?.server
    if (server !== host) {
      host = server
      adaptHost(req)
    }
    takeBody(req)
    dispatch(req, res)
  }
}

module.exports = { potoroo }
