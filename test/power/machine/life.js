'use strict'

/**
 * `node life.js N` demands that the pool holds what life N - 1 was acknowledged, and writes to it until it is killed; `last` is
 * the one that is killed with the machine. Life N, if one more than there are to be, only looks. Events go to the host.
 */

const fs = require('node:fs')
const seedrandom = require('seedrandom')
const { LevelHistory } = require('../disk/level-history')
const { Writer, bytesOfFiles, hashOf } = require('../disk/level-load')

const SHARE = '/run/share'
const FOLDER = '/run/pmem/level'

async function main () {
  const number = Number(process.argv[2])
  const { seed, lives } = JSON.parse(fs.readFileSync(`${SHARE}/settings`, 'utf8'))
  const { PmemLevel } = require('pmem-level')
  const level = new PmemLevel(FOLDER)
  await level.open()
  const contents = new Map()
  for await (const [key, value] of level.iterator({ valueEncoding: 'buffer' })) contents.set(key, hashOf(value))
  const { size } = level.stats()
  const result = number === 1 ? {} : LevelHistory.read(`${SHARE}/life-${number - 1}`).verify(contents, Infinity, 0)
  say({ ...result, size, keys: contents.size })
  if (number > lives) return level.close()
  await load(level, contents, number, seedrandom(`${seed} ${number}`))
}

async function load (level, contents, number, random) {
  const out = fs.openSync(`${SHARE}/life-${number}`, 'w')
  const tell = event => fs.writeSync(out, JSON.stringify({ at: 0, time: 0, ...event }) + '\n')
  tell({ base: [...contents] })
  const hostile = bytesOfFiles(FOLDER, random)
  const writers = [0, 1, 2].map(i => new Writer(() => level, i, tell, random, hostile))
  if (process.argv[3] === 'last') say({ loading: number })
  else fs.writeFileSync('/run/tmp/loading', '')
  for (let turn = 0; ; turn++) {
    await Promise.all(writers.map(writer => writer.step()))
    // The pool grows in each life.
    if (turn % 20 === 10) await grow(level, number, turn, tell)
    await new Promise(setImmediate)
  }
}

/** A value of its own that stays. */
async function grow (level, number, turn, tell) {
  const value = Buffer.alloc(3_300_000, `${number} ${turn}`)
  const writer = `g${number}`
  tell({ writer, step: turn, ops: [[`${writer}.${turn}`, hashOf(value)]] })
  await level.put(`${writer}.${turn}`, value, { valueEncoding: 'buffer' })
  tell({ writer, step: turn })
}

function say (what) {
  fs.writeSync(1, `\npower: ${JSON.stringify(what)}\n`)
}

main().catch(error => {
  const lines = []
  for (let cause = error; cause !== undefined && lines.length < 5; cause = cause.cause) lines.push(`${cause.code ?? cause.name}: ${cause.message}`)
  say({ violation: lines.join(' ← ') })
})
