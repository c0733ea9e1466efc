'use strict'

const { open } = require('@potoroo/storage')

/**
 * @typedef {object} OpenStorage
 * @property {any} level an open abstract-level
 * @property {boolean} isPool a pool, which threads of this process can share
 * @property {boolean} durableAtOnce whether what is seen in it is durable
 * @property {() => Record<string, any>} describe what it is and what an acknowledged write survives
 * @property {() => Promise<void>} flush makes all that was written so far survive a power cut
 * @property {() => Promise<void>} close
 */

/**
 * Opens what the databases live in: the application's own level, or a storage in the data folder.
 *
 * @param {import('..').PotorooOptions & { folder?: string }} options
 * @returns {Promise<OpenStorage>}
 */
async function openStorage ({ storage, folder, level, size, allowVolatile, durability }) {
  if (level !== undefined) {
    await level.open()
    return { level, isPool: false, durableAtOnce: false, describe: () => ({ storage: level.constructor.name }), flush: () => flush(level), close: async () => {} }
  }
  const opened = await open({ storage, path: folder, size, allowVolatile, durability })
  const isPool = opened.storage === 'pmem'
  const durableAtOnce = isPool && /** @type {any} */ (opened.level).stats().isPmem
  return { level: opened.level, isPool, durableAtOnce, describe: () => opened.describe(), flush: () => flush(opened.level), close: () => opened.level.close() }
}

/** Levels without `flush` acknowledge nothing before it is durable. */
async function flush (level) {
  await level.flush?.()
}

/**
 * Says in words where databases live and what an acknowledged write survives.
 * @param {Record<string, any>} description
 * @returns {string[]} lines
 */
function describeInWords ({ storage, path, fileSystem, medium, commit, survives, reason }) {
  const where = [path && `in ${path}`, fileSystem && `on ${fileSystem}`, medium && `(${medium})`].filter(Boolean).join(' ')
  return [
    `storage: ${storage} ${where}`.trim(),
    ...(reason ? [`  because ${reason}`] : []),
    ...(survives ? [`an acknowledged write survives: ${survives}; a commit is: ${commit}`] : [])
  ]
}

module.exports = { openStorage, describeInWords }
