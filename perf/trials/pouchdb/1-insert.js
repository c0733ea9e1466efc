'use strict'

const { makeDocument } = require('../../lib/data')

/** `put` of a new document, one after the other. */
module.exports = {
  name: 'put of a new document',
  unit: 'document',
  size: 0,
  step: 50,
  most: 20_000,
  durable: true,
  async prepare (db) {
    return { db }
  },
  async run ({ db }, start, step) {
    for (let number = start; number < start + step; number++) await db.put(makeDocument(number))
  }
}
