'use strict'

const assert = require('node:assert/strict')
const { check } = require('..')

/** Demands that all records of a database agree: see lib/check/check.js. */
async function assertIntegrity (level, prefix = '') {
  const problems = []
  for await (const problem of check(level, { prefix })) problems.push(problem)
  assert.deepEqual(problems, [])
}

module.exports = { assertIntegrity }
