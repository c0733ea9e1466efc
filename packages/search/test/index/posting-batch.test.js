'use strict'

const assert = require('node:assert')
const { PostingBatch } = require('../../lib/index/posting-batch')
const { TermNumbers } = require('../../lib/index/terms/numbers')
const { Columns } = require('../../lib/postings/columns')

const WORDS = 100

/** A batch of documents, each of which has some words of which every other one is known. @param {number} documents @param {number} end numbers of terms are below that */
function batchOf (documents, end) {
  const known = new TermNumbers()
  const names = Array.from({ length: WORDS }, (_, i) => `w${i}`)
  for (let i = 0; i < WORDS; i += 2) known.set('body', names[i], end - 1 - i)
  const batch = new PostingBatch(known, end)
  for (let doc = 0; doc < documents; doc++) {
    batch.begin(doc)
    const tokens = Int32Array.from({ length: 30 }, (_, i) => (doc * 31 + i * i) % WORDS)
    // Each document has names of its own: those that came with others are found by their numbers.
    batch.add('body', 1, { names: [...names], tokens, positions: tokens.map((_, i) => i) }, 0, tokens.length)
  }
  batch.sort()
  return batch
}

/** @param {PostingBatch} batch */
function postings (batch) {
  return Array.from({ length: batch.terms }, (_, place) => {
    const columns = new Columns()
    batch.addTo(place, columns.clear())
    return [batch.count(place), columns.count]
  })
}

describe('the tokens of a batch of documents', () => {
  it('are the same whether its terms are few or many of the index', () => {
    const many = batchOf(40, WORDS)
    const few = batchOf(40, 1_000_000)
    assert.ok(many.terms > 50)
    assert.deepStrictEqual(postings(few), postings(many))
    assert.deepStrictEqual([few.terms, few.unknown], [many.terms, many.unknown])
    const shift = 1_000_000 - WORDS
    assert.deepStrictEqual(Array.from(few.numbers.subarray(0, few.terms), number => number === -1 ? -1 : number - shift), [...many.numbers.subarray(0, many.terms)])
  })

  it('take no room for the terms of a large index', () => {
    const before = process.memoryUsage().arrayBuffers
    const batch = batchOf(1, 50_000_000)
    assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000)
    assert.ok(batch.terms > 10)
  })
})
