'use strict'

const { freeSpace } = require('./free-space')

/**
 * @typedef {import('abstract-level').AbstractLevel<any, any, any> & {
 *   recover?: () => Promise<void>, flush?: () => Promise<void>, stats?: () => import('pmemobj').PoolStats
 * }} Level
 */

/** A pool grows by parts of this size, at least. */
const LEAST_PART = 8 * 1024 * 1024

/** With less room than this, writes of ordinary size may be refused. */
const LEAST_ROOM = 256 * 1024

/** A key of no database: it is there for a moment. */
const TRIAL = '!room'
const TRIAL_BYTES = 16 * 1024

/** The look under way at each level: many who ask at the same time share it. @type {WeakMap<object, Promise<'full' | 'failed' | null>>} */
const looks = new WeakMap()

/**
 * Says why a storage takes no writes now; one that can recover does so.
 *
 * @param {Level} level
 * @param {string | null} location
 * @returns {Promise<'full' | 'failed' | null>} null: it takes them
 */
function writeFault (level, location) {
  const under = looks.get(level)
  if (under !== undefined) return under
  const look = lookAt(level, location).finally(() => looks.delete(level))
  looks.set(level, look)
  return look
}

/** @param {Level} level @param {string | null} location */
async function lookAt (level, location) {
  try {
    await level.recover?.()
    await level.flush?.()
  } catch (error) {
    return /FULL|NO_SPACE/.test(error.code) ? 'full' : 'failed'
  }
  const isScarce = typeof level.stats === 'function' && location !== null && await hasLittleRoom(level.stats(), location)
  return isScarce && !await takesTrial(level) ? 'full' : null
}

/**
 * Tries a write: the figures do not tell what is free between other values.
 *
 * @param {Level} level
 */
async function takesTrial (level) {
  const binary = { keyEncoding: 'utf8', valueEncoding: 'buffer' }
  try {
    await level.put(TRIAL, Buffer.alloc(TRIAL_BYTES), binary)
    await level.del(TRIAL, binary)
    return true
  } catch {
    return false
  }
}

/** @param {import('pmemobj').PoolStats} options @param {string} location */
async function hasLittleRoom ({ free, size, maxSize }, location) {
  const growth = Math.max(0, maxSize - size)
  if (free - growth >= LEAST_ROOM) return false
  if (growth < LEAST_PART) return true
  return await freeSpace(location) < LEAST_PART
}

module.exports = { writeFault }
