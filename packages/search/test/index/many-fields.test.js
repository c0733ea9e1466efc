'use strict'

const assert = require('node:assert')
const { DocumentBuilder } = require('../../lib/index/document-builder')
const { PostingBatch } = require('../../lib/index/posting-batch')
const { TermNumbers } = require('../../lib/index/terms/numbers')
const { TermTable } = require('../../lib/index/terms/table')
const { TestIndex } = require('../support/index')

/** A document with fields of one word each, all different. @param {number} count */
function wide (count) {
  const builder = new DocumentBuilder()
  for (let i = 0; i < count; i++) builder.addTerm(`field${i}`, `word${i}`)
  return builder.finish()
}

/** The room that a batch of one such document takes beside its tokens. @param {number} count */
function roomOf (count) {
  const batch = new PostingBatch(new TermNumbers(), 0)
  const { fields, terms } = wide(count)
  batch.begin(1)
  for (const [field, , norm, from, to] of fields) batch.add(field, norm, terms, from, to)
  assert.strictEqual(batch.terms, count)
  return batch.room
}

describe('documents of very many fields', () => {
  it('take room in proportion to their tokens', () => {
    for (const count of [5000, 20_000]) assert.ok(roomOf(count) <= 8 * count, `${roomOf(count)} numbers for ${count} fields`)
  })

  it('have each number once, in time that grows with their count', () => {
    const builder = new DocumentBuilder()
    for (let round = 0; round < 2; round++) for (let i = 0; i < 100_000; i++) builder.addNumber(`field${i % 50_000}`, Math.floor(i / 50_000))
    const { numbers } = builder.finish()
    assert.strictEqual(numbers.length, 100_000)
    assert.strictEqual(new Set(numbers.map(parts => parts.join())).size, 100_000)
  })

  it('bring an empty index more new terms than a call has room for', async () => {
    const index = await TestIndex.open()
    const fields = Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`field${i}`, `word${i} other${i}`]))
    await index.write({ wide: fields })
    assert.deepStrictEqual((await index.find({ type: 'term', field: 'field69999', term: 'other69999' })).map(([id]) => id), ['wide'])
    await index.close()
  })

  it('are the same where they are put together step by step', () => {
    const build = () => {
      const builder = new DocumentBuilder()
      for (let i = 0; i < 3000; i++) builder.addTerm(`field${i % 1000}`, `word${i}`)
      return builder
    }
    const steps = build().steps()
    let [step, count] = [steps.next(), 0]
    for (; !step.done; step = steps.next()) count++
    assert.strictEqual(count, 1000)
    assert.deepStrictEqual(step.value, build().finish())
  })

  it('count with their fields where documents are put together', () => {
    assert.ok(wide(1000).units >= 100_000)
  })

  it('are found by each field, before and after a field has a table of names', async () => {
    const index = await TestIndex.open()
    const words = Array.from({ length: 100 }, (_, i) => `word${i}`)
    const text = (/** @type {string[]} */ all) => all.join(' ')
    await index.write({ narrow: { a: 'word7', b: text(words), c: text(words.slice(0, 20)) }, other: { a: 'word7 word8', c: 'word7' } })
    const idsOf = async (/** @type {string} */ field, /** @type {string} */ term) => (await index.find({ type: 'term', field, term })).map(([id]) => id)
    assert.deepStrictEqual(await idsOf('a', 'word7'), ['narrow', 'other'])
    assert.deepStrictEqual(await idsOf('c', 'word7'), ['narrow', 'other'])
    assert.deepStrictEqual(await idsOf('b', 'word99'), ['narrow'])
    await index.write({ narrow: { a: text(words) } })
    assert.deepStrictEqual(await idsOf('a', 'word8'), ['other', 'narrow'])
    assert.deepStrictEqual(await idsOf('b', 'word99'), [])
    await index.close()
  })

  it('share a table of names that documents fill together', () => {
    const batch = new PostingBatch(new TermNumbers(), 0)
    const table = new TermTable()
    const built = Array.from({ length: 100 }, (_, i) => {
      const builder = new DocumentBuilder(table)
      builder.addTerm('field', `word${i}`)
      return builder.finish()
    })
    table.finish()
    built.forEach(({ fields: [[field, , norm, from, to]], terms }, doc) => {
      batch.begin(doc + 1)
      batch.add(field, norm, terms, from, to)
    })
    assert.strictEqual(batch.room, 100)
    assert.strictEqual(batch.terms, 100)
    assert.strictEqual(new Set(batch.unknown.map(({ term }) => term)).size, 100)
  })
})
