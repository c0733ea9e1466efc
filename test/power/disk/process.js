'use strict'

/**
 * The process that works on a disk or looks at one after a power cut: `node process.js load KIND FOLDER LOG EVENTS SEED SECONDS BYTES` or
 * `node process.js verify`, which is asked by messages `{ kind, folder, events, position }` and answers each.
 */

const fs = require('node:fs')
const seedrandom = require('seedrandom')
const { openPosition } = require('./logged-disk')
const { createSubject } = require('./subjects')

async function load ([kind, folder, log, events, seed, seconds, bytes]) {
  const position = openPosition(log)
  const out = fs.openSync(events, 'w')
  const random = seedrandom(seed)
  const tell = event => fs.writeSync(out, JSON.stringify({ at: position(), time: Date.now(), ...event }) + '\n')
  const end = Date.now() + Number(seconds) * 1000
  await createSubject(kind, folder).load(tell, random, () => Date.now() > end || fs.statSync(log).size > Number(bytes))
  tell({})
}

function verify () {
  process.on('message', async (/** @type {any} */ { kind, folder, events, position }) => {
    try {
      process.send?.(await createSubject(kind, folder).verify(events, position))
    } catch (error) {
      process.send?.({ violation: textOf(error) })
    }
  })
}

function textOf (error) {
  const lines = []
  for (let cause = error; cause !== undefined && lines.length < 5; cause = cause.cause) lines.push(`${cause.code ?? cause.name}: ${cause.message?.split('\n').slice(0, 12).join(' ')}`)
  return lines.join(' ← ')
}

const [what, ...words] = process.argv.slice(2)
if (what === 'load') {
  load(words).catch(error => {
    console.error(error)
    process.exitCode = 1
  })
} else verify()
