'use strict'

// An import in a process of its own, to be killed: `node import-process.js PLACE FOLDER` imports the
// one database at PLACE into a store in FOLDER, and prints a line for each commit.

const { DocumentStore } = require('@potoroo/document-store')
const { StoreTarget, findSources, importDatabase } = require('@potoroo/import')
const { open } = require('@potoroo/storage')

async function main (place, folder) {
  const { level } = await open({ storage: 'classic-level', path: folder, allowVolatile: true })
  const store = await DocumentStore.open(level)
  const { databases: [found] } = await findSources(place)
  const source = await found.open()
  const summary = await importDatabase(source, new StoreTarget(store), { onProgress: () => process.stdout.write('.\n') })
  await source.close()
  await store.close()
  await level.close()
  process.stdout.write(`${JSON.stringify(summary)}\n`)
}

main(process.argv[2], process.argv[3]).catch(error => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
