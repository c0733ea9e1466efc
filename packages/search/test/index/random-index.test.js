'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { LENGTHS, encodeLength } = require('../../lib/postings/norm')
const { TestIndex } = require('../support/index')

const words = ['a', 'b', 'c', 'd', 'e', 'ab', 'ba', 'caf\u00e9', '\u{1f600}', 'x\0y']
const text = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map(list => list.join(' '))
const fields = fc.record({ title: text, body: text, price: fc.integer({ min: -5, max: 5 }) }, { requiredKeys: [] })
const ids = fc.constantFrom(...Array.from({ length: 30 }, (_, i) => `d${i}`))
const batch = fc.dictionary(ids, fc.option(fields, { freq: 4 }), { maxKeys: 20 })

const field = fc.constantFrom('title', 'body')
const term = fc.record({ type: fc.constant('term'), field, term: fc.constantFrom(...words) })
const phrase = fc.record({ type: fc.constant('phrase'), field, terms: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 3 }).map(list => list.map((term, position) => ({ term, position }))), slop: fc.constant(0) })
const range = fc.record({ type: fc.constant('range'), field: fc.constant('price'), low: fc.integer({ min: -5, max: 5 }), high: fc.integer({ min: -5, max: 5 }), includeLow: fc.boolean(), includeHigh: fc.boolean() })
const leaf = fc.oneof(term, phrase, range)
const clause = fc.record({ occur: fc.constantFrom('must', 'should', 'must_not'), node: leaf })
const query = fc.oneof(leaf, fc.record({ type: fc.constant('boolean'), clauses: fc.array(clause, { minLength: 1, maxLength: 4 }) }))

/** The documents of a query, each looked at by itself. */
class Model {
  constructor (documents) {
    this.documents = Object.entries(documents)
  }

  statistics (field) {
    const with_ = this.documents.filter(([, each]) => wordsOf(each[field] ?? '').length > 0)
    return { documents: with_.length, average: with_.reduce((sum, [, each]) => sum + wordsOf(each[field]).length, 0) / with_.length }
  }

  score (node, document) {
    if (node.type === 'boolean') return this.scoreBoolean(node, document)
    if (node.type === 'range') return inRange(node, document.price) ? 1 : undefined
    const terms = node.type === 'term' ? [node.term] : node.terms.map(({ term }) => term)
    const freq = countIn(wordsOf(document[node.field] ?? ''), terms)
    if (freq === 0) return undefined
    const { documents, average } = this.statistics(node.field)
    const length = LENGTHS[encodeLength(wordsOf(document[node.field]).length)]
    const weight = terms.reduce((sum, term) => {
      const df = this.documents.filter(([, each]) => wordsOf(each[node.field] ?? '').includes(term)).length
      return sum + Math.log(1 + (documents - df + 0.5) / (df + 0.5))
    }, 0)
    return weight * freq / (freq + 1.2 * (0.25 + 0.75 * length / average))
  }

  scoreBoolean ({ clauses }, document) {
    const scores = clauses.map(({ node }) => this.score(node, document))
    const isOut = clauses.some(({ occur }, i) => (occur === 'must' && scores[i] === undefined) || (occur === 'must_not' && scores[i] !== undefined))
    const isIn = clauses.some(({ occur }, i) => occur !== 'must_not' && scores[i] !== undefined)
    return isOut || !isIn ? undefined : clauses.reduce((sum, { occur }, i) => sum + (occur === 'must_not' ? 0 : scores[i] ?? 0), 0)
  }

  find (node) { return this.documents.map(([id, document]) => [id, this.score(node, document)]).filter(([, score]) => score !== undefined).sort(byId) }
}

const byId = ([a], [b]) => a < b ? -1 : 1
const wordsOf = text => text.split(' ').filter(word => word !== '')
const countIn = (list, terms) => list.filter((_, i) => terms.every((term, k) => list[i + k] === term)).length
const inRange = ({ low, high, includeLow, includeHigh }, price) => price !== undefined && (includeLow ? price >= low : price > low) && (includeHigh ? price <= high : price < high)

describe('an index after any changes', () => {
  it('finds what a look at each document finds, with the same scores', async () => {
    await fc.assert(fc.asyncProperty(fc.array(batch, { maxLength: 12 }), fc.array(query, { minLength: 5, maxLength: 10 }), async (batches, queries) => {
      const index = await TestIndex.open()
      const documents = {}
      for (const each of batches) {
        await index.write(each)
        for (const [id, fields] of Object.entries(each)) {
          if (fields === null) delete documents[id]
          else documents[id] = fields
        }
      }
      const model = new Model(documents)
      for (const node of queries) {
        const found = (await index.find(node)).sort(byId)
        const wanted = model.find(node)
        assert.deepStrictEqual(found.map(([id]) => id), wanted.map(([id]) => id), JSON.stringify(node))
        found.forEach(([id, score], i) => assert.ok(Math.abs(score - wanted[i][1]) < 1e-9, `${id} scores ${score}, not ${wanted[i][1]}`))
      }
      await index.close()
    }), { numRuns: 100 })
  })

  it('keeps nothing of documents that are gone', async () => {
    await fc.assert(fc.asyncProperty(fc.array(batch, { maxLength: 8 }), async batches => {
      const index = await TestIndex.open()
      let bytes = 0
      for (const each of batches) bytes += (await index.write(each)).bytes
      const last = await index.write(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`d${i}`, null])))
      assert.deepStrictEqual(await index.entries(), [])
      assert.strictEqual(bytes + last.bytes, 0)
      assert.strictEqual(index.counts.documents, 0)
      await index.close()
    }), { numRuns: 50 })
  })

  it('changes terms of many blocks exactly', async () => {
    const index = await TestIndex.open()
    const count = 1000
    const of = i => ({ body: i % 3 === 0 ? 'all third' : 'all' })
    for (let at = 0; at < count; at += 100) await index.write(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`d${at + i}`, of(at + i)])))
    const gone = i => i % 7 === 2 || (i > 200 && i < 500)
    await index.write(Object.fromEntries(Array.from({ length: count }, (_, i) => i).filter(gone).map(i => [`d${i}`, null])))
    const left = Array.from({ length: count }, (_, i) => i).filter(i => !gone(i))
    const all = await index.find({ type: 'term', field: 'body', term: 'all' })
    assert.deepStrictEqual(all.map(([id]) => id).sort(), left.map(i => `d${i}`).sort())
    const thirds = await index.find({ type: 'boolean', clauses: ['all', 'third'].map(term => ({ occur: 'must', node: { type: 'term', field: 'body', term } })) })
    assert.deepStrictEqual(thirds.map(([id]) => id).sort(), left.filter(i => i % 3 === 0).map(i => `d${i}`).sort())
    await index.write(Object.fromEntries(left.map(i => [`d${i}`, null])))
    assert.deepStrictEqual(await index.entries(), [])
    await index.close()
  })
})
