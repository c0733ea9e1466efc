'use strict'

const { makeObjects } = require('../../lib/objects/samples')

/** The same, a thousand of them in one transaction. */
module.exports = {
  name: '1000 new objects',
  unit: 'object',
  size: 0,
  step: 1000,
  most: 200_000,
  durable: true,
  async prepare (subject) {
    return { subject }
  },
  async run ({ subject }, start, step) {
    await subject.insert(start, makeObjects(start, step))
    if (await subject.get(start + step - 1, 'number') !== start + step - 1) throw new Error('They are not there')
  }
}
