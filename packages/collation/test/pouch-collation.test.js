'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { collate, normalizeKey } = require('pouchdb-collate')
const { after, pouchCollation } = require('..')
const { number, value, asJson } = require('./values')

const { decode, encode } = pouchCollation
const order = (a, b) => Math.sign(Buffer.compare(Buffer.from(encode(a)), Buffer.from(encode(b))))
const decoded = value => decode(encode(value)).value

describe('pouchCollation', function () {
  this.timeout(600_000)

  it('is pouchdb-collate\'s order', () => {
    fc.assert(fc.property(value, value, (a, b) => {
      assert.strictEqual(order(a, b), Math.sign(collate(a, b)))
    }), { numRuns: 5000 })
  })

  it('is ordered where only a little differs', () => {
    const neighbours = fc.tuple(number, fc.constantFrom(1 + Number.EPSILON, 1 - Number.EPSILON)).map(([n, by]) => [n, n * by])
    fc.assert(fc.property(neighbours, ([a, b]) => {
      fc.pre(Number.isFinite(b))
      assert.strictEqual(order(a, b), Math.sign(a - b) + 0)
    }), { numRuns: 2000 })
  })

  it('decodes every key', () => {
    fc.assert(fc.property(value, value => { assert.deepStrictEqual(decoded(value), asJson(value)) }), { numRuns: 5000 })
  })

  it('takes what JSON has not as PouchDB does', () => {
    for (const odd of [undefined, NaN, Infinity, -Infinity, new Date(0), { a: undefined, b: 1 }, [undefined, NaN], [new Date(1e12)]]) {
      assert.deepStrictEqual(decoded(odd), normalizeKey(odd))
    }
  })

  it('knows dates of other realms', () => {
    const date = require('node:vm').runInNewContext('new Date(0)')
    assert.strictEqual(decoded(date), '1970-01-01T00:00:00.000Z')
  })

  it('cuts before no surrogate', () => {
    assert.strictEqual(after('a\ud7ff'), 'a\ue000')
  })
})
