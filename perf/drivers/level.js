'use strict'

const path = require('node:path')

/** @type {import('../lib/run/catalogue').Driver[]} */
module.exports = [
  {
    // A pool of libpmemobj: on tmpfs as if that were persistent memory, on a disk with synced writes.
    name: 'pmem-level',
    ours: true,
    media: { tmpfs: 'cache-line flush and fence', disk: 'a synced write per commit' },
    env: { PMEM_IS_PMEM_FORCE: '1' },
    async open (folder) {
      const { PmemLevel } = require('pmem-level')
      return opened(new PmemLevel(path.join(folder, 'pool')))
    }
  },
  {
    // The trials that write ask for `sync: true`.
    name: 'classic-level',
    media: { tmpfs: 'fdatasync per commit (sync: true)', disk: 'fdatasync per commit (sync: true)' },
    async open (folder) {
      const { ClassicLevel } = require('classic-level')
      return opened(new ClassicLevel(path.join(folder, 'leveldb')))
    }
  },
  {
    name: 'lmdb',
    media: {
      tmpfs: 'fdatasync per commit (overlappingSync: false)',
      disk: 'fdatasync per commit (overlappingSync: false)'
    },
    // Its reads are synchronous only; it has no other get to compare with.
    lacks: ['get'],
    async open (folder) {
      const { open } = require('lmdb')
      // With overlappingSync, a promise is fulfilled before the commit is durable; waiting for
      // `flushed` as well costs more than leaving it out.
      return new LmdbLevel(open({ path: path.join(folder, 'lmdb'), encoding: 'string', overlappingSync: false }))
    }
  },
  {
    // A sorted tree in memory, not durable at all: how fast JavaScript alone would be.
    name: 'memory-level',
    media: { tmpfs: 'none' },
    lacks: ['files'],
    async open () {
      const { MemoryLevel } = require('memory-level')
      return opened(new MemoryLevel())
    }
  }
]

async function opened (level) {
  await level.open()
  return level
}

/** LMDB, by the lmdb package, dressed as an abstract-level. */
class LmdbLevel {
  #db

  constructor (db) {
    this.#db = db
  }

  put (key, value) {
    return this.#db.put(key, value)
  }

  batch (operations) {
    return this.#db.batch(() => {
      for (const { key, value } of operations) this.#db.put(key, value)
    })
  }

  getSync (key) {
    return this.#db.get(key)
  }

  getMany (keys) {
    return this.#db.getMany(keys)
  }

  // It has no deletion of a range.
  clear ({ gte, lt }) {
    return this.#db.batch(() => {
      for (const key of this.#db.getKeys({ start: gte, end: lt })) this.#db.remove(key)
    })
  }

  iterator ({ reverse = false, gte = undefined, limit = undefined }) {
    return new LmdbIterator(this.#db.getRange({ reverse, start: gte, limit })[Symbol.iterator]())
  }

  close () {
    return this.#db.close()
  }
}

class LmdbIterator {
  #entries

  constructor (entries) {
    this.#entries = entries
  }

  async nextv (size) {
    const page = []
    for (let step; page.length < size && !(step = this.#entries.next()).done;) {
      page.push([step.value.key, step.value.value])
    }
    return page
  }

  async close () {
    this.#entries.return?.()
  }
}
