'use strict'

const assert = require('node:assert/strict')
const { Turns } = require('../../lib/mango/selector/regex/turns')

describe('turns of those who wait for a thread', () => {
  /** Takes and ends all that wait, one after the other. */
  function takeAll (turns) {
    const order = []
    for (let next; (next = turns.next()) !== undefined; turns.end(next.asker)) order.push(next.piece)
    return order
  }

  it('give each asker one piece after the other, however much one asks for', () => {
    const turns = new Turns()
    for (const piece of ['greedy 1', 'greedy 2', 'greedy 3']) turns.add('greedy', piece)
    turns.add('modest', 'modest 1')
    turns.add('third', 'third 1')
    turns.add('third', 'third 2')
    assert.deepEqual(takeAll(turns), ['greedy 1', 'modest 1', 'third 1', 'greedy 2', 'third 2', 'greedy 3'])
    assert.equal(turns.length, 0)
  })

  it('give nobody two threads, and the next turn to who has waited longest', () => {
    const turns = new Turns()
    for (const piece of ['greedy 1', 'greedy 2']) turns.add('greedy', piece)
    assert.equal(turns.due, 1)
    assert.deepEqual(turns.next(), { asker: 'greedy', piece: 'greedy 1' })
    assert.deepEqual([turns.next(), turns.due, turns.length, turns.lengthOf('greedy')], [undefined, 0, 1, 1])
    turns.add('modest', 'modest 1')
    turns.end('greedy')
    assert.deepEqual([turns.next()?.piece, turns.next()?.piece, turns.next()], ['modest 1', 'greedy 2', undefined])
    turns.end('modest')
    turns.end('greedy')
    assert.deepEqual([turns.due, turns.length], [0, 0])
  })
})
