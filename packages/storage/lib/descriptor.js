'use strict'

/**
 * Another descriptor of the same socket or file, for another thread: Node.js closes a descriptor with
 * the thread that has it. It needs the addon of the pools that threads share.
 *
 * @param {number} descriptor
 * @returns {number} to be closed by whoever gets it
 */
function duplicateDescriptor (descriptor) {
  return require('pmemobj').duplicateDescriptor(descriptor)
}

module.exports = { duplicateDescriptor }
