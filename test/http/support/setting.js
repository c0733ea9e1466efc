'use strict'

const assert = require('node:assert/strict')
const { put, remove } = require('./request')

/**
 * Configures the server for the tests of a `describe`, and as it was after them.
 *
 * @param {string} section
 * @param {string} key
 * @param {string | number | boolean} value
 */
function setting (section, key, value) {
  const path = `/_node/_local/_config/${section}/${encodeURIComponent(key)}`
  let usual
  before(async () => {
    const { status, body } = await put(path, JSON.stringify(String(value)))
    assert.equal(status, 200)
    usual = body
  })
  after(() => usual === '' ? remove(path) : put(path, JSON.stringify(usual)))
}

module.exports = { setting }
