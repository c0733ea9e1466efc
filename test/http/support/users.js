'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { get, put, remove } = require('./request')

const basic = (name, password) => ({ headers: { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` } })

const NOBODY = { headers: { Authorization: '' } }

/** Users for a test, gone after each. */
class TestUsers {
  /** @type {string[]} */
  #names = []

  constructor () {
    afterEach(async () => {
      for (const name of this.#names) {
        const { status, body } = await get(this.path(name))
        if (status === 200) await remove(`${this.path(name)}?rev=${body._rev}`)
      }
      this.#names = []
    })
  }

  path (name) { return `/_users/org.couchdb.user:${encodeURIComponent(name)}` }

  /** A name that will be cleared away. */
  name () {
    const name = `user-${crypto.randomUUID()}`
    this.#names.push(name)
    return name
  }

  /** @returns {Promise<{ name: string, password: string, as: any, path: string, id: string }>} `as`: options of a request by Basic */
  async add ({ name = this.name(), password = 'apple', ...members } = /** @type {any} */ ({})) {
    const answer = await put(this.path(name), { name, type: 'user', roles: [], password, ...members })
    assert.equal(answer.status, 201, answer.text)
    return { name, password, as: basic(name, password), path: this.path(name), id: `org.couchdb.user:${name}` }
  }
}

module.exports = { TestUsers, basic, NOBODY }
