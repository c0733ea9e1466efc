'use strict'

const { DATABASE, createDatabase } = require('../../lib/http/database')

/** The first query of a view, which builds it: another view each time. */
module.exports = {
  name: 'build a view',
  unit: 'document',
  size: 5000,
  step: 1,
  most: 30,
  async prepare (server, { size }) {
    return { size, client: await createDatabase(server, size, { connections: 1 }) }
  },
  // The number in it makes the functions differ: equal ones would share an index.
  async ready ({ client }, number) {
    const map = `function (doc) { emit(doc.name, doc.age + ${number}) }`
    await client.request('PUT', `${DATABASE}/_design/view-${number}`, { json: { views: { v: { map } } }, status: 201 })
  },
  async run ({ client, size }, number) {
    const { total_rows: total } = JSON.parse(await client.request('GET', `${DATABASE}/_design/view-${number}/_view/v?limit=0`))
    if (total !== size) throw new Error(`${total} rows in the view and not ${size}`)
    return size
  }
}
