'use strict'

const assert = require('node:assert/strict')
const { stringifyAnyDepth } = require('..')

describe('JSON of any depth', () => {
  const deep = (levels, innermost) => {
    let value = innermost
    for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { v: value }
    return value
  }
  const textOf = (levels, innermost) => {
    let text = innermost
    for (let i = 0; i < levels; i++) text = i % 2 === 0 ? `[${text}]` : `{"v":${text}}`
    return text
  }

  it('is what JSON.stringify would say', () => {
    const values = [
      {}, [], [[], {}], { a: {}, b: [] }, [1, 'x\n\ud800', null, true, -0, 1e300, NaN, Infinity], { 'ä"': 'b', 7: 1, __proto__: { a: 1 } },
      [undefined, () => 1, Symbol('x')], { a: undefined, b: () => 1, c: 2, d: Symbol('x') }, { a: new Date(0), b: { toJSON: key => key }, c: { toJSON: () => undefined } }, [[[1], 2], { a: [3, { b: 4 }] }]
    ]
    // Around them there is enough for JSON.stringify to give up.
    for (const value of values) assert.equal(stringifyAnyDepth(deep(6000, value)), textOf(6000, JSON.stringify(value)))
  })

  it('ends at 10,000 levels', () => {
    assert.equal(stringifyAnyDepth(deep(10_000, 1)), textOf(10_000, '1'))
    for (const levels of [10_001, 100_000]) assert.throws(() => stringifyAnyDepth(deep(levels, 1)), { code: 'BAD_REQUEST', reason: 'JSON is nested too deeply' })
    const cycle = {}
    cycle.a = cycle
    assert.throws(() => stringifyAnyDepth(cycle), TypeError)
  })
})
