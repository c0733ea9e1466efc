'use strict'

const { inspect } = require('node:util')
const { plain } = require('../heap/plain')

/** Properties of a prototype, by which objects of a pool are shown. */
const INSPECTION = Object.freeze({
  [inspect.custom]: {
    /**
     * @this {object}
     *
     * @param {number | undefined} depth
     */
    // Below the depth asked for too, for a plain object with something in it is shown as [Object] there.
    value (depth) { return show(this, Math.max(depth ?? Infinity, 0)) }
  }
})

/**
 * To print an object of a closed pool, in an error's message even, must not throw another.
 *
 * @param {object} object
 * @param {number} depth
 */
function show (object, depth) {
  try {
    return plain(object, depth)
  } catch (error) {
    if (error.code !== 'PMEMOBJ_CLOSED') throw error
    return { [inspect.custom]: () => '[of a closed pool]' }
  }
}

/**
 * The target of Proxies of a kind. It holds nothing, so that none of JavaScript's rules for Proxies
 * binds what the handlers say. `util.inspect` looks at targets, and not at Proxies.
 *
 * @template {object} T
 * @param {T} target
 * @returns {T}
 */
function shellOf (target) {
  return Object.setPrototypeOf(target, Object.create(Object.getPrototypeOf(target), INSPECTION))
}

module.exports = { INSPECTION, shellOf }
