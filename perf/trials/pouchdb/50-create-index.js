'use strict'

const { load } = require('../../lib/pouchdb/load')
const { makeKeyed, INDEX, SIZE } = require('../../lib/pouchdb/find')

/** `createIndex` over 1000 documents; the index is removed again, untimed. */
module.exports = {
  name: 'create-index',
  unit: 'creation',
  counts: true,
  size: SIZE,
  step: 1,
  async prepare (db, { size }) {
    await load(db, size, makeKeyed)
    return { db }
  },
  async ready ({ db }) {
    const { indexes } = await db.getIndexes()
    for (const index of indexes.filter(({ ddoc }) => ddoc !== null)) await db.deleteIndex(index)
  },
  async run ({ db }) {
    const { result } = await db.createIndex(INDEX)
    if (result !== 'created') throw new Error(`The index is not created but ${result}`)
  }
}
