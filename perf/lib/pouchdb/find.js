'use strict'

const { expectRows, load } = require('./load')

/** A tenth of PouchDB's. */
const SIZE = 1000
const WORDS = ['foo', 'bar', 'smang']
const INDEX = { index: { fields: ['key'] } }

function makeKeyed (number) {
  return { key: number % 1337, even: number % 2 === 0, random: number * 7919 % SIZE / SIZE, str: WORDS[number % 3] }
}

/** The number of documents that `find` gives by default. */
const LIMIT = 25

/** A case of PouchDB's: `find`, with an index of `key` or without any. */
function findQuery (name, { selector, indexed, found }) {
  return {
    name,
    unit: 'query',
    counts: true,
    size: SIZE,
    step: 1,
    async prepare (db, { size }) {
      await load(db, size, makeKeyed)
      if (indexed) await db.createIndex(INDEX)
      const count = Array.from({ length: size }, (_, number) => makeKeyed(number)).filter(found).length
      return { db, count: Math.min(count, LIMIT) }
    },
    async run ({ db, count }) {
      const { docs } = await db.find({ selector })
      expectRows(docs, count)
    }
  }
}

module.exports = { findQuery, makeKeyed, SIZE, INDEX }
