'use strict'

const assert = require('node:assert/strict')
const { setImmediate: turn } = require('node:timers/promises')
const { inTurns } = require('../lib/transport/http2-turns')

const open = () => ({ stream: { closed: false, destroyed: false } })

describe('requests of HTTP/2', () => {
  it('begin in order, a few in each turn', async () => {
    const begun = []
    const handle = inTurns(req => { begun.push(req) })
    for (let n = 0; n < 100; n++) handle(n, open())
    assert.equal(begun.length, 32)
    for (let turns = 0; begun.length < 100; turns++) {
      assert.ok(turns < 10)
      const before = begun.length
      await turn()
      assert.ok(begun.length - before <= 64)
    }
    assert.deepEqual(begun, Array.from({ length: 100 }, (_, n) => n))
  })

  it('are dropped once they were reset, and keep no place of others', async () => {
    const begun = []
    const handle = inTurns(req => { begun.push(req) })
    const responses = Array.from({ length: 1000 }, open)
    for (const [n, res] of responses.entries()) handle(n, res)
    for (const res of responses) res.stream.closed = true
    handle('last', open())
    await turn()
    await turn()
    assert.equal(begun.at(-1), 'last')
    assert.equal(begun.length, 33)
  })

  it('begin at once when there are few', async () => {
    const begun = []
    const handle = inTurns(req => { begun.push(req) })
    for (let n = 0; n < 3; n++) {
      handle(n, open())
      assert.equal(begun.length, n + 1)
      await turn()
      await turn()
    }
  })
})
