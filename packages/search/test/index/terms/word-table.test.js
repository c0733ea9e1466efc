'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { standardTokens } = require('../../../lib/analyzers/tokenizers/standard')
const { DocumentBuilder } = require('../../../lib/index/document-builder')
const { TermTable } = require('../../../lib/index/terms/table')
const { WordTable } = require('../../../lib/index/terms/word-table')

const STOP = new Set(['a', 'zzzzzz', 'abcdefg'])
const termOf = word => STOP.has(word) ? null : word.replace(/ing$/, '')

/** The terms of texts, and where they are, from words. */
function fromWords (texts, take = termOf) {
  const table = new TermTable()
  const words = new WordTable(table, take)
  const found = texts.map(text => {
    const builder = new DocumentBuilder(table)
    builder.addWords('f', text, words)
    const [field] = builder.finish().fields
    return field === undefined ? [0, 0] : field.slice(3)
  })
  table.finish()
  const { names, tokens, positions } = table.terms
  return found.map(([from, to]) => Array.from(tokens.subarray(from, to), (token, i) => [names[token], positions[from + i]]))
}

/** The same from tokens. */
function fromTokens (texts, take = termOf) {
  return texts.map(text => standardTokens(text).map(({ term, position }) => [take(term), position]).filter(([term]) => term !== null))
}

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,14}$/),
  fc.stringMatching(/^[abz]{5,7}$/),
  fc.stringMatching(/^[az]{11,14}$/),
  fc.constantFrom('a', 'zzzzzz', 'abcdefg', 'indexing', 'x'.repeat(254), 'x'.repeat(300), "don't", 'a1', '3.5', 'Ünïcode', '\ud800', '日本', 'I\u0307', 'Σας', 'e\u0301e')
)
const text = fc.array(fc.tuple(word, fc.constantFrom(' ', ',', '-', '.', '\n', "'", '')), { maxLength: 30 }).map(parts => parts.flat().join(''))

describe('words of texts', () => {
  it('become the terms of their tokens', () => {
    fc.assert(fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), texts => { assert.deepEqual(fromWords(texts), fromTokens(texts)) }), { numRuns: 300 })
  })

  it('are told apart, however many there are, and whatever they begin and end with', () => {
    const words = []
    for (const begin of ['', 'a', 'aaaaaa', 'zzzzz', 'abcdefghijk']) for (let n = 0; n < 5000; n++) words.push(begin + n.toString(26).replace(/./g, digit => 'abcdefghijklmnopqrstuvwxyz'[parseInt(digit, 26)]))
    const texts = [words.join(' '), [...words].reverse().join(' ')]
    const same = each => each
    assert.deepEqual(fromWords(texts, same), fromTokens(texts, same))
  })
})
