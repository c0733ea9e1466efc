#!/usr/bin/env node
'use strict'

// Measures the cost of idle live feeds and open databases: `node perf/bin/feeds.js [--feeds N] [--databases N]
// [--storage NAME] [--kind continuous] [--limit KIB] [--kept]`. A server in a process of its own, and this
// process as the client of all its feeds, each on a connection of its own. Fails where a feed takes
// more than the limit. `[chttpd] release_feeds` is true; with --kept it is not. `ulimit -n` has to allow as many descriptors as there are feeds, and some.

const { readOptions } = require('../lib/run/command-line')
const { openFeeds, tellAll } = require('../lib/subjects/open-feeds')
const { SubjectServer, each, inWords } = require('../lib/subjects/subject-server')

const { values } = readOptions({
  options: {
    feeds: { type: 'string', default: '10000' },
    databases: { type: 'string', default: '1000' },
    storage: { type: 'string', default: 'pmem' },
    kind: { type: 'string', default: 'continuous' },
    limit: { type: 'string', default: '10' },
    kept: { type: 'boolean', default: false }
  }
})
const count = Number(values.feeds)
const databases = Number(values.databases)
const target = `/feeds/_changes?feed=${values.kind}&since=now&heartbeat=30000`

async function main () {
  const server = await SubjectServer.start(values.storage)
  try {
    await server.ask('PUT', '/feeds')
    if (!values.kept) await server.ask('PUT', '/_node/_local/_config/chttpd/release_feeds', 'true')
    // V8 keeps memory for itself once it has been busy: that is no feed's.
    for (const socket of await openFeeds(server, target, 2000)) socket.destroy()
    const before = await server.memory()
    const sockets = await openFeeds(server, target, count)
    const cost = each(before, await server.memory(), count)
    console.log(`${count} idle ${values.kind} feeds, each: ${inWords(cost)}`)
    const start = performance.now()
    await tellAll(sockets, () => server.ask('PUT', '/feeds/doc', {}))
    console.log(`all of them told of a write in ${(performance.now() - start).toFixed(0)} ms`)
    console.log(`afterwards, each: ${inWords(each(before, await server.memory(), count))}`)
    for (const socket of sockets) socket.destroy()
    if (databases > 0) await measureDatabases(server)
    if (cost.resident > Number(values.limit)) {
      console.log(`more than ${values.limit} KiB`)
      process.exitCode = 1
    }
  } finally {
    await server.stop()
  }
}

async function measureDatabases (server) {
  const before = await server.memory()
  for (let n = 0; n < databases; n++) {
    await server.ask('PUT', `/db-${n}`)
    await server.ask('PUT', `/db-${n}/doc`, { n })
    await server.ask('GET', `/db-${n}/_changes`)
  }
  console.log(`${databases} databases, each: ${inWords(each(before, await server.memory(), databases))}`)
}

main()
