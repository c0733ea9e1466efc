'use strict'

const assert = require('node:assert')
const { PackedPackages } = require('../install/packed-packages')
const { measured } = require('./cpu-time')
const offline = require('./offline')

describe('a newcomer, without a compiler and without a network, has a synced document after', function () {
  this.timeout(600_000)

  const packages = new PackedPackages()
  before(() => packages.start())
  after(() => packages.stop())

  for (const { name, missing, run } of offline) {
    it(name, async function () {
      if (missing?.()) return this.skip()
      const { result, cpu, clock } = await measured(() => run(packages))
      console.log(`      ${cpu.toFixed(1)} s of CPU, ${clock.toFixed(1)} s: ${result}`)
      assert.match(result, /^synced milk.*; storage: (pmem|level)$/)
    })
  }
})
