'use strict'

const { inspect } = require('node:util')
const { plain } = require('../plain')

/**
 * The target of Proxies of a kind. It holds nothing, so that none of JavaScript's rules for Proxies
 * binds what the handlers say. `util.inspect` looks at targets, and not at Proxies.
 *
 * @template {object} T
 * @param {T} target
 * @returns {T}
 */
function shellOf (target) {
  const prototype = Object.create(Object.getPrototypeOf(target), {
    [inspect.custom]: {
      /** @this {object} */
      value (depth) { return plain(this, depth ?? Infinity) }
    }
  })
  return Object.setPrototypeOf(target, prototype)
}

module.exports = { shellOf }
