'use strict'

const assert = require('node:assert/strict')

/** The result of a live query, as a client keeps it: by the events alone. */
class LiveResult {
  docs = new Map()
  bookmark
  /** Until the first `ready` after a bookmark without `known` an event may tell what the client has. */
  isExact = true

  /** @param {any} event @returns {any} the same */
  apply (event) {
    const { type, id, doc, bookmark } = event
    assert.equal(typeof bookmark, 'string', JSON.stringify(event))
    this.bookmark = bookmark
    if (type === 'reset') this.docs.clear()
    if (type === 'ready') this.isExact = true
    if (type === 'leave') {
      assert.ok(this.docs.delete(id) || !this.isExact, `${id} left, and was not in`)
    }
    if (type === 'enter' || type === 'change') {
      if (this.isExact) {
        assert.equal(this.docs.has(id), type === 'change', `${type} of ${id}`)
        assert.notEqual(this.docs.get(id)?._rev, doc._rev, `${id} was told twice`)
      }
      this.docs.set(id, doc)
    }
    return event
  }

  /** The member `known` of a request that goes on from here. */
  get known () { return Object.fromEntries([...this.docs].map(([id, { _rev }]) => [id, _rev])) }

  /** Ids and revisions, in their order. */
  get revisions () { return [...this.docs.values()].map(({ _id, _rev }) => `${_id} ${_rev}`).sort() }
}

module.exports = { LiveResult }
