'use strict'

// Makes databases of one document each, and prints what they took as JSON:
// `node databases.js ADAPTER FOLDER COUNT`. One more is made before, and counts as the first.

const fs = require('node:fs')
const path = require('node:path')
const PouchDB = require('pouchdb-core')
const { median } = require('../report/statistics')

const packages = {
  pmem: 'pouchdb-adapter-pmem',
  'classic-level': 'pouchdb-adapter-classic-level',
  'memory-level': 'pouchdb-adapter-memory-level',
  leveldb: 'pouchdb-adapter-leveldb',
  memory: 'pouchdb-adapter-memory'
}

/** Bytes of the blocks that all files and folders take. */
function bytesOf (folder) {
  return fs.readdirSync(folder, { recursive: true })
    .reduce((sum, name) => sum + fs.statSync(path.join(folder, String(name))).blocks * 512, 0)
}

/** CPU time in ms of what is awaited. */
async function cost (action) {
  const before = process.cpuUsage()
  await action()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function main ([adapter, folder, count]) {
  PouchDB.plugin(require(packages[adapter]))
  const databases = []
  const make = async (name) => {
    const db = new PouchDB(path.join(folder, name), { adapter })
    await db.put({ _id: 'document', text: 'The only one' })
    databases.push(db)
  }
  const rss = process.memoryUsage.rss()
  const first = await cost(() => make('first'))
  const [firstBytes, firstRss] = [bytesOf(folder), process.memoryUsage.rss()]
  const each = []
  for (let i = 0; i < Number(count); i++) each.push(await cost(() => make(`database-${i}`)))
  const result = {
    first: { cpu: first, bytes: firstBytes, rss: firstRss - rss },
    more: { cpu: median(each), bytes: (bytesOf(folder) - firstBytes) / each.length, rss: (process.memoryUsage.rss() - firstRss) / each.length },
    total: { bytes: bytesOf(folder), rss: process.memoryUsage.rss() }
  }
  for (const db of databases) await db.close()
  console.log(JSON.stringify(result))
}

main(process.argv.slice(2))
