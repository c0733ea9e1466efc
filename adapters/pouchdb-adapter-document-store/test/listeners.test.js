'use strict'

const assert = require('node:assert/strict')
const PouchDB = require('pouchdb-core')
const { MemoryLevel } = require('memory-level')

const { createAdapter, openOnLevel } = require('..')

/** Counts what is read of it. */
class CountedLevel extends MemoryLevel {
  reads = 0

  _get (...args) {
    this.reads++
    return super._get(...args)
  }

  _getSync (...args) {
    this.reads++
    return super._getSync(...args)
  }

  _getMany (...args) {
    this.reads++
    return super._getMany(...args)
  }

  _iterator (...args) {
    this.reads++
    return super._iterator(...args)
  }

  _keys (...args) {
    this.reads++
    return super._keys(...args)
  }
}

const LISTENERS = 2000
const WRITES = 3

describe('many live listeners', () => {
  let level

  before(() => {
    PouchDB.plugin(createAdapter({
      name: 'counted',
      open: (name, options) => openOnLevel(level, options, async () => {})
    }))
  })

  /** Counts reads of the level while listeners are made, and while they are told of writes. */
  async function count (listeners, options) {
    level = new CountedLevel()
    const db = new PouchDB('counted', { adapter: 'counted' })
    db.setMaxListeners(0)
    await db.bulkDocs(Array.from({ length: 100 }, (_, i) => ({ _id: `old-${i}` })))
    const start = level.reads
    const feeds = Array.from({ length: listeners }, () => db.changes({ live: true, since: 'now', ...options }))
    const heard = feeds.map((feed) => new Promise((resolve, reject) => {
      let left = WRITES
      feed.on('error', reject).on('change', () => { if (--left === 0) resolve() })
    }))
    await db.info() // by then they all know what now is
    const made = level.reads - start
    for (let i = 0; i < WRITES; i++) await db.put({ _id: `new-${i}`, i })
    await Promise.all(heard)
    const told = level.reads - start - made
    await db.destroy()
    return { made, told }
  }

  for (const [what, options] of [
    ['', {}],
    [' with documents', { include_docs: true }],
    [' with a filter', { filter: (doc) => doc.i >= 0 }],
    [' of some documents', { doc_ids: Array.from({ length: WRITES }, (_, i) => `new-${i}`) }],
    [' with all leaves and conflicts', { style: 'all_docs', include_docs: true, conflicts: true }]
  ]) {
    it(`cost no read each: neither to begin nor to be told${what}`, async () => {
      const none = await count(0, options)
      const many = await count(LISTENERS, options)
      assert.deepEqual(many, none)
    })
  }
})
