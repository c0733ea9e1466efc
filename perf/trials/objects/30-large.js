'use strict'

const { makeLargeObject } = require('../../lib/objects/samples')

/** A new object of 100,000 properties, durable. */
module.exports = {
  name: 'persist an object of 100,000 properties',
  unit: 'object',
  size: 100_000,
  step: 1,
  most: 20,
  durable: true,
  goal: { times: 1, than: 'lmdb' },
  async prepare (subject, { size }) {
    return { subject, size, object: makeLargeObject(size) }
  },
  async run ({ subject, size, object }, start) {
    await subject.insert(start, [object])
    if (await subject.get(start, `property${size - 1}`) !== object[`property${size - 1}`]) throw new Error('It is not there')
  }
}
