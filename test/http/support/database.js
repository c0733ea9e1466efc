'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { get, post, put, remove } = require('./request')

/** A new database for each test of a `describe`, deleted after it. */
class TestDatabase {
  #name = ''

  /** @param {{ shards?: string | number }} [options] one by default, so that a CouchDB too has one order of changes */
  constructor ({ shards = process.env.TEST_SHARDS ?? 1 } = {}) {
    beforeEach(async () => {
      this.#name = `test-${crypto.randomUUID()}`
      const { status } = await put(`/${this.#name}?q=${shards}`)
      assert.ok(status === 201 || status === 202, `creating the database answered ${status}`)
    })
    afterEach(async () => { await remove(`/${this.#name}`) })
  }

  get name () { return this.#name }

  /** @returns {string} the path of a document or resource, which comes encoded */
  path (rest = '') { return `/${this.#name}${rest === '' ? '' : '/'}${rest}` }

  get (rest, options) { return get(this.path(rest), options) }
  put (rest, body, options) { return put(this.path(rest), body, options) }
  post (rest, body, options) { return post(this.path(rest), body, options) }
  remove (rest, options) { return remove(this.path(rest), options) }

  /** Writes a document and gives its revision. */
  async write (id, body = {}) {
    const answer = await this.put(encodeURIComponent(id), body)
    assert.equal(answer.status, 201, answer.text)
    return answer.body.rev
  }

  /** Writes revisions as replication does: each with its `_rev` or `_revisions`. */
  async replicate (...docs) {
    const answer = await this.post('_bulk_docs', { docs, new_edits: false })
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(answer.body, [])
  }

  /** Returns every leaf of every document, to tell whether anything was written. */
  async contents () {
    const { body } = await this.get('_changes?style=all_docs')
    const local = await this.get('_local_docs')
    return {
      changes: body.results.map(({ id, changes, deleted }) => ({ id, deleted, revs: changes.map(({ rev }) => rev) })),
      local: local.body.rows
    }
  }
}

module.exports = { TestDatabase }
