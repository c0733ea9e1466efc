'use strict'

const { load } = require('../../lib/level/entries')

/** `get`, awaited, one after the other. */
module.exports = {
  name: 'get',
  unit: 'get',
  needs: 'get',
  size: 100_000,
  step: 1000,
  async prepare (level, { size }) {
    return { level, keys: await load(level, size) }
  },
  async run ({ level, keys }, start, step) {
    for (let index = start; index < start + step; index++) {
      const value = await level.get(keys[index % keys.length])
      if (value.length !== 200) throw new Error(`Not the value: ${value}`)
    }
  }
}
