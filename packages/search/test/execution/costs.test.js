'use strict'

const assert = require('node:assert')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')
const { termMatcher } = require('../..')
const { find } = require('../../lib/execution/find')
const { Work } = require('../../lib/execution/work')
const { TestIndex } = require('../support/index')

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
setFlagsFromString('--no-expose-gc')

/** @param {number} count */
function words (count) { return Array.from({ length: count }, (_, n) => `w${n.toString(36)}`).join(' ') }

describe('memory of queries', () => {
  it('does not grow with the terms of a pattern, nor with the clauses', async () => {
    const index = await TestIndex.open()
    const text = words(2000)
    await index.write(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`d${i}`, { text }])))
    const matcherOf = termMatcher
    // Two million postings and one: 32 and 16 MB as lists of documents with scores.
    for (const node of [{ type: 'prefix', field: 'text', prefix: 'w' }, { type: 'boolean', clauses: Array.from({ length: 1000 }, (_, n) => ({ occur: 'should', node: { type: 'term', field: 'text', term: `w${n.toString(36)}` } })) }]) {
      // The garbage of the writes and of the first find goes.
      await index.find(node, { matcherOf })
      await new Promise(resolve => setImmediate(resolve))
      collectGarbage()
      const before = process.memoryUsage()
      let most = 0
      const work = new Work()
      const spend = work.spend.bind(work)
      let calls = 0
      work.spend = count => {
        if (++calls % 500 === 0) {
          collectGarbage()
          const { heapUsed, arrayBuffers } = process.memoryUsage()
          most = Math.max(most, heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers)
        }
        return spend(count)
      }
      assert.strictEqual((await index.find(node, { matcherOf, work })).length, 1000)
      assert.ok(calls > 500 && most < 11e6, `${most} bytes`)
    }
    await index.close()
  })
})

describe('costs of queries', () => {
  /** @type {TestIndex} */
  let index

  before(async () => {
    index = await TestIndex.open()
    await index.write({ long: { text: 'a '.repeat(20000) }, short: { text: 'a b a a' } })
  })

  after(() => index.close())

  const phrase = (words, slop) => ({ type: 'phrase', field: 'text', terms: Array.from({ length: words }, (_, position) => ({ term: 'a', position })), slop })

  it('are those of all occurrences of a phrase, however few its documents', async () => {
    assert.strictEqual((await index.find(phrase(4, 0))).length, 1)
    await assert.rejects(index.find(phrase(4, 0), { work: new Work({ most: 79_000 }) }), /too costly/)
    await index.find(phrase(4, 0), { work: new Work({ most: 81_000 }) })
  })

  it('end early where nobody waits any more', async () => {
    let asked = 0
    const work = new Work({ isWanted: () => ++asked < 3 })
    const wide = { type: 'boolean', clauses: Array.from({ length: 400 }, () => ({ occur: 'should', node: phrase(4, 5) })) }
    await assert.rejects(index.find(wide, { work }), /Nobody waits/)
    assert.strictEqual(asked, 3)
  })

  it('are those of each with each where the terms may be apart, and are refused before others wait', async () => {
    assert.strictEqual((await index.find(phrase(3, 5))).length, 2)
    const spent = process.cpuUsage()
    await assert.rejects(index.find(phrase(150, 5)), /too costly/)
    assert.ok(process.cpuUsage(spent).user < 2e6)
  })
})

describe('costs of an order', () => {
  /** @type {TestIndex} */
  let index

  before(async () => {
    index = await TestIndex.open()
    await index.write(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`d${i}`, { text: 'a' }])))
  })

  after(() => index.close())

  const node = { type: 'term', field: 'text', term: 'a' }
  const ordered = (sort, most, rest) => find(index.reader(), node, { limit: 10, sort, work: new Work({ most }), ...rest }, termMatcher)

  it('are those of each of its fields for each document', async () => {
    for (const by of [{ by: 'number', field: 'n' }, { by: 'id' }, { by: 'score', descending: true }, { by: 'doc' }]) {
      assert.strictEqual((await ordered([by], 100_000)).hits.length, 10)
      await assert.rejects(ordered(Array(1000).fill(by), 100_000), /too costly/, by.by)
    }
  })

  it('are those of groups, too', async () => {
    const byNumber = count => Array(count).fill({ by: 'number', field: 'n' })
    const group = count => ({ group: { field: 'g', limit: 1, sort: byNumber(count) } })
    assert.strictEqual((await ordered(byNumber(1), 100_000, group(1))).groups.length, 1)
    await assert.rejects(ordered(byNumber(1), 100_000, group(1000)), /too costly/)
    await assert.rejects(ordered(byNumber(1000), 100_000, group(1)), /too costly/)
  })
})
