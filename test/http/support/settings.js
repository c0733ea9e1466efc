'use strict'

const assert = require('node:assert/strict')
const { get, put, remove } = require('./request')

/** Not written down: a server that is killed in a test starts again without it. */
const PASSING = { headers: { 'X-Couch-Persist': 'false' } }

/** Settings of the server for a test, as they were again after each. */
class Settings {
  /** @type {Array<() => Promise<any>>} */
  #restore = []

  constructor () {
    afterEach(async () => {
      for (const restore of this.#restore.reverse()) await restore()
      this.#restore = []
    })
  }

  /** @param {string} section @param {string} key @param {string | number | boolean} value */
  async set (section, key, value) {
    const path = `/_node/_local/_config/${section}/${encodeURIComponent(key)}`
    const before = await get(path)
    this.#restore.push(() => before.status === 200 ? put(path, JSON.stringify(before.body), PASSING) : remove(path, PASSING))
    const answer = await put(path, JSON.stringify(String(value)), PASSING)
    assert.equal(answer.status, 200, answer.text)
  }
}

module.exports = { Settings }
