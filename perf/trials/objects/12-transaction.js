'use strict'

const { fill } = require('../../lib/objects/fill')

const SETS = 10

/** Ten properties of ten objects, all or none of them. */
module.exports = {
  name: `transaction of ${SETS} sets`,
  unit: 'transaction',
  size: 2000,
  step: 20,
  durable: true,
  goal: { most: 8 },
  async prepare (subject, { size }) {
    await fill(subject, size)
    return { subject, size, changes: new Array(SETS * 3) }
  },
  async run ({ subject, size, changes }, start, step) {
    for (let index = start; index < start + step; index++) {
      for (let set = 0; set < SETS; set++) {
        changes[set * 3] = (index * SETS + set) % size
        changes[set * 3 + 1] = 'score'
        changes[set * 3 + 2] = index
      }
      const pending = subject.transaction(changes)
      if (pending !== undefined) await pending
    }
    if (await subject.get(changes[0], 'score') !== start + step - 1) throw new Error('It was not set')
  }
}
