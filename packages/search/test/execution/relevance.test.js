'use strict'

const assert = require('node:assert')
const { analyzer, parseQuery, termMatcher } = require('../..')
const { DocumentBuilder } = require('../../lib/index/document-builder')
const { articles } = require('../support/articles')
const { TestIndex } = require('../support/index')
const ranks = require('./lucene/ranks.json')

/** The first that are compared. */
const FIRST = 10

describe('relevance, beside Lucene', () => {
  const analyze = analyzer('english', { dialect: 'nouveau' })
  /** @type {TestIndex} */
  let index

  before(async () => {
    index = await TestIndex.open()
    const built = articles(400).map(article => {
      const builder = new DocumentBuilder()
      for (const [name, text] of Object.entries(article)) builder.addText(name, analyze(text, name))
      return builder.finish()
    })
    await index.writeBuilt(built.map((each, at) => ({ id: String(at).padStart(4, '0'), built: each })))
  })

  after(() => index.close())

  // Lucene 9.12.3 has given the answers over the same articles: how many there are, and number and score of the first ten.
  for (const [query, count, wanted] of ranks) {
    it(`gives ${query} the same documents, order and scores`, async () => {
      const node = parseQuery(query, { defaultField: 'text', analyze })
      const found = await index.find(node, { matcherOf: termMatcher })
      assert.strictEqual(found.length, count)
      const first = found.map(([id, score]) => [Number(id), score]).sort((left, right) => Math.fround(right[1]) - Math.fround(left[1]) || left[0] - right[0]).slice(0, FIRST)
      assert.deepStrictEqual(first.map(([id]) => id), wanted.map(([id]) => id), `${JSON.stringify(first)} ${JSON.stringify(wanted)}`)
      first.forEach(([, score], at) => assert.ok(Math.abs(score - wanted[at][1]) <= 1e-5 * wanted[at][1], `${score}, not ${wanted[at][1]}`))
    })
  }
})
