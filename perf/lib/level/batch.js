'use strict'

const { load, newKeys, puts } = require('./entries')

/**
 * The trial of durable batches of new entries.
 *
 * @param {number} count entries in one batch
 * @returns {import('../catalogue').Trial}
 */
function batchOf (count) {
  return {
    name: `batch of ${count}`,
    unit: 'put',
    size: 100_000,
    step: count,
    most: 500_000,
    durable: true,
    async prepare (level, { size }) {
      await load(level, size)
      return { level, keys: newKeys() }
    },
    async run ({ level, keys }, start, step) {
      await level.batch(puts(keys.slice(start, start + step), start), { sync: true })
    }
  }
}

module.exports = { batchOf }
