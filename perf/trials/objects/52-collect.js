'use strict'

const { fill } = require('../../lib/objects/fill')

/** `collect()` of 100,000 small objects, of which every other one has become garbage. */
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
    const kept = subject.root.objects.filter((_, index) => index % 2 === 0)
    subject.root.objects.splice(0, size, ...kept)
    // What was touched in this turn of the event loop is kept until the next one.
    await new Promise(resolve => setImmediate(resolve))
    global.gc?.()
  },
  async run ({ subject, size }) {
    const { objects } = subject.collect()
    if (!(objects >= size / 4)) throw new Error(`${objects} objects were collected`)
    return size
  }
}
