'use strict'

const { documentId, makeDocument } = require('../data/samples')
const { expectRows } = require('../data/expect')
const { DATABASE, bulkDocs, find, viewPath } = require('../http/database')
const { GrownServer } = require('./grown-server')

const BATCH = 1000

/** Numbers of documents that come later: no other has one of these. */
const LATER = 2e9

/** Ages are groups of 90, and a group of 10 is a first element. */
const views = {
  names: { map: 'function (doc) { emit(doc.name, doc.age) }' },
  ages: { map: 'function (doc) { emit([doc.age % 20, doc.name], doc.age) }', reduce: '_stats' }
}

/**
 * Takes down the costs of a database with a number of documents, each of some 200 bytes.
 *
 * @param {number} size
 * @param {import('./figures').Figures} figures
 * @param {{ folder: string, seconds: number, bare?: boolean }} options bare: without views and indexes
 */
async function measureDocuments (size, figures, { folder, seconds, bare = false }) {
  const server = await GrownServer.start(folder, seconds)
  await server.client.request('PUT', DATABASE, { status: 201 })
  const filled = await server.once(async () => {
    for (let start = 0; start < size; start += BATCH) await bulkDocs(server.client, start, Math.min(BATCH, size - start))
  })
  figures.add('_bulk_docs of 1000, a document', 'µs', filled * 1000 / size)
  const any = n => n * 7919 % size
  await measureSingles(server, figures, any, size)
  if (!bare) await measureIndexes(server, figures, any, size)
  figures.add('memory', 'MiB', await server.memory())
  figures.add('files', 'MiB', server.files)
  figures.add('opening, with starting Node.js', 'ms', await server.reopen(client => client.request('GET', `${DATABASE}/${documentId(any(1))}`)))
  await measureSkips(server, figures, size, bare)
  figures.add('memory after opening', 'MiB', await server.memory())
  await server.close()
}

/** @param {GrownServer} server @param {import('./figures').Figures} figures @param {(n: number) => number} any @param {number} size */
async function measureSingles (server, figures, any, size) {
  figures.add('GET', 'µs', await server.costOf((client, n) => client.request('GET', `${DATABASE}/${documentId(any(n))}`)))
  figures.add('PUT', 'µs', await server.costOf((client, n) => putLater(client, n)))
  const { last_seq: since } = JSON.parse(await server.client.request('GET', `${DATABASE}/_changes?since=now`))
  await bulkDocs(server.client, 1e9, 10)
  figures.add('_changes, the last ten', 'µs', await server.costOf(async client => expectRows(JSON.parse(await client.request('GET', `${DATABASE}/_changes?since=${encodeURIComponent(since)}`)).results, 10)))
  figures.add('_all_docs, one row behind half', 'µs', await server.costOf(async client => expectRows(JSON.parse(await client.request('GET', `${DATABASE}/_all_docs?skip=${Math.floor(size / 2)}&limit=1`)).rows, 1)))
}

/** Takes down the first long skips after a start. @param {GrownServer} server @param {import('./figures').Figures} figures @param {number} size @param {boolean} bare */
async function measureSkips (server, figures, size, bare) {
  const skip = path => server.once(async () => expectRows(JSON.parse(await server.client.request('GET', `${path}${Math.floor(size / 2)}`)).rows, 1))
  figures.add('_all_docs, one row behind half, the first after opening', 'ms', await skip(`${DATABASE}/_all_docs?limit=1&skip=`))
  if (!bare) figures.add('view, one row behind half, the first after opening', 'ms', await skip(viewPath('names', 'limit=1&skip=')))
}

/** @param {GrownServer} server @param {import('./figures').Figures} figures @param {(n: number) => number} any @param {number} size */
async function measureIndexes (server, figures, any, size) {
  const get = (view, query) => server.client.request('GET', viewPath(view, query))
  const byKey = async n => {
    const answer = await get('names', `key=%22Person%20number%20${any(n)}%22`)
    if (!answer.includes('"id"')) throw new Error(`Not its row: ${answer}`)
  }
  const groups = async () => expectRows(JSON.parse(await get('ages', 'group_level=1')).rows, 20)
  await server.client.request('PUT', `${DATABASE}/_design/perf`, { json: { views }, status: 201 })
  figures.add('views, building two, a document', 'µs', await server.once(() => get('names', 'limit=0')) * 1000 / size)
  figures.add('view by key, the first', 'ms', await server.once(() => byKey(1)))
  figures.add('view by key', 'µs', await server.costOf((_, n) => byKey(n)))
  figures.add('group_level=1, 20 groups, the first', 'ms', await server.once(groups))
  figures.add('group_level=1, 20 groups', 'µs', await server.costOf(groups, { step: 10 }))
  const write = n => putLater(server.client, n)
  figures.add('view by key after an update', 'µs', await server.costOf((_, n) => byKey(n), { ready: write }))
  figures.add('group_level=1, 20 groups, after an update', 'µs', await server.costOf(groups, { ready: write }))
  await server.client.request('POST', `${DATABASE}/_index`, { json: { index: { fields: ['email'] }, ddoc: 'index', name: 'email' } })
  const byEmail = n => find(server.client, { email: `person.${any(n)}@example.com`, type: 'person' }, undefined)
  figures.add('index of _find, building, a document', 'µs', await server.once(() => byEmail(1)) * 1000 / size)
  figures.add('_find by index', 'µs', await server.costOf((_, n) => byEmail(n)))
}

function putLater (client, n) {
  return client.request('PUT', `${DATABASE}/${documentId(LATER + n)}`, { json: makeDocument(LATER + n), status: 201 })
}

module.exports = { measureDocuments }
