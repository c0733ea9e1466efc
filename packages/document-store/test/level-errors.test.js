'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

/** A level whose reads all fail in one way. */
class FailingLevel extends MemoryLevel {
  /** @type {Error | null} */
  fault = null

  #fail () { if (this.fault !== null) throw this.fault }

  getSync (...given) {
    this.#fail()
    return super.getSync(...given)
  }

  snapshot (...given) {
    this.#fail()
    return super.snapshot(...given)
  }

  iterator (...given) { return this.#failing(super.iterator(...given)) }
  keys (...given) { return this.#failing(super.keys(...given)) }

  #failing (iterator) {
    for (const name of ['nextv', 'all']) {
      const read = iterator[name].bind(iterator)
      iterator[name] = async (...given) => {
        this.#fail()
        return read(...given)
      }
    }
    return iterator
  }
}

/** @param {AsyncIterable<any>} pages */
async function drain (pages) {
  const read = []
  for await (const page of pages) read.push(page)
  return read
}

/** Ways to read, by name. @type {Record<string, (store: any) => Promise<any>>} */
const reads = {
  get: store => store.get('a'),
  'get with revisions': store => store.get('a', { revs: true, conflicts: true }),
  bulkGet: store => store.bulkGet([{ id: 'a' }]),
  openRevs: store => store.openRevs('a', 'all'),
  revsDiff: store => store.revsDiff({ a: ['1-0'] }),
  'allDocs by keys': async store => drain((await store.allDocs({ keys: ['a'] })).rows),
  allDocs: async store => drain((await store.allDocs()).rows),
  changes: store => drain(store.changes()),
  getLocal: store => store.getLocal('_local/a'),
  allLocal: store => store.allLocal(),
  getAttachment: store => store.getAttachment('a', 'note'),
  'an index': async store => store.indexSpace.keyspace.keys({ gte: 'b', lt: 'c' }).all()
}

describe('errors of the level, whatever reads,', () => {
  let level, store

  beforeEach(async () => {
    level = new FailingLevel()
    store = await DocumentStore.open(level)
    await store.put({ _id: 'a', _attachments: { note: { data: Buffer.from('content') } } })
  })

  afterEach(async () => {
    level.fault = null
    await store.close()
    await level.close()
  })

  for (const [way, read] of Object.entries(reads)) {
    it(`are the store's own: ${way}`, async () => {
      for (const [code, ours] of Object.entries({ LEVEL_IO_ERROR: 'INTERNAL', LEVEL_UNAVAILABLE: 'UNAVAILABLE', LEVEL_SNAPSHOT_EXPIRED: 'UNAVAILABLE', LEVEL_DATABASE_NOT_OPEN: 'CLOSED' })) {
        const fault = level.fault = Object.assign(new Error('/secret/place'), { code })
        await assert.rejects(async () => read(store), error => error.code === ours && error.cause === fault && !error.reason.includes('secret'))
      }
    })
  }

  it('that have no code are internal', async () => {
    const fault = level.fault = new Error('/secret/place')
    await assert.rejects(store.get('a'), { code: 'INTERNAL', reason: 'Internal server error', cause: fault })
  })
})
