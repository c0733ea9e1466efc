'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { get, post, put, remove, request } = require('./request')
const { basic, TestUsers } = require('./users')

/** A new database with access by document for each test of a `describe`, whose members are all users. */
class AccessDatabase {
  #users = new TestUsers()

  /** @param {string} [search] besides `access=true` */
  constructor (search = '') {
    beforeEach(async () => {
      this.name = `access-${crypto.randomUUID()}`
      const answer = await put(`/${this.name}?access=true&q=1${search}`)
      assert.equal(answer.status, 201, answer.text)
      assert.equal((await put(`/${this.name}/_security`, {})).status, 200)
    })
    afterEach(async () => { await remove(`/${this.name}`) })
  }

  path (rest = '') { return `/${this.name}${rest === '' ? '' : '/'}${rest}` }

  /** A user with their own ways to ask: `alice.get('doc')`. @param {...string} roles */
  async user (...roles) {
    const user = await this.#users.add({ roles })
    return { ...user, ...this.#asked(user.as) }
  }

  /** Changes a user's roles; who they are now. */
  async setRoles (user, ...roles) {
    const { body } = await get(user.path)
    const answer = await put(user.path, { ...body, roles })
    assert.equal(answer.status, 201, answer.text)
    return { ...user, ...this.#asked(basic(user.name, user.password)) }
  }

  get admin () { return this.#asked({}) }
  get nobody () { return this.#asked({ headers: { Authorization: '' } }) }

  #asked (as) {
    const path = (rest) => this.path(rest)
    const asked = {
      get: (rest, options) => get(path(rest), { ...as, ...options }),
      put: (rest, body) => put(path(rest), body, as),
      post: (rest, body) => post(path(rest), body, as),
      remove: (rest) => remove(path(rest), as),
      request: (method, rest, body, headers) => request(method, path(rest), { body, headers: { ...as.headers, ...headers } }),
      /** Writes a document and gives its revision. */
      write: async (id, body) => {
        const answer = await put(path(encodeURIComponent(id).replace('%2F', '/')), body, as)
        assert.equal(answer.status, 201, answer.text)
        return answer.body.rev
      },
      /** The changes after a sequence, in short, and the last sequence. */
      changes: async (since = '0', more = '') => {
        const { status, body, text } = await get(path(`_changes?style=all_docs&since=${encodeURIComponent(since)}${more}`), as)
        assert.equal(status, 200, text)
        return { ...body, rows: body.results.map(({ id, deleted = false, _access: access }) => access === false ? `-${id}` : deleted ? `x${id}` : id) }
      },
      ids: async (search = '') => (await get(path(`_all_docs${search}`), as)).body.rows.map(({ id }) => id)
    }
    return asked
  }
}

module.exports = { AccessDatabase }
