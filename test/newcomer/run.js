'use strict'

// node test/newcomer/run.js [WORD…]: what a newcomer does, in each way that the documents name or in those whose name has a
// word, in clean folders and chroots without a compiler. A line for each: seconds of CPU from nothing to a synced document, and
// by the clock. The packing of packages is not counted, and
// the build of an image has a line of its own: it compiles.

const { PackedPackages } = require('../install/packed-packages')
const { measured } = require('./cpu-time')
const offline = require('./offline')
const { alone, behindCaddy } = require('./ways/container')

/** @typedef {import('./offline')[number] & { prepare?: () => Promise<void>, cleanUp?: () => void }} Way */

/** @type {Way[]} */
const ways = [...offline, require('./ways/debian'), alone, behindCaddy]

/** @param {Way} way @param {PackedPackages} packages @returns {Promise<boolean>} whether it has not failed */
async function runWay ({ name, missing, prepare, run }, packages) {
  const reason = missing?.() ?? null
  if (reason !== null) {
    console.log(`${name}: skipped, as ${reason}`)
    return true
  }
  try {
    const prepared = await measured(async () => prepare?.())
    if (prepared.cpu > 1) console.log(`${name}: prepared in ${prepared.cpu.toFixed(1)} s of CPU, ${prepared.clock.toFixed(1)} s`)
    const { result, cpu, clock } = await measured(() => run(packages))
    if (!/^synced milk/m.test(result)) throw new Error(`Nothing was synced: ${result}`)
    console.log(`${name}: ${cpu.toFixed(1)} s of CPU, ${clock.toFixed(1)} s\n  ${result.replaceAll('\n', '\n  ')}`)
    return true
  } catch (error) {
    console.error(`${name}: failed\n`, error)
    return false
  }
}

async function main () {
  const words = process.argv.slice(2)
  const chosen = ways.filter(({ name }) => words.length === 0 || words.some(word => name.toLowerCase().includes(word.toLowerCase())))
  if (chosen.length === 0) throw new Error(`There is no such way. There are: ${ways.map(({ name }) => name).join('; ')}`)
  const packages = new PackedPackages()
  await packages.start()
  try {
    for (const way of chosen) if (!await runWay(way, packages)) process.exitCode = 1
  } finally {
    for (const { cleanUp } of chosen) cleanUp?.()
    await packages.stop()
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
