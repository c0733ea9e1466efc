'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { after, couchCollation, pouchCollation, rawCollation } = require('..')
const { text, number, value, deep, asJson } = require('./values')

const sign = number => Math.sign(number) + 0
const bytes = text => Buffer.from(text, 'utf8')
const runs = { numRuns: Number(process.env.COLLATION_RUNS ?? 3000) }

for (const collation of [couchCollation, pouchCollation, rawCollation]) {
  const { compare, decode, decodes, encode, end } = collation
  const order = (a, b) => Math.sign(Buffer.compare(bytes(encode(a)), bytes(encode(b))))

  describe(`collation ${collation.name}`, function () {
    this.timeout(600_000)

    it('encodes values in their order', () => {
      fc.assert(fc.property(value, value, (a, b) => {
        assert.strictEqual(order(a, b), sign(compare(a, b)))
      }), runs)
    })

    it('encodes strings in their order', () => {
      fc.assert(fc.property(text, text, (a, b) => {
        assert.strictEqual(order(a, b), sign(compare(a, b)))
        assert.strictEqual(order([a, 0], [b]), sign(compare([a, 0], [b])))
      }), runs)
    })

    it('encodes numbers in their order', () => {
      fc.assert(fc.property(number, number, (a, b) => {
        assert.strictEqual(order(a, b), sign(a - b))
        assert.strictEqual(sign(compare(a, b)), sign(a - b))
      }), runs)
    })

    it('has the same order in code units', () => {
      fc.assert(fc.property(value, value, (a, b) => {
        const [x, y] = [encode(a), encode(b)]
        assert.strictEqual(x < y ? -1 : x > y ? 1 : 0, order(a, b))
        assert.ok(!/[\ud800-\udfff]/.test(x))
      }), runs)
    })

    it('finds the end of a key, whatever follows', () => {
      fc.assert(fc.property(fc.oneof(value, deep), text, text, (key, head, tail) => {
        const encoded = encode(key)
        assert.strictEqual(end(head + encoded + tail, head.length), head.length + encoded.length)
      }), runs)
    })

    it('begins no key as another is', () => {
      fc.assert(fc.property(value, value, (a, b) => {
        if (order(a, b) !== 0) assert.ok(!encode(a).startsWith(encode(b)))
      }), runs)
    })

    it('stands before what is after it, with anything behind it', () => {
      fc.assert(fc.property(value, value, text, (a, b, tail) => {
        const ending = bytes(encode(a) + '\uffff' + tail.toWellFormed())
        assert.ok(Buffer.compare(ending, bytes(after(encode(a)))) < 0)
        if (order(a, b) < 0) assert.ok(Buffer.compare(ending, bytes(encode(b))) < 0)
      }), runs)
    })

    it('decodes what it says it can, after UTF-8 too', () => {
      const withoutStrings = fc.letrec(tie => ({
        value: fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, false, true, {}), number, fc.array(tie('value'), { maxLength: 4 }))
      })).value
      fc.assert(fc.property(fc.oneof(value, withoutStrings), key => {
        if (!decodes(key)) return
        const encoded = bytes(encode(key)).toString('utf8')
        assert.deepStrictEqual(decode(encoded), { value: asJson(key), end: encoded.length })
      }), runs)
      fc.assert(fc.property(withoutStrings, key => decodes(key)), runs)
    })

    it('is short for small numbers', () => {
      assert.ok(encode(7).length <= 5)
      assert.ok(encode(999999).length <= 8)
    })

    it('takes what is nested deeply, and refuses what is nested too deeply', () => {
      const nest = (depth, value) => depth === 0 ? value : nest(depth - 1, depth % 2 === 0 ? [value] : { a: value })
      assert.ok(encode(nest(1000, 1)) < encode(nest(1000, 2)))
      assert.ok(compare(nest(1000, 1), nest(1000, 2)) < 0)
      assert.strictEqual(decodes(nest(1000, 1)), collation !== couchCollation)
      assert.throws(() => encode(nest(1001, 1)), RangeError)
      assert.throws(() => encode(JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))), RangeError)
    })

    it('takes what JSON has not as null, or not at all', () => {
      for (const [odd, even] of [[undefined, null], [NaN, null], [-Infinity, null], [{ a: undefined, b: 1 }, { b: 1 }], [[undefined, NaN], [null, null]]]) {
        assert.strictEqual(encode(odd), encode(even))
        // pouchdb-collate fails here.
        if (collation !== pouchCollation) assert.strictEqual(compare(odd, even), 0)
      }
      assert.strictEqual(encode(() => {}), encode(null))
      assert.throws(() => encode(1n), TypeError)
    })
  })
}
