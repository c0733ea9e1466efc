'use strict'

const { load } = require('../../lib/level/entries')

/** `getSync`. */
module.exports = {
  name: 'getSync',
  unit: 'get',
  needs: 'getSync',
  size: 100_000,
  step: 1000,
  async prepare (level, { size }) {
    return { level, keys: await load(level, size) }
  },
  async run ({ level, keys }, start, step) {
    for (let index = start; index < start + step; index++) {
      const value = level.getSync(keys[index % keys.length])
      if (value.length !== 200) throw new Error(`Not the value: ${value}`)
    }
  }
}
