'use strict'

const path = require('node:path')

/**
 * @typedef {object} Storage
 * @property {any} level an open abstract-level
 * @property {Record<string, any>} description what it is and what an acknowledged write survives
 * @property {() => Promise<void>} close
 */

/**
 * Opens what the databases live in.
 *
 * @param {{ storage?: string, folder?: string, level?: any }} options
 * @returns {Promise<Storage>}
 */
async function openStorage ({ storage = 'auto', folder, level }) {
  if (level !== undefined) {
    await level.open()
    return { level, description: { storage: level.constructor.name }, close: async () => {} }
  }
  const name = storage === 'auto' ? 'classic-level' : storage
  const opened = name === 'memory'
    ? new (require('memory-level').MemoryLevel)({ keyEncoding: 'buffer', valueEncoding: 'buffer' })
    : new (require('classic-level').ClassicLevel)(path.join(folder, 'databases'), { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  await opened.open()
  return { level: opened, description: { storage: name }, close: () => opened.close() }
}

module.exports = { openStorage }
