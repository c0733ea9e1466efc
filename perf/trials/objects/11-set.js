'use strict'

const { fill } = require('../../lib/objects/fill')

/** One property of each of 2,000 objects, each durable before the next, as in the paper. */
module.exports = {
  name: 'set a property',
  unit: 'set',
  size: 2000,
  step: 100,
  durable: true,
  goal: { most: 2, times: 5 },
  async prepare (subject, { size }) {
    await fill(subject, size)
    return { subject, size }
  },
  async run ({ subject, size }, start, step) {
    for (let index = start; index < start + step; index++) {
      const pending = subject.set(index % size, 'score', index)
      if (pending !== undefined) await pending
    }
    const last = start + step - 1
    if (await subject.get(last % size, 'score') !== last) throw new Error('It was not set')
  }
}
