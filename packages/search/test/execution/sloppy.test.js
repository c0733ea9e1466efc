'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { termMatcher } = require('../..')
const { TestIndex } = require('../support/index')

/** @param {string} text @param {number} slop */
function phrase (text, slop) { return { type: 'phrase', field: 'text', slop, terms: text.split(' ').map((term, position) => ({ term, position })) } }

const MOST_TEXTS = 8

/** How far apart the words of a phrase are at the nearest, if each has a word of its own. @param {string[]} words @param {string[]} wanted */
function nearest (words, wanted, taken = []) {
  const k = taken.length
  if (k === wanted.length) {
    const starts = taken.map((at, i) => at - i)
    return Math.max(...starts) - Math.min(...starts)
  }
  const tries = words.map((word, at) => word === wanted[k] && !taken.includes(at) ? nearest(words, wanted, [...taken, at]) : Infinity)
  return Math.min(Infinity, ...tries)
}

describe('sloppy phrases', () => {
  /** @type {TestIndex} */
  let index

  beforeEach(async () => { index = await TestIndex.open() })
  afterEach(() => index.close())

  /** Which of the texts have a phrase. */
  async function having (texts, text, slop) {
    await index.write(Object.fromEntries(Array.from({ length: MOST_TEXTS }, (_, i) => [`${i}`, i < texts.length ? { text: texts[i] } : null])))
    return (await index.find(phrase(text, slop))).map(([id]) => texts[id])
  }

  it('want a word of its own for each word, also where one is repeated', async () => {
    const texts = ['hello world', 'hello hello', 'hello world hello']
    assert.deepStrictEqual(await having(texts, 'hello hello', 1), ['hello hello', 'hello world hello'])
    assert.deepStrictEqual(await having(texts, 'hello world hello', 3), ['hello world hello'])
  })

  // Lucene promises this of phrases with repeated words: texts, phrases, and the slop from which on they are found.
  const LUCENE = [
    ['X A A A Y', 'A A A', 0],
    ['X A 1 2 3 A 4 5 6 A Y', 'A A A', 6],
    ['X A 1 2 3 A 4 5 6 A Y', 'A 1 2 3 A 4 5 6 A', 0],
    ['X A A A A Y', 'A A A', 0],
    ['A A X A X B A X B B A A X B A A', 'X A A', 1],
    ['H H H H', 'H H H H', 0]
  ]

  for (const [text, wanted, from] of LUCENE) {
    it(`find "${wanted}" in "${text}" from a slop of ${from} on`, async () => {
      for (let slop = 0; slop <= 30; slop++) assert.deepStrictEqual(await having([text], wanted, slop), slop < from ? [] : [text], `${slop}`)
    })
  }

  it('are found nowhere but where the words are near enough, and everywhere there if no word is repeated', async () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 8 })
    const wanted = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 4 })
    await fc.assert(fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: MOST_TEXTS }), wanted, fc.integer({ min: 1, max: 8 }), async (texts, phrase, slop) => {
      const found = await having(texts.map(each => each.join(' ')), phrase.join(' '), slop)
      const near = texts.filter(each => nearest(each, phrase) <= slop).map(each => each.join(' '))
      for (const each of found) assert.ok(near.includes(each), each)
      if (new Set(phrase).size === phrase.length) assert.deepStrictEqual(found.sort(), near.sort())
    }), { numRuns: 200 })
  })

  it('score as often as they are there', async () => {
    await index.write({ once: { text: 'a a x x x' }, twice: { text: 'a a x a a' } })
    const [[, once], [, twice]] = await index.find(phrase('a a', 1))
    assert.ok(twice > once)
  })

  it('are found beside fuzzy terms that are near enough', async () => {
    await index.write({ c: { text: 'c' }, ab: { text: 'ab' }, abc: { text: 'abc' } })
    const found = await index.find({ type: 'fuzzy', field: 'text', term: 'ab', edits: 2, prefixLength: 0 }, { matcherOf: termMatcher })
    assert.deepStrictEqual(found.map(([id]) => id), ['ab', 'abc'])
    assert.ok(found.every(([, score]) => score > 0))
  })
})
