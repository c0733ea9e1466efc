'use strict'

const assert = require('node:assert')
const { build } = require('./native/build')
const { powerLives } = require('./power-lives')
const types = require('./types')

// POWER_SECONDS says how long power fails on each kind of media, POWER_SEED with which seed.
const SECONDS = Number(process.env.POWER_SECONDS ?? 3)
const SEED = Number(process.env.POWER_SEED ?? Date.now() % 1e6)

const kinds = [
  ['persistent memory', { disk: false, durability: 'strict' }],
  ['a disk', { disk: true, durability: 'strict' }],
  ['a disk, relaxed', { disk: true, durability: 'relaxed' }]
]

describe('a power cut', () => {
  before(function () {
    this.timeout(900_000)
    build()
  })

  for (const [name, kind] of kinds) {
    it(`leaves the model before the step under way, or after it: ${name}`, async function () {
      const { wrong, ...done } = await powerLives({ ...kind, types, seconds: SECONDS, seed: SEED })
      assert.strictEqual(wrong, undefined)
      assert.ok(done.cuts > 10 && done.programs > 1, JSON.stringify(done))
      this.test.title += ` (seed ${SEED}: ${done.programs} programs, ${done.steps} steps, ${done.cuts} cuts, ${done.crashes} lives after one)`
    }).timeout(600_000 + 2000 * SECONDS)
  }
})
