'use strict'

const { DATABASE, createDatabase, expectRows } = require('./database')

/**
 * The trial of a `GET` that answers with a row for each document.
 *
 * @param {string} name of the resource in the database, with its query
 * @param {string} member of the answer that holds the rows
 * @returns {import('../catalogue').Trial}
 */
function rowsOf (name, member) {
  return {
    name: `GET ${name}`,
    unit: 'row',
    size: 10_000,
    step: 1,
    async prepare (server, { size }) {
      return { size, client: await createDatabase(server, size, { connections: 1 }) }
    },
    async run ({ client, size }) {
      const answer = await client.request('GET', `${DATABASE}/${name}`)
      expectRows(JSON.parse(answer)[member], size)
      return size
    }
  }
}

module.exports = { rowsOf }
