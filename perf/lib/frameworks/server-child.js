'use strict'

// A server in a process of its own: `FRAMEWORK pg URL`, or `FRAMEWORK documents FOLDER`. It tells its URL, and ends with its parent.

const { DocumentObjectsStore, PostgresStore } = require('./stores')
const { listen } = require('./servers')

async function main () {
  const [, , framework, kind, place] = process.argv
  const store = await (kind === 'pg' ? PostgresStore : DocumentObjectsStore).open(place)
  process.send({ url: await listen(framework, store) })
}

process.on('disconnect', () => process.exit())
process.on('message', () => { // collects garbage, so that what came before is not charged to what is timed
  global.gc()
  process.send({})
})

main().catch(error => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
