'use strict'

const { createError } = require('@potoroo/errors')

/** The one node of this server, named as an Erlang that was given no name. */
const NODE = 'nonode@nohost'

/** `_local` is this node, and so is its name. @param {string} name @throws not_found for any other */
function requireNode (name) {
  if (name !== '_local' && name !== NODE) throw createError('MISSING', { reason: `no such node: ${name}` })
}

module.exports = { NODE, requireNode }
