'use strict'

/**
 * Writes until it is killed: `node crash-writer.js LEVEL FOLDER`. Each acknowledged write is one
 * line on standard output: JSON `{ id, rev, deleted, bytes }`, bytes of its attachment.
 */

const { DocumentStore } = require('..')
const { openLevel } = require('./crash-level')

const WRITERS = 8

function acknowledge (line) {
  // Synchronous, so that what was acknowledged is in the pipe before the next write.
  require('node:fs').writeSync(1, JSON.stringify(line) + '\n')
}

async function * stream (bytes) {
  for (let left = bytes; left > 0; left -= 50000) yield Buffer.alloc(Math.min(left, 50000), bytes % 251)
}

async function writeForever (store, writer) {
  for (let i = 0; ; i++) {
    const id = `w${writer}-${i % 50}`
    const known = await store.get(id).catch(() => null)
    const doc = known === null ? { _id: id, i } : { _id: id, _rev: known.rev, i }
    const bytes = i % 7 === 0 ? 1000 * (i % 600) : 0
    if (known !== null && i % 11 === 10) doc._deleted = true
    else if (bytes > 0) doc._attachments = { f: { data: i % 2 === 0 ? stream(bytes) : Buffer.alloc(bytes, bytes % 251) } }
    const { rev } = await store.put(doc)
    acknowledge({ id, rev, deleted: doc._deleted === true, bytes: doc._attachments ? bytes : 0 })
  }
}

async function main () {
  const level = openLevel(process.argv[2], process.argv[3])
  await level.open()
  const store = await DocumentStore.open(level)
  for (let writer = 0; writer < WRITERS; writer++) writeForever(store, writer)
  for (;;) await store.compact()
}

main()
