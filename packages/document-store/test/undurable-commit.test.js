'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

/**
 * Shows its writes at once, and says that they are durable when it is let go on: as a pool on a disk.
 * With `goesBack` it shows no longer what could not be flushed.
 */
class SlowToFlush extends MemoryLevel {
  shown = Promise.resolve()
  flushed = Promise.resolve()
  goesBack = false

  async _batch (operations, options) {
    await this.shown
    const before = operations.map(({ key, keyEncoding }) => this._getSync(key, { keyEncoding, valueEncoding: 'buffer' }))
    await super._batch(operations, options)
    try {
      await this.flushed
    } catch (error) {
      if (this.goesBack) await super._batch(operations.map((operation, i) => undone(operation, before[i])), options)
      throw error
    }
  }
}

function undone (operation, value) {
  return value === undefined ? { ...operation, type: 'del' } : { ...operation, type: 'put', value }
}

async function collect (pages) {
  const rows = []
  for await (const page of pages) rows.push(...page)
  return rows.map(({ seq, id }) => [seq, id])
}

/** Lets everything go on that waits for nothing. */
async function settle () {
  for (let i = 0; i < 50; i++) await new Promise(setImmediate)
}

function deferred () {
  const result = {}
  result.promise = new Promise((resolve, reject) => Object.assign(result, { resolve, reject }))
  return result
}

describe('sequences that are kept', () => {
  it('leave room for those that follow', async () => {
    const store = await DocumentStore.open(new MemoryLevel())
    const docs = [2 ** 53 - 1, 2 ** 52 + 1, 2 ** 52].map((seq, i) => ({ _id: `${i}`, _local_seq: seq }))
    const results = await store.write(docs, { keepSequences: true })
    assert.deepEqual(results.map(({ status }) => status), [400, 400, undefined])
    await store.put({ _id: 'next' })
    assert.equal((await store.info()).updateSeq, 2 ** 52 + 1)
    await store.close()
  })
})

describe('a commit that is being flushed', () => {
  let level, store, flush, written

  /** Writes that move `a` from sequence 1 to 3, and are in what is read from then on. */
  async function begin () {
    const { rev } = await store.get('a')
    flush = deferred()
    level.flushed = flush.promise
    written = store.write([{ _id: 'a', _rev: rev, n: 2 }, { _id: 'c' }])
    written.catch(() => {})
  }

  async function visible (key) {
    while (await level.get(key) === undefined) await new Promise(setImmediate)
  }

  beforeEach(async () => {
    level = new SlowToFlush()
    store = await DocumentStore.open(level)
    await store.put({ _id: 'a' })
    await store.put({ _id: 'b' })
  })

  afterEach(async () => {
    flush.resolve()
    await store.close()
  })

  const ALL = [[2, 'b'], [3, 'a'], [4, 'c']]

  const reads = [
    ['all', {}, ALL, 4, 0],
    ['the newest first', { descending: true }, [[4, 'c'], [3, 'a'], [2, 'b']], 2, 0],
    ['some documents', { docIds: ['a', 'b', 'c'] }, ALL, 4, 0],
    ['from a sequence on', { since: 1 }, ALL, 4, 0],
    ['some of them', { limit: 1 }, [[2, 'b']], 2, 2],
    ['none but how many there are', { limit: 0 }, [], 0, 3],
    ['those that a filter takes', { filter: (page) => page.map(({ id }) => id === 'a'), pendingOfRows: true }, [[3, 'a']], 4, 2]
  ]

  for (const [name, options, rows, lastSeq, pending] of reads) {
    it(`is waited for by who reads changes: ${name}`, async () => {
      await collect(store.changes({ limit: 1 })) // a count that is remembered
      await begin()
      await visible('dc')
      const changes = store.changes(options)
      let ended = false
      const read = collect(changes).finally(() => { ended = true })
      await settle()
      assert.equal(ended, false)
      flush.resolve()
      assert.deepEqual(await read, rows)
      assert.deepEqual([changes.lastSeq, changes.pending], [lastSeq, pending])
      await written
    })
  }

  it('is waited for by nobody whose snapshot is of before', async () => {
    const shown = deferred()
    level.shown = shown.promise
    await begin()
    await settle()
    const changes = store.changes()
    assert.deepEqual(await collect(changes), [[1, 'a'], [2, 'b']])
    assert.equal(changes.lastSeq, 2)
    shown.resolve()
  })

  it('is the only one that is waited for', async () => {
    await begin()
    await visible('dc')
    const read = collect(store.changes())
    const first = flush
    flush = deferred()
    level.flushed = flush.promise
    const later = store.put({ _id: 'd' })
    first.resolve()
    await written
    assert.deepEqual(await read, ALL)
    flush.resolve()
    await later
  })

  it('is told to those who follow when it is durable', async () => {
    await begin()
    await visible('dc')
    const controller = new AbortController()
    const pages = store.follow({ since: 0, signal: controller.signal })[Symbol.asyncIterator]()
    let ended = false
    const next = pages.next().finally(() => { ended = true })
    await settle()
    assert.equal(ended, false)
    flush.resolve()
    assert.deepEqual((await next).value.map(({ id }) => id), ['b', 'a', 'c'])
    await store.put({ _id: 'd' })
    assert.deepEqual((await pages.next()).value.map(({ id }) => id), ['d'])
    controller.abort()
    await pages.next()
  })

  it('fails who waits for it as it fails who wrote', async () => {
    level.goesBack = true
    await begin()
    await visible('dc')
    const read = collect(store.changes())
    await settle()
    flush.reject(Object.assign(new Error('test'), { code: 'LEVEL_IO_ERROR' }))
    await assert.rejects(written, { code: 'INTERNAL' })
    await assert.rejects(read, { code: 'INTERNAL' })
    const changes = store.changes()
    assert.deepEqual(await collect(changes), [[1, 'a'], [2, 'b']])
    assert.equal(changes.lastSeq, 2)
  })

  it('leaves no gap in the changes if it failed and is shown still', async () => {
    await begin()
    await visible('dc')
    flush.reject(Object.assign(new Error('test'), { code: 'LEVEL_IO_ERROR' }))
    await assert.rejects(written, { code: 'INTERNAL' })
    await assert.rejects(collect(store.changes()), { code: 'INTERNAL' })
  })

  it('ends who waits for it when the store is closed', async () => {
    await begin()
    await visible('dc')
    const read = collect(store.changes())
    await settle()
    const closed = store.close()
    flush.resolve()
    await assert.rejects(read, { code: 'CLOSED' })
    await closed
    await written
  })
})
