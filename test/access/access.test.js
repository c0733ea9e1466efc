'use strict'

const assert = require('node:assert/strict')
const { routes } = require('../../server/lib/dispatch/routes')
const { Program, coverOf, keyOf } = require('./support/program')

/** Seconds of CPU time for all programs. */
const SECONDS = Number(process.env.ACCESS_SECONDS ?? 20)

/** `ACCESS_SEED` runs one program again, as the message of a failure says. */
const { ACCESS_SEED: SEED } = process.env

/** Steps of a program: then a new one begins on a new server. */
const STEPS = 60

const cpuSeconds = () => process.cpuUsage().user / 1e6

/** @param {string} seed */
async function runProgram (seed) {
  const program = await Program.open(seed)
  try {
    await program.run(STEPS)
  } catch (error) {
    error.message = `ACCESS_SEED=${seed}: ${error.message}`
    throw error
  } finally {
    await program.close()
  }
}

describe('access by document', function () {
  this.timeout(600_000 + 4000 * SECONDS)

  it('is looked at on each route of the table', () => {
    assert.deepEqual(routes.filter(route => coverOf(route) === undefined).map(keyOf), [])
  })

  it('shows to nobody what is not for them, whatever is written, and tells of nothing by its counts', async () => {
    if (SEED !== undefined) return runProgram(SEED)
    const end = cpuSeconds() + SECONDS
    for (let i = 0; i === 0 || cpuSeconds() < end; i++) await runProgram(`${process.env.ACCESS_SEEDS ?? 'a'}${i}`)
  })
})
