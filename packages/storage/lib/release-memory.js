'use strict'

/**
 * Gives memory back to the system that was freed and that the C library keeps. It needs the addon
 * of pools.
 *
 * @returns {boolean} whether there was any
 */
function releaseMemory () {
  return require('pmemobj').releaseMemory()
}

module.exports = { releaseMemory }
