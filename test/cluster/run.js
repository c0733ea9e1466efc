'use strict'

// `npm run test:cluster`: servers over PostgreSQL with a standby, clients, and one fault after another,
// for `--seconds` (default: an hour). `--seed` repeats a run's choices; `--only WORD` (may be given again)
// takes faults whose name has it; `--list` names them; `--storage classic-level` tries one server
// without PostgreSQL; `--pictures FOLDER` keeps a page on each document whose history cannot be.

const { mkdirSync } = require('node:fs')
const { parseArgs } = require('node:util')
const { inWords } = require('./checks/in-words')
const { faults } = require('./faults')
const { Cluster } = require('./subject/cluster')
const { runTrial } = require('./trial')

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3600' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    servers: { type: 'string', default: '3' },
    storage: { type: 'string', default: 'postgres' },
    only: { type: 'string', multiple: true },
    pictures: { type: 'string' },
    calm: { type: 'boolean' },
    list: { type: 'boolean' }
  }
})

/** Characters of each server's output that are printed where a trial has failed. */
const OUTPUT = 6000

/** Seconds of one trial: histories of an hour would be too long to judge, and each trial begins with an engine of its own. */
const TRIAL = 300

function chosen () {
  if (options.calm) return []
  const found = faults.filter(({ name }) => options.only?.some(word => name.includes(word)) ?? true)
  if (found.length === 0) throw new Error(`No fault has such a name. There are:\n${faults.map(({ name }) => name).join('\n')}`)
  return found
}

/** @type {Cluster | undefined} */
let present

/** @returns {Promise<boolean>} whether all was well */
async function trial (seed, seconds) {
  console.log(`seed ${seed}`)
  const cluster = present = await Cluster.start({ storage: /** @type {any} */ (options.storage), servers: Number(options.servers), standby: true, disk: true })
  try {
    const result = await runTrial(cluster, { seconds, seed, faults: chosen(), say: console.log, pictures: options.pictures })
    console.log(inWords(result))
    if (Object.values(result.faults).every(found => found.length === 0)) return true
  } catch (error) {
    console.log(error)
  } finally {
    await cluster.stop()
    present = undefined
  }
  console.log(cluster.servers.map(({ name, output }) => `${name} printed:\n${output.slice(-OUTPUT)}`).join('\n'))
  return false
}

async function main () {
  if (options.list) return console.log(faults.map(({ name }) => name).join('\n'))
  if (options.pictures !== undefined) mkdirSync(options.pictures, { recursive: true })
  const over = performance.now() + Number(options.seconds) * 1000
  for (let seed = Number(options.seed); ; seed++) {
    const left = (over - performance.now()) / 1000
    if (!await trial(seed, Math.min(left, TRIAL))) process.exitCode = 1
    if (performance.now() > over) return
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await present?.stop()
    process.exit(1)
  })
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
// A run is over, whatever timers PouchDB has left.
}).finally(() => process.exit())
