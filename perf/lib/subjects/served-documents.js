'use strict'

const { Client } = require('../http/client')
const { DATABASE, bulkDocs } = require('../http/database')
const { servePotoroo } = require('../http/servers')
const { MemoryMeter } = require('./memory-meter')

const BATCH = 1000

/** MiB that nothing may take above an empty database. */
const LIMIT = 200

async function insert (client, count, meter) {
  for (let at = 0; at < count; at += BATCH) {
    await bulkDocs(client, at, Math.min(BATCH, count - at))
    meter.look()
  }
}

/** The functions run in the sandbox. Nothing of ours runs meanwhile, so a clock looks. */
async function buildView (client, count, meter) {
  const views = { names: { map: 'function (doc) { emit(doc.name, doc.age) }' }, tags: { map: 'function (doc) { doc.tags.forEach(function (tag) { emit(tag, 1) }) }', reduce: '_count' } }
  await client.request('PUT', `${DATABASE}/_design/all`, { json: { views }, status: 201 })
  const timer = setInterval(() => meter.look(), 10)
  const answer = JSON.parse(await client.request('GET', `${DATABASE}/_design/all/_view/names?limit=0`))
  clearInterval(timer)
  if (answer.total_rows !== count) throw new Error(`${answer.total_rows} rows instead of ${count}`)
}

/** A server and its client in one process: `node served-documents.js STORAGE FOLDER DOCUMENTS`. */
async function main () {
  const [storage, folder, documents] = process.argv.slice(2)
  const { url, close } = await servePotoroo({ path: folder, port: 0, storage })
  const client = new Client(url, 1)
  await client.request('PUT', DATABASE, { status: 201 })
  const meter = new MemoryMeter(`${storage}, server`)
  const count = Number(documents)
  await meter.measure('insert', () => insert(client, count, meter))
  await meter.measure('build views', () => buildView(client, count, meter))
  client.close()
  await close()
  if (meter.most > LIMIT) throw new Error(`${meter.most.toFixed(1)} MiB are more than ${LIMIT}`)
}

main()
