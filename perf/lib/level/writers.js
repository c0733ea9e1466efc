'use strict'

const { makeValue } = require('../data')
const { load, newKeys } = require('./entries')

const EACH = 10

/**
 * The trial of durable puts by several writers at once, each of which awaits its own.
 *
 * @param {number} writers
 * @returns {import('../catalogue').Trial}
 */
function putBy (writers) {
  return {
    name: `put by ${writers} at once`,
    unit: 'put',
    size: 100_000,
    step: writers * EACH,
    most: 500_000,
    durable: true,
    async prepare (level, { size }) {
      await load(level, size)
      return { level, keys: newKeys() }
    },
    async run ({ level, keys }, start) {
      await Promise.all(Array.from({ length: writers }, async (_, writer) => {
        const from = start + writer * EACH
        for (let index = from; index < from + EACH; index++) {
          await level.put(keys[index], makeValue(index), { sync: true })
        }
      }))
    }
  }
}

module.exports = { putBy }
