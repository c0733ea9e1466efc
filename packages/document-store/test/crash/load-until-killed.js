'use strict'

/**
 * `node load-until-killed.js LEVEL FOLDER SEED` waits for a line on standard input and then works
 * on the database there until it is killed. Each event (see ledger.js) is a line of JSON on
 * standard output, written before anything else happens.
 */

const fs = require('node:fs')
const { once } = require('node:events')
const seedrandom = require('seedrandom')
const { DocumentStore } = require('../..')
const { openLevel } = require('./level-on-disk')
const { Writer, tend, listen } = require('./mixed-load')

const WRITERS = 4

async function main () {
  const [kind, folder, seed] = process.argv.slice(2)
  await once(process.stdin, 'data')
  const level = openLevel(kind, folder) // which begins to open it
  await level.open()
  const random = seedrandom(seed)
  const store = await DocumentStore.open(level, { autoCompaction: random() < 0.2 })
  const load = { store, random, tell: (event) => fs.writeSync(1, JSON.stringify(event) + '\n') }
  const forever = async (action) => {
    for (;;) {
      await action()
      // In persistent memory nothing waits for anything: without this streams would never have a turn.
      await new Promise(setImmediate)
    }
  }
  listen(load)
  for (let i = 0; i < WRITERS; i++) {
    const writer = new Writer(load, `w${i}`)
    forever(() => writer.step())
  }
  await forever(() => tend(load))
}

main()
