'use strict'

// Adds one to two documents in one transaction, and says so, until it is killed.

const { Pool } = require('pmemobj')
const { openDocuments } = require('..')

async function main () {
  const documents = await openDocuments(Pool.open(process.argv[2]), 'counts')
  await documents.transaction(() => {
    for (const id of ['a', 'b']) if (!documents.has(id)) documents.set(id, { n: 0 })
  })
  const [a, b] = [documents.get('a'), documents.get('b')]
  for (;;) {
    await documents.transaction(() => {
      a.n++
      b.n++
    })
    process.stdout.write(`${a.n}\n`)
  }
}

main()
