'use strict'

const assert = require('node:assert/strict')
const { mergeResults } = require('../lib/search/merge-results')

describe('the results of several shards', () => {
  it('have sums of what each counts, by any names', () => {
    const facets = text => JSON.parse(text)
    const [first, second] = ['{"__proto__":{"__proto__":1,"x":2},"constructor":{"x":1}}', '{"__proto__":{"__proto__":3},"constructor":{"y":1}}']
    const result = (/** @type {string} */ text) => ({ total: 1, hits: [], sort: [], after: undefined, counts: facets(text), ranges: facets(text), groups: undefined, latency: 0 })
    const { counts, ranges } = mergeResults(/** @type {any} */ ([result(first), result(second)]), /** @type {any} */ ({ limit: 1 }), [null, null])
    for (const sums of [counts, ranges]) assert.equal(JSON.stringify(sums), '{"__proto__":{"__proto__":4,"x":2},"constructor":{"x":1,"y":1}}')
  })
})
