'use strict'

const { createError } = require('../base/codes')

/** Holds the bytes of ArrayBuffers: its values are buffers, which the engine keeps at one place. */
const BUFFERS = '\0buffers'
/** Notes of transactions over several pools, and the key there of the id that others know the pool by: no copy has the same. */
const JOINT = '\0joint'
const JOINT_ID = Buffer.from('pool')
/** The engine's own, which it shows nobody: means nothing in another pool. */
const UNDO = '\0undo'

/**
 * Whether it is the name of a map of our own, which users do not see: it begins with NUL.
 *
 * @param {string} name
 */
function isHidden (name) {
  return name.charCodeAt(0) === 0
}

/**
 * @param {unknown} name of a map of users
 * @returns {string}
 */
function checkName (name) {
  if (typeof name !== 'string') throw new TypeError('The name must be a string')
  if (isHidden(name)) throw createError('PMEMOBJ_INVALID', 'Names of maps that begin with NUL are for the pool itself')
  return name
}

module.exports = { BUFFERS, JOINT, JOINT_ID, UNDO, checkName, isHidden }
