'use strict'

const { fill } = require('../../lib/objects/fill')

/** `collect()` of 100,000 objects, each with another one in it, of which half have become garbage. */
module.exports = {
  name: 'collect garbage, half of the objects',
  unit: 'object',
  needs: 'collect',
  size: 100_000,
  step: 1,
  most: 6,
  async prepare (subject, { size }) {
    return { subject, size }
  },
  async ready ({ subject, size }) {
    subject.root.objects.length = 0
    subject.collect()
    await fill(subject, size)
    subject.root.objects.length = size / 2
  },
  async run ({ subject, size }) {
    const { objects } = subject.collect()
    if (objects !== size) throw new Error(`${objects} objects were collected, not ${size}`)
    return 2 * size
  }
}
