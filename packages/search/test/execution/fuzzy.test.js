'use strict'

const assert = require('node:assert')
const { analyzer, buildStandard, readStandard, termMatcher } = require('../..')
const { TestIndex } = require('../support/index')

const TEXTS = ['c', 'ab', 'abc', 'cd', 'abd e f', 'ab x', 'abc q', 'abc r']

/** Lucene 10.4.0 gives these scores of the texts; all terms are as rare as the commonest of them. @type {Record<string, Record<number, number>>} */
const WANTED = {
  'ab~2': { 1: 0.50946057, 5: 0.39226836, 2: 0.25473028, 6: 0.19613418, 7: 0.19613418, 4: 0.15945455, 0: 0, 3: 0 },
  'ab~1': { 1: 0.50946057, 5: 0.39226836, 2: 0.25473028, 6: 0.19613418, 7: 0.19613418, 4: 0.15945455 },
  'abx~1': { 2: 0.33964038, 6: 0.26151222, 7: 0.26151222, 1: 0.25473028, 4: 0.21260604, 5: 0.19613418 },
  'fx~': { 0: 0, 1: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0 }
}

describe('fuzzy terms, beside Lucene', () => {
  /** @type {TestIndex} */
  let index

  before(async () => {
    index = await TestIndex.open()
    await index.write(Object.fromEntries(TEXTS.map((text, at) => [`${at}`, { d: text }])))
  })
  after(() => index.close())

  for (const [query, wanted] of Object.entries(WANTED)) {
    it(`find the same for ${query}, with the same scores`, async () => {
      const node = buildStandard(query, readStandard(query, 'd').syntax, { analyze: analyzer('standard', { dialect: 'nouveau' }), numbersOf: () => undefined })
      const found = await index.find(node, { matcherOf: termMatcher })
      assert.deepStrictEqual(found.map(([id]) => id).sort(), Object.keys(wanted).sort())
      for (const [id, score] of found) assert.ok(Math.abs(score - wanted[id]) < 1e-6, `${id}: ${score}`)
    })
  }
})
