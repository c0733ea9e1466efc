'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { createError } = require('@potoroo/errors')
const { DocumentStore } = require('..')
const { Feed, Mailbox } = require('../lib/feed/feed')

const rows = (count, units) => Array.from({ length: count }, (_, seq) => ({ seq, record: 'x'.repeat(units) }))

describe('what waits for a follower', () => {
  let feed, mailbox

  beforeEach(() => {
    feed = new Feed()
    mailbox = new Mailbox(false)
    mailbox.catchUp()
    feed.add(mailbox)
  })

  it('is what the last commits changed', () => {
    feed.publish(rows(2, 10))
    feed.publish(rows(1, 10))
    assert.equal(mailbox.behind, false)
    assert.equal(mailbox.take().length, 3)
    assert.equal(mailbox.empty, true)
  })

  it('is nothing where there are too many rows', () => {
    for (let i = 0; i < 3; i++) feed.publish(rows(1000, 1))
    assert.equal(mailbox.behind, true)
    assert.equal(mailbox.empty, true)
  })

  it('is nothing where their documents are too large', () => {
    for (let i = 0; i < 5; i++) feed.publish(rows(1, 1e6))
    assert.equal(mailbox.behind, true)
    assert.equal(mailbox.empty, true)
  })

  it('may be one commit of any size', () => {
    feed.publish(rows(1, 1e7))
    assert.equal(mailbox.behind, false)
    assert.equal(mailbox.take().length, 1)
    feed.publish(rows(4, 1e6))
    assert.equal(mailbox.behind, false)
  })

  it('wakes very many followers a part at a time, and others in between', async () => {
    const woken = []
    const others = Array.from({ length: 1000 }, (_, i) => {
      const other = new Mailbox(false)
      other.catchUp()
      feed.add(other)
      other.wait().then(() => woken.push([i, other.take().length]))
      return other
    })
    feed.publish(rows(1, 10))
    await Promise.resolve()
    const first = woken.length
    assert.ok(first > 0 && first < 100, String(first))
    feed.publish(rows(1, 10))
    feed.remove(others[999])
    while (woken.length < 999) await new Promise(resolve => setImmediate(resolve))
    assert.deepEqual(woken.map(([i]) => i), Array.from({ length: 999 }, (_, i) => i))
    assert.ok(woken.slice(first).every(([, count]) => count === 2))
  })
})

describe('a follower whose database closes', () => {
  it('ends, even while it reads what it was told of', async () => {
    const store = await DocumentStore.open(new MemoryLevel())
    await store.put({ _id: 'a' })
    let closed
    const filter = page => {
      if (page.every(({ id }) => id === 'a')) return page.map(() => true)
      closed = store.close()
      throw createError('CLOSED')
    }
    const seen = []
    const followed = store.follow({ filter, includeDocs: true })
    for await (const page of followed) {
      for (const { id } of page) seen.push(id)
      if (seen.length === 1) store.put({ _id: 'b' })
    }
    await closed
    assert.deepEqual([seen, followed.lastSeq], [['a'], 1])
  })
})
