'use strict'

const { load, expectRows } = require('./load')

const GROUPS = 10

/** Documents in groups that are all as large, one behind the other in each. */
function makeMember (number) { return { _id: `doc-${String(number).padStart(7, '0')}`, group: number % GROUPS, number } }

/**
 * The trial of a reduction of a view that nothing has changed in.
 *
 * @param {string} name
 * @param {(size: number) => Record<string, any>} optionsOf of the query, by the number of documents
 * @param {(size: number) => Array<{ key: any, value: number }>} expected rows
 */
function reduceQuery (name, optionsOf, expected) {
  return {
    name,
    unit: 'query',
    size: 10_000,
    step: 1,
    async prepare (db, { size }) {
      await load(db, size, makeMember)
      const map = 'function (doc) { emit([doc.group, doc.number], doc.number) }'
      await db.put({ _id: '_design/members', views: { sums: { map, reduce: '_sum' } } })
      // The first ones build the index, and what reductions go by.
      for (let i = 0; i < 3; i++) await db.query('members/sums', optionsOf(size))
      return { db, size }
    },
    async run ({ db, size }) {
      const { rows } = await db.query('members/sums', optionsOf(size))
      const wanted = expected(size)
      expectRows(rows, wanted.length)
      for (let i = 0; i < wanted.length; i++) if (rows[i].value !== wanted[i].value) throw new Error(`${rows[i].value} and not ${wanted[i].value}`)
    }
  }
}

/** The sum of the numbers of a group. */
function sumOf (group, size) { return group * size / GROUPS + GROUPS * (size / GROUPS) * (size / GROUPS - 1) / 2 }

module.exports = { reduceQuery, sumOf, GROUPS }
