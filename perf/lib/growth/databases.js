'use strict'

const { makeDocument } = require('../data/samples')
const { GrownServer } = require('./grown-server')

/**
 * Takes down the costs of a number of databases, each with one document of some 200 bytes.
 *
 * @param {number} size
 * @param {import('./figures').Figures} figures
 * @param {{ folder: string, seconds: number }} options
 */
async function measureDatabases (size, figures, { folder, seconds }) {
  const server = await GrownServer.start(folder, seconds)
  const any = n => `/db-${n * 7919 % size}`
  const make = (client, n) => client.request('PUT', `/db-${n}`, { status: 201 })
    .then(() => client.request('PUT', `/db-${n}/doc`, { json: { ...makeDocument(n), _id: 'doc' }, status: 201 }))
  const made = await server.once(() => server.client.concurrently(0, size, n => make(server.client, n)))
  figures.add('making one with its document', 'µs', made * 1000 / size)
  figures.add('GET of a document', 'µs', await server.costOf((client, n) => client.request('GET', `${any(n)}/doc`)))
  figures.add('PUT of a document', 'µs', await server.costOf((client, n) => client.request('PUT', `${any(n)}/new-${n}`, { json: { ...makeDocument(n), _id: `new-${n}` }, status: 201 })))
  figures.add('_all_dbs, 10 in the middle', 'µs', await server.costOf(client => client.request('GET', `/_all_dbs?limit=10&skip=${Math.floor(size / 2)}`)))
  figures.add('memory', 'MiB', await server.memory())
  figures.add('files', 'MiB', server.files)
  figures.add('opening, with starting Node.js', 'ms', await server.reopen(client => client.request('GET', `${any(1)}/doc`)))
  await server.close()
}

module.exports = { measureDatabases }
