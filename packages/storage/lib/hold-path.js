'use strict'

/**
 * Holds a file or a folder until it is released, or the process ends in whatever way: nobody else can hold it
 * meanwhile, by whatever name. It says nothing of who may read or write. It needs the addon of pools.
 *
 * @param {string} path
 * @returns {(() => void) | null} releases it; null where it cannot be held, as another process holds it or it is not there
 */
function holdPath (path) {
  try {
    return require('pmemobj/claim').claim(path, false)
  } catch {
    return null
  }
}

module.exports = { holdPath }
