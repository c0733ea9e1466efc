'use strict'

const { storagesIn } = require('./data-folder')
const { openStorage } = require('./storage')

/**
 * Tells of a pool in another layout than this version writes, before it is opened to write, which brings it up. Changes nothing.
 *
 * @param {string} folder a data folder
 * @param {{ keyFile?: string }} [options]
 * @returns {Promise<string | null>} null where there is none, or it cannot be read for another reason
 */
async function olderLayout (folder, options = {}) {
  if (!storagesIn(folder).includes('pmem')) return null
  try {
    const storage = await openStorage({ ...options, storage: 'pmem', folder, readOnly: true, allowVolatile: true })
    await storage.close()
    return null
  } catch (error) {
    const { code, message } = error.cause ?? error
    // The same code is of pools that this version does not open at all.
    return code === 'LEVEL_PMEM_LAYOUT_VERSION' && message.includes('opened for writing once') ? message : null
  }
}

module.exports = { olderLayout }
