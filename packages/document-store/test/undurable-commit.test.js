'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

/** Shows its writes at once, and says that they are durable when it is let go on: as a pool on a disk. */
class SlowToFlush extends MemoryLevel {
  flushed = Promise.resolve()

  async _batch (operations, options) {
    await super._batch(operations, options)
    await this.flushed
  }
}

async function collect (pages) {
  const rows = []
  for await (const page of pages) rows.push(...page)
  return rows.map(({ seq, id }) => [seq, id])
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

  beforeEach(async () => {
    level = new SlowToFlush()
    store = await DocumentStore.open(level)
    const { rev } = await store.put({ _id: 'a' })
    await store.put({ _id: 'b' })
    level.flushed = new Promise((resolve) => { flush = resolve })
    written = store.write([{ _id: 'a', _rev: rev, n: 2 }, { _id: 'c' }])
    while (await level.get('dc') === undefined) await new Promise(setImmediate)
  })

  afterEach(() => store.close())

  it('is not in the changes yet: its sequences might be given again after a power cut', async () => {
    assert.deepEqual(await collect(store.changes()), [[2, 'b']])
    assert.deepEqual(await collect(store.changes({ descending: true })), [[2, 'b']])
    assert.deepEqual(await collect(store.changes({ docIds: ['a', 'b', 'c'] })), [[2, 'b']])
    const changes = store.changes()
    await collect(changes)
    assert.equal(changes.lastSeq, 2)
    flush()
    await written
    assert.deepEqual(await collect(store.changes({ since: changes.lastSeq })), [[3, 'a'], [4, 'c']])
  })

  it('is told to those who follow when it is durable', async () => {
    const controller = new AbortController()
    const pages = store.follow({ since: 0, signal: controller.signal })[Symbol.asyncIterator]()
    assert.deepEqual((await pages.next()).value.map(({ id }) => id), ['b'])
    const next = pages.next()
    flush()
    assert.deepEqual((await next).value.map(({ id }) => id), ['a', 'c'])
    await written
    controller.abort()
    await pages.next()
  })
})
