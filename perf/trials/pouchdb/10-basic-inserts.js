'use strict'

/** `post` of one document, one after the other. */
module.exports = {
  name: 'basic-inserts',
  unit: 'document',
  counts: true,
  size: 0,
  step: 50,
  most: 20_000,
  durable: true,
  async prepare (db) {
    return { db }
  },
  async run ({ db }, start, step) {
    for (let count = 0; count < step; count++) await db.post({ yo: 'dawg' })
  }
}
