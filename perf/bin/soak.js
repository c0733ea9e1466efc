#!/usr/bin/env node
'use strict'

// Whether memory stays flat: `node perf/bin/soak.js [--seconds N] [--storage NAME] [--limit MIB] [--new-names]`.
// Cycles of all kinds of requests, each in databases of its own, which are deleted again. The memory
// of the server's process after them is printed now and then; it fails where the heap of the last
// quarter is more above that of the second than the limit. `--new-names` uses no name twice.

const net = require('node:net')
const { once } = require('node:events')
const { readOptions } = require('../lib/run/command-line')
const { SubjectServer } = require('../lib/subjects/subject-server')

const { values } = readOptions({
  options: {
    seconds: { type: 'string', default: '300' },
    storage: { type: 'string', default: 'pmem' },
    limit: { type: 'string', default: '3' },
    'new-names': { type: 'boolean', default: false }
  }
})

const SAMPLES = 16

/** Names that databases have one after the other. */
const NAMES = 16

const design = {
  views: { n: { map: 'function (doc) { emit(doc.n, doc.text) }' }, sum: { map: 'function (doc) { emit(doc.n % 10, doc.n) }', reduce: '_sum' } },
  filters: { even: 'function (doc, req) { return doc.n % 2 === 0 }' },
  validate_doc_update: 'function (doc) { if (doc.forbidden) throw { forbidden: "no" } }'
}

/** One of each kind of request that leaves something behind while it runs. */
async function cycle (server, number) {
  const db = `/soak-${values['new-names'] ? number : number % NAMES}`
  const target = `${db}-copy`
  await server.ask('PUT', db)
  const feed = await follow(server, `${db}/_changes?feed=continuous&since=0&heartbeat=1000`)
  const docs = Array.from({ length: 200 }, (_, n) => ({ _id: `d${n}`, n, text: 'x'.repeat(200) }))
  const written = await server.ask('POST', `${db}/_bulk_docs`, { docs })
  await server.ask('PUT', `${db}/_design/d`, design)
  await Promise.all(written.slice(0, 50).map(({ id, rev }) => server.ask('PUT', `${db}/${id}`, { _rev: rev, n: -1 })))
  await Promise.all(Array.from({ length: 20 }, (_, n) => server.ask('PUT', `${db}/a${n}/file`, Buffer.alloc(50_000, n), { 'content-type': 'text/plain' })))
  await Promise.all(Array.from({ length: 20 }, (_, n) => server.ask('GET', `${db}/a${n}/file`, undefined, { accept: '*/*' })))
  await server.ask('GET', `${db}/_design/d/_view/n?include_docs=true`)
  await server.ask('GET', `${db}/_design/d/_view/sum?group=true`)
  await server.ask('POST', `${db}/_index`, { index: { fields: ['n'] } })
  for (let n = 0; n < 20; n++) await server.ask('POST', `${db}/_find`, { selector: { n: { $gt: n } }, limit: 5 })
  await server.ask('GET', `${db}/_changes?filter=d/even&include_docs=true`)
  await server.ask('PUT', `${db}/_local/l`, { number })
  await server.ask('POST', '/_session', { name: 'admin', password: 'secret' })
  await server.ask('POST', '/_replicate', { source: db.slice(1), target: target.slice(1), create_target: true })
  await server.ask('POST', `${db}/_bulk_get`, { docs: docs.map(({ _id: id }) => ({ id })) })
  await server.ask('POST', `${db}/_compact`, {})
  await server.ask('DELETE', target)
  const ended = once(feed, 'close')
  if (number % 2 === 0) feed.destroy()
  await server.ask('DELETE', db)
  await ended
}

async function follow (server, target) {
  const socket = net.connect({ host: server.origin.hostname, port: Number(server.origin.port) })
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${server.authorization}\r\n\r\n`)
  await once(socket, 'data')
  return socket.resume()
}

const mebibytes = bytes => bytes / 2 ** 20
const mean = numbers => numbers.reduce((sum, each) => sum + each, 0) / numbers.length

async function main () {
  const server = await SubjectServer.start(values.storage)
  const heaps = []
  try {
    let number = 0
    for (let sample = 0; sample < SAMPLES; sample++) {
      const end = Date.now() + Number(values.seconds) * 1000 / SAMPLES
      while (Date.now() < end) await cycle(server, number++)
      const { heap, external, resident } = await server.memory()
      heaps.push(mebibytes(heap))
      console.log(`${String(number).padStart(6)} cycles: heap ${mebibytes(heap).toFixed(2)} MiB, external ${mebibytes(external).toFixed(2)} MiB, resident ${mebibytes(resident).toFixed(1)} MiB`)
    }
  } finally {
    await server.stop()
  }
  const quarter = SAMPLES / 4
  const growth = mean(heaps.slice(-quarter)) - mean(heaps.slice(quarter, 2 * quarter))
  console.log(`the heap grew by ${growth.toFixed(2)} MiB`)
  if (growth > Number(values.limit)) process.exitCode = 1
}

main()
