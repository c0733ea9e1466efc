'use strict'

const { DocumentStore } = require('@potoroo/document-store')

/**
 * Opens a document store that has a level of its own.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level
 * @param {{ name: string }} options the ones given to PouchDB
 * @param {() => Promise<void>} remove removes the closed level's data
 * @returns {Promise<import('./shared-stores').Opened>}
 */
async function openOnLevel (level, options, remove) {
  await level.open()
  let store
  try {
    store = await DocumentStore.open(level, { name: options.name })
  } catch (error) {
    await level.close()
    throw error
  }
  const close = async () => {
    await store.close()
    await level.close()
  }
  return {
    store,
    close,
    destroy: async () => {
      await close()
      await remove()
    }
  }
}

module.exports = { openOnLevel }
