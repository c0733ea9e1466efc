'use strict'

const { load } = require('../../lib/level/entries')

const RANGES = 256

/** `clear` of a range: all keys with the same two first digits. */
module.exports = {
  name: 'clear of a range',
  unit: 'entry',
  needs: 'clear',
  size: 100_000,
  step: 1,
  most: RANGES,
  async prepare (level, { size }) {
    const counts = new Array(RANGES).fill(0)
    for (const key of await load(level, size)) counts[parseInt(key.slice(0, 2), 16)]++
    return { level, counts }
  },
  async run ({ level, counts }, start) {
    const bound = start.toString(16).padStart(2, '0')
    await level.clear({ gte: bound, lt: `${bound}g` })
    const iterator = level.iterator({ gte: bound, limit: 1 })
    const [first] = await iterator.nextv(1)
    await iterator.close()
    if (first?.[0].startsWith(bound)) throw new Error(`${first[0]} is still there`)
    return counts[start]
  }
}
