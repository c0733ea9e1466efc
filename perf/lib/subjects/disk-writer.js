'use strict'

// A process that writes to one database and tells how long each write took: see bin/disks.js.

const fs = require('node:fs')
const path = require('node:path')
const { makeKeys, makeValue } = require('../data/samples')

/** Shapes of work: how many write at a time, and how many entries each puts at once. */
const shapes = {
  'one writer': { writers: 1, batch: 1 },
  '10 writers': { writers: 10, batch: 1 },
  '100 writers': { writers: 100, batch: 1 },
  'batches of 100': { writers: 1, batch: 100 },
  'batches of 1000': { writers: 1, batch: 1000 }
}

const ENTRIES = 100_000
const CHURN = 1_000_000

const drivers = {
  async 'pmem-level' (location) {
    const { PmemLevel } = require('pmem-level')
    return new PmemLevel(location)
  },
  async 'classic-level' (location) {
    const { ClassicLevel } = require('classic-level')
    return new ClassicLevel(location)
  }
}

const put = (key, number) => ({ type: 'put', key, value: makeValue(number) })

async function fill (level, keys, count) {
  for (let start = 0; start < count; start += 1000) {
    const some = Array.from({ length: 1000 }, (_, index) => put(keys[(start + index) % keys.length], start + index))
    await level.batch(some, { sync: start + 1000 >= count })
  }
}

async function write (level, keys, { writers, batch }, milliseconds) {
  const times = []
  const end = performance.now() + milliseconds
  let next = Math.floor(Math.random() * keys.length)
  const key = () => keys[next++ % keys.length]
  const writer = async () => {
    while (performance.now() < end) {
      // Making a value costs as much as writing it, and is not the database's time.
      const entries = Array.from({ length: batch }, () => put(key(), next))
      const began = performance.now()
      if (batch === 1) await level.put(entries[0].key, entries[0].value, { sync: true })
      else await level.batch(entries, { sync: true })
      times.push((performance.now() - began) * 1000)
    }
  }
  await Promise.all(Array.from({ length: writers }, writer))
  times.sort((a, b) => a - b)
  return { p50: times[times.length >> 1], p999: times[Math.min(times.length - 1, Math.floor(times.length * 0.999))] }
}

/** @param {string[]} args driver, folder, state, and seconds: 0 prepares the database */
async function main ([driver, folder, state, seconds]) {
  if (state === 'new' || seconds === '0') fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const level = await drivers[driver](path.join(folder, 'level'))
  await level.open()
  const keys = makeKeys(ENTRIES)
  if (seconds === '0') {
    if (state !== 'new') await fill(level, keys, state === 'churned' ? CHURN : ENTRIES)
  } else {
    const figures = {}
    for (const [name, shape] of Object.entries(shapes)) figures[name] = await write(level, keys, shape, Number(seconds) * 1000)
    process.send(figures)
  }
  await level.close()
}

if (require.main === module) main(process.argv.slice(2))

module.exports = { shapes }
