'use strict'

const { load } = require('../../lib/level/entries')

const KEYS = 100

/** `getMany` of 100 keys that are not neighbours. */
module.exports = {
  name: `getMany of ${KEYS}`,
  unit: 'get',
  needs: 'getMany',
  size: 100_000,
  step: 10 * KEYS,
  async prepare (level, { size }) {
    return { level, keys: await load(level, size) }
  },
  async run ({ level, keys }, start, step) {
    for (let index = start; index < start + step; index += KEYS) {
      const from = index % (keys.length - KEYS + 1)
      const values = await level.getMany(keys.slice(from, from + KEYS))
      if (values.some((value) => value.length !== 200)) throw new Error('Not the values')
    }
  }
}
