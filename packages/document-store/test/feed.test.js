'use strict'

const assert = require('node:assert/strict')
const { Feed, Mailbox } = require('../lib/feed')

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
})
