'use strict'

const { fill } = require('../../lib/objects/fill')
const { makeObject } = require('../../lib/objects/samples')

/** A new object of ten properties, one of them an object, durable before the next. */
module.exports = {
  name: 'new object',
  unit: 'object',
  size: 2000,
  step: 50,
  most: 200_000,
  durable: true,
  async prepare (subject, { size }) {
    await fill(subject, size)
    return { subject, size }
  },
  async run ({ subject, size }, start, step) {
    for (let number = size + start; number < size + start + step; number++) {
      const pending = subject.insert(number, [makeObject(number)])
      if (pending !== undefined) await pending
    }
    if (await subject.get(size + start, 'number') !== size + start) throw new Error('It is not there')
  }
}
