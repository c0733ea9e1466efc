'use strict'

const assert = require('node:assert/strict')
const { SequenceTokens, openSpans } = require('../lib/access/sequence-token')

describe('sequences of a member', () => {
  const tokens = new SequenceTokens({ accessKey: 'secret', instanceId: 'one', space: 'ann' })
  const chain = (mark, ...spans) => ({ mark, had: ['cooks'], told: [], spans })
  const states = [
    [{ seq: 1, roles: [] }, { seq: 123456789, roles: [] }],
    [{ seq: 1, roles: ['cooks'] }, { seq: 123456789, roles: ['cooks'] }],
    [{ seq: 9, roles: ['cooks'], chain: chain(1, { role: '', first: 9 }) }, { seq: 99, roles: ['cooks'], chain: chain(12345, { role: '', first: 9876543 }) }],
    [{ seq: 9, roles: ['cooks'], chain: chain(1, { role: 'cooks', first: 9, reached: 3 }) }, { seq: 99, roles: ['cooks'], chain: chain(12345, { role: 'cooks', first: 9876543, reached: 3000000 }) }],
    [{ seq: 9, roles: ['cooks'], chain: { mark: 1, had: ['cooks'], told: ['cooks'], spans: openSpans(['cooks'], 5) } }, { seq: 99, roles: ['cooks'], chain: { mark: 12345, had: ['cooks'], told: ['cooks'], spans: openSpans(['cooks'], 987654321) } }]
  ]

  it('are read as they were written', () => {
    for (const state of states.flat()) assert.deepEqual(tokens.read(tokens.write(state)), state)
  })

  it('have a length that does not tell how many digits the numbers in them have', () => {
    for (const [small, great] of states) assert.equal(tokens.write(small).length, tokens.write(great).length)
  })
})
