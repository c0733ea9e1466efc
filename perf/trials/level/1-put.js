'use strict'

const { load, newKeys } = require('../../lib/level/entries')
const { makeValue } = require('../../lib/data')

/** `put` of a new entry, awaited, durable. */
module.exports = {
  name: 'put',
  unit: 'put',
  size: 100_000,
  step: 100,
  most: 200_000,
  durable: true,
  async prepare (level, { size }) {
    await load(level, size)
    return { level, keys: newKeys() }
  },
  async run ({ level, keys }, start, step) {
    for (let index = start; index < start + step; index++) {
      await level.put(keys[index], makeValue(index), { sync: true })
    }
  }
}
