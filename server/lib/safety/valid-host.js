'use strict'

const { badRequest } = require('@potoroo/errors')

/**
 * With `[chttpd] validate_host` a request has to say a host of `valid_hosts`: a page whose own name leads to this
 * machine says another.
 *
 * @param {any} req
 * @param {import('../config/config').Config} config
 * @throws bad_request "Invalid host header"
 */
function requireValidHost ({ headers }, config) {
  if (!config.boolean('chttpd', 'validate_host')) return
  const name = (headers.host ?? headers[':authority'] ?? '').replace(/:\d+$/, '').toLowerCase()
  const names = config.get('chttpd', 'valid_hosts').toLowerCase().split(',').map(each => each.trim())
  if (name === '' || !names.includes(name)) throw badRequest('Invalid host header')
}

module.exports = { requireValidHost }
