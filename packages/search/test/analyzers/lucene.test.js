'use strict'

const assert = require('node:assert')
const { analyzer } = require('../..')
const texts = require('./lucene/texts.json')
const words = require('./lucene/words.json')

/** The answers are Lucene 9.12.3's; each token is `[term, position, start, end]`. */
const options = { dialect: 'nouveau' }

/** Ours differ knowingly: words are in normal form C, and a pair of ideographs may have a repetition mark. */
const least = { standard: 0.97, english: 0.9, classic: 0.97, cjk: 0.9, email: 1, keyword: 1, simple: 1, whitespace: 1 }

/** Stemmers of a later version, or lists of stop words with some more words. */
const leastWords = { czech: 0.9, hungarian: 0.95, indonesian: 0.9 }

/** @param {boolean[]} same */
function share (same) { return same.filter(Boolean).length / same.length }

describe('analyzers, beside Lucene', () => {
  for (const [name, wanted] of Object.entries(least)) {
    it(`${name} makes the same tokens of texts of all scripts`, () => {
      const analyze = analyzer(name, options)
      const cases = texts.filter(([each]) => each === name)
      assert.ok(cases.length > 0)
      const differing = cases.filter(([, text, tokens]) => {
        const ours = analyze(text).map(({ term, position, start, end }) => [term, position, start, end])
        return JSON.stringify(ours) !== JSON.stringify(tokens)
      })
      assert.ok(1 - differing.length / cases.length >= wanted, JSON.stringify(differing.map(([, text]) => text)))
    })
  }

  for (const [name, stems] of Object.entries(words)) {
    it(`${name} makes the same terms of words`, () => {
      const analyze = analyzer(name, options)
      const same = Object.entries(stems).map(([word, terms]) => analyze(word).map(({ term }) => term).join(' ') === terms)
      assert.ok(share(same) >= (leastWords[name] ?? 0.98), `${share(same)}`)
    })
  }
})
