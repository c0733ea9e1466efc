'use strict'

const { DATABASE, createDatabase, expectRows } = require('./database')

/** Views of the documents that `makeDocument` makes. */
const views = {
  names: { map: 'function (doc) { emit(doc.name, doc.age) }' },
  ages: { map: 'function (doc) { emit(doc.age, doc.address.zip) }', reduce: '_stats' }
}

/** @returns {string} the path of a view */
function viewPath (name, query) { return `${DATABASE}/_design/perf/_view/${name}?${query}` }

/**
 * Makes the database with its views, and builds them.
 *
 * @param {import('./server-process').ServerProcess} server
 * @param {number} size
 * @param {{ connections: number }} options of the client
 * @returns {Promise<import('./client').Client>}
 */
async function createViews (server, size, options) {
  const client = await createDatabase(server, size, options)
  await client.request('PUT', `${DATABASE}/_design/perf`, { json: { views }, status: 201 })
  for (const name in views) await client.request('GET', viewPath(name, 'reduce=false&limit=0'))
  return client
}

/**
 * The trial of a `GET` of a view that answers with many rows.
 *
 * @param {string} name
 * @param {string} query
 * @param {{ rows?: number, unit?: string, size?: number }} [expected] rows: of the answer, where that is another number than of
 *   documents; unit: what a unit is, where it is not a row
 * @returns {import('../catalogue').Trial}
 */
function rowsOfView (name, query, { rows, unit = 'row', size = 10_000 } = {}) {
  return {
    name: `GET view?${query}`,
    unit,
    size,
    step: 1,
    async prepare (server, { size }) {
      return { size, client: await createViews(server, size, { connections: 1 }) }
    },
    async run ({ client, size }) {
      const answer = JSON.parse(await client.request('GET', viewPath(name, query)))
      expectRows(answer.rows, rows ?? size)
      return unit === 'row' ? answer.rows.length : 1
    }
  }
}

module.exports = { createViews, rowsOfView, viewPath }
