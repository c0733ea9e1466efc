'use strict'

const assert = require('node:assert/strict')

/**
 * Asserts that an answer is this error of CouchDB.
 *
 * @param {{ status: number, text: string, body: any }} answer
 * @param {number} status
 * @param {string} error
 * @param {string | RegExp} [reason]
 */
function assertRefused (answer, status, error, reason) {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body.error, error)
  assert.equal(typeof answer.body.reason, 'string')
  if (reason instanceof RegExp) assert.match(answer.body.reason, reason)
  else if (reason !== undefined) assert.equal(answer.body.reason, reason)
}

module.exports = { assertRefused }
