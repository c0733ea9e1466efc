'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { collate, normalizeKey } = require('pouchdb-collate')
const { after, decodeKey, encodeKey } = require('../lib/key-encoding')

const unit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xe001, 0xfffe, 0xffff)
)
const text = fc.array(unit, { maxLength: 4 }).map(units => String.fromCharCode(...units))
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1, -1, 0.1, -0.1, 5e-324, -5e-324, 2 ** 20, 2 ** 21, 2 ** 32, 2 ** 53, Number.MAX_VALUE, -Number.MAX_VALUE)
)
const { value } = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, false, true), number, text, tie('array'), tie('object')),
  array: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(text, tie('value'), { maxKeys: 4 })
}))

const bytes = text => Buffer.from(text, 'utf8')
const order = (a, b) => Math.sign(Buffer.compare(bytes(encodeKey(a)), bytes(encodeKey(b))))
const withoutMinusZero = json => JSON.parse(JSON.stringify(json))

const decoded = value => decodeKey(encodeKey(value)).value

describe('key encoding', function () {
  this.timeout(30_000)

  it('is ordered as pouchdb-collate orders the values', () => {
    fc.assert(fc.property(value, value, (a, b) => {
      assert.strictEqual(order(a, b), Math.sign(collate(a, b)))
    }), { numRuns: 5000 })
  })

  it('is ordered as numbers are', () => {
    fc.assert(fc.property(number, number, (a, b) => {
      assert.strictEqual(order(a, b), Math.sign(a - b) + 0)
    }), { numRuns: 5000 })
  })

  it('is ordered where only a little differs', () => {
    const neighbours = fc.tuple(number, fc.constantFrom(1 + Number.EPSILON, 1 - Number.EPSILON)).map(([n, by]) => [n, n * by])
    fc.assert(fc.property(neighbours, ([a, b]) => {
      fc.pre(Number.isFinite(b))
      assert.strictEqual(order(a, b), Math.sign(a - b) + 0)
    }), { numRuns: 2000 })
  })

  it('decodes to the same value, after UTF-8 too', () => {
    fc.assert(fc.property(value, value => {
      const encoded = encodeKey(value)
      assert.deepStrictEqual(decodeKey(bytes(encoded).toString('utf8')).value, withoutMinusZero(value))
    }), { numRuns: 5000 })
  })

  it('takes what JSON has not as PouchDB does', () => {
    for (const odd of [undefined, NaN, Infinity, -Infinity, new Date(0), { a: undefined, b: 1 }, [undefined, NaN], [new Date(1e12)]]) {
      assert.deepStrictEqual(decoded(odd), normalizeKey(odd))
    }
    assert.strictEqual(decoded(() => {}), null)
    assert.throws(() => encodeKey(1n), TypeError)
  })

  it('knows dates of other realms', () => {
    const date = require('node:vm').runInNewContext('new Date(0)')
    assert.strictEqual(decoded(date), '1970-01-01T00:00:00.000Z')
  })

  it('stands before what is after it, with anything behind it', () => {
    fc.assert(fc.property(value, value, text, (a, b, tail) => {
      const ending = bytes(encodeKey(a) + '\uffff' + tail.toWellFormed())
      assert.ok(Buffer.compare(ending, bytes(after(encodeKey(a)))) < 0)
      if (collate(a, b) < 0) assert.ok(Buffer.compare(ending, bytes(encodeKey(b))) < 0)
    }), { numRuns: 2000 })
  })

  it('cuts before no surrogate', () => {
    assert.strictEqual(after('a\ud7ff'), 'a\ue000')
  })

  it('is short for small numbers', () => {
    assert.ok(encodeKey(7).length <= 5)
    assert.ok(encodeKey(999999).length <= 8)
  })
})
