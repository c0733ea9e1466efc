'use strict'

/**
 * `node long-attachment-until-killed.js LEVEL FOLDER PHASE` stores a long attachment and drops it
 * again, and says `now` on standard output when it comes to that phase: to be killed.
 */

const fs = require('node:fs')
const { DocumentStore } = require('../..')
const { openLevel } = require('./level-on-disk')

const CHUNKS = 60

const [kind, folder, phase] = process.argv.slice(2)

function tell (reached) {
  if (reached === phase) fs.writeSync(1, 'now\n')
}

async function * content () {
  for (let i = 0; i < CHUNKS; i++) {
    if (i === CHUNKS / 2) tell('upload')
    yield Buffer.alloc(256 * 1024, i)
    await new Promise(setImmediate)
  }
  tell('commit')
}

async function main () {
  const level = openLevel(kind, folder)
  await level.open()
  const store = await DocumentStore.open(level)
  const { rev } = await store.put({ _id: 'long', _attachments: { f: { data: content() } } })
  await store.put({ _id: 'long', _rev: rev, _deleted: true })
  store.compact()
  setImmediate(tell, 'drop')
  setInterval(() => {}, 60000)
}

main()
