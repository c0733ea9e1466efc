'use strict'

const assert = require('node:assert')
const { find } = require('../../lib/execution/find')
const { TestIndex } = require('../support/index')

const COUNT = 2500

/** The same numbers in every run. @param {number} n @param {number} below */
const random = (n, below) => (Math.imul(n + 1, 2654435761) >>> 7) % below

describe('the best documents of a term', () => {
  /** @type {TestIndex} */
  let index

  before(async () => {
    index = await TestIndex.open()
    for (let at = 0; at < COUNT; at += 500) {
      await index.write(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`d${at + i}`, { text: `${'a '.repeat(1 + random(at + i, 4) * random(at + i + 7, 3))}${'b '.repeat(random(at + i + 3, 6))}${at + i === 3 ? 'z z z z' : 'z'}` }])))
    }
  })

  after(() => index.close())

  const term = (/** @type {string} */ term) => ({ type: 'term', field: 'text', term })
  const ask = (/** @type {any} */ node, /** @type {any} */ options) => find(index.reader(), node, options, () => { throw new Error('There are no patterns') })
  const listOf = (/** @type {any} */ { total, hits }) => ({ total, hits: hits.map(({ doc, score }) => [doc, score]) })

  it('are those of all, in the same order', async () => {
    for (const word of ['a', 'b', 'c', 'z']) {
      for (const limit of [1, 2, 10, 25, 200, 3000]) {
        for (const sort of [undefined, [{ by: 'score', descending: true }, { by: 'id', descending: false }]]) {
          // A query of one clause is not taken for its clause, and all of its documents are found.
          const all = await ask({ type: 'boolean', clauses: [{ occur: 'must', node: term(word) }] }, { limit, sort })
          assert.deepStrictEqual(listOf(await ask(term(word), { limit, sort })), listOf(all), `${limit} ${word}`)
        }
      }
    }
  })

  it('are those of all where several terms are needed', async () => {
    const must = (/** @type {any[]} */ ...nodes) => ({ type: 'boolean', clauses: nodes.map(node => ({ occur: 'must', node })) })
    for (const [one, other] of [['a', 'b'], ['b', 'z'], ['z', 'a'], ['a', 'c']]) {
      for (const limit of [1, 10, 3000]) {
        for (const sort of [undefined, [{ by: 'score', descending: true }, { by: 'id', descending: false }]]) {
          const all = await ask(must(must(term(one)), must(term(other))), { limit, sort })
          assert.deepStrictEqual(listOf(await ask(must(term(one), term(other)), { limit, sort })), listOf(all), `${limit} ${one} ${other}`)
        }
      }
    }
  })

  it('are found without a look at most of the others', async () => {
    let read = 0
    const work = { spend: (/** @type {number} */ count) => { read += count } }
    await ask(term('z'), { limit: 1, work })
    assert.ok(read < COUNT / 2, `${read} were read`)
  })
})
