'use strict'

const assert = require('node:assert/strict')
const { check, checkDatabases } = require('..')

/** Demands that all records of a database agree, and that a crash has left nothing: see lib/check/check.js. */
async function assertIntegrity (level, prefix = '') {
  assert.deepEqual(await leftoversIn(level, { prefix }), [])
}

/** Demands that there are no problems. @returns {Promise<string[]>} what a crash has left */
async function leftoversIn (level, { prefix = '', catalogue = false } = {}) {
  const leftovers = []
  const problems = []
  const options = { prefix, onLeftover: (sentence) => leftovers.push(sentence) }
  for await (const problem of (catalogue ? checkDatabases : check)(level, options)) problems.push(problem)
  assert.deepEqual(problems, [])
  return leftovers
}

module.exports = { assertIntegrity, leftoversIn }
