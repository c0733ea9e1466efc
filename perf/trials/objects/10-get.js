'use strict'

const { fill } = require('../../lib/objects/fill')

/** One property of each of 2,000 objects, as in the paper. */
module.exports = {
  name: 'get a property',
  unit: 'get',
  size: 2000,
  step: 2000,
  goal: { times: 5 },
  async prepare (subject, { size }) {
    await fill(subject, size)
    return { subject, size }
  },
  async run ({ subject, size }, start, step) {
    for (let index = start; index < start + step; index++) {
      const number = index % size
      let score = subject.get(number, 'score')
      if (typeof score !== 'number') score = await score
      if (score !== number + 0.5) throw new Error(`${score} is not the score of ${number}`)
    }
  }
}
