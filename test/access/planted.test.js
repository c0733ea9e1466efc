'use strict'

const assert = require('node:assert/strict')
const { leaks, withLeak } = require('./support/planted')
const { Program } = require('./support/program')

/** Programs, each of another seed, until one finds it. */
const MOST = 4
const STEPS = 40

/** @param {string} seed @returns {Promise<any>} what a program finds */
async function find (seed) {
  const program = await Program.open(seed)
  try {
    await program.run(STEPS)
    return null
  } catch (error) {
    return error
  } finally {
    await program.close()
  }
}

describe('the test of access by document', function () {
  this.timeout(600_000)

  for (const what of Object.keys(leaks)) {
    it(`finds ${what}`, async () => {
      await withLeak(what, async () => {
        let found = null
        for (let i = 0; found === null && i < MOST; i++) found = await find(`planted ${i}`)
        assert.ok(found instanceof assert.AssertionError, `it found ${found?.stack}`)
      })
    })
  }
})
