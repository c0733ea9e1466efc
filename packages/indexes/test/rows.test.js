'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { couchCollation, pouchCollation, rawCollation } = require('@potoroo/collation')
const { LONGEST, makeRow, readRow, readRowText, tellApart } = require('../lib/rows/row')

const json = fc.oneof(
  fc.jsonValue(),
  fc.jsonValue().map(value => [value, { a: value }]),
  fc.array(fc.constantFrom(0, 1, 0x200b, 0xd800, 0xdc00, 0xfffd, 0xffff, 97), { maxLength: 4 }).map(units => String.fromCharCode(...units)),
  fc.constantFrom(1e308, -1e308, 5e-324, 0.1, '', '\t', '\n', [[]], { '': '' }),
  fc.tuple(fc.jsonValue(), fc.integer({ min: 1, max: 500 })).map(([value, depth]) => {
    for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
    return value
  }),
  fc.string({ minLength: LONGEST - 200, maxLength: LONGEST + 200 })
)
const id = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a', '\u0001', '\ud83d\ude00', '\uffff'))

/** JSON does not tell -0 from 0. */
const asJson = value => JSON.parse(JSON.stringify(value))

for (const collation of [couchCollation, pouchCollation, rawCollation]) {
  describe(`rows in the collation ${collation.name}`, function () {
    this.timeout(600_000)

    it('are read as they were emitted, after UTF-8 too', () => {
      fc.assert(fc.property(json, json, id, (key, value, id) => {
        fc.pre(!id.includes('\0'))
        const { row, value: text } = makeRow(collation, 3, key, value)
        const stored = Buffer.from(`prefix${row}${id.toWellFormed()}\0a1`).toString()
        const read = readRow(collation, stored, text, 'prefixa3'.length)
        assert.deepStrictEqual(read, { id: id.toWellFormed(), key: asJson(key), value: asJson(value) })
        assert.deepStrictEqual(readRowText(collation, stored, text, 'prefixa3'.length),
          { id: read.id, key: JSON.stringify(read.key), value: JSON.stringify(read.value) })
      }), { numRuns: 3000 })
    })

    it('are told apart where their values are nested as deeply as JSON can be read', () => {
      const nest = (depth, value) => JSON.parse('['.repeat(depth) + value + ']'.repeat(depth))
      const rows = [2, 1].map(value => makeRow(collation, 0, 'key', nest(3000, value)))
      rows.push({ ...rows[0], value: rows[0].value.replace('2', '['.repeat(1e5) + ']'.repeat(1e5)) })
      assert.deepStrictEqual(tellApart(collation.compareValues, rows), ['', 'a1', 'a2'])
    })

    it('are told apart by keys that differ where they are cut, too', () => {
      const long = 'x'.repeat(2 * LONGEST)
      const rows = ['c', 'a', 'b'].map((letter, i) => makeRow(collation, 0, [long, letter], i))
      assert.deepStrictEqual(tellApart(collation.compareValues, rows), ['', 'a1', 'a2'])
      assert.deepStrictEqual(rows.map(({ row, value }) => readRow(collation, row + 'id\0', value, 'a0'.length).key[1]), ['a', 'b', 'c'])
    })

    it('are told apart in one order, whichever they were emitted in', () => {
      const rows = fc.array(fc.tuple(fc.constantFrom('a', 'b', 1), json), { minLength: 2, maxLength: 5 })
      fc.assert(fc.property(rows, emitted => {
        const told = list => {
          const rows = list.map(([key, value]) => makeRow(collation, 0, key, value))
          const more = tellApart(collation.compareValues, rows)
          return rows.map(({ row }, i) => row + more[i])
        }
        assert.deepStrictEqual(told(emitted), told(emitted.toReversed()))
        assert.strictEqual(new Set(told(emitted)).size, emitted.length)
      }), { numRuns: 300 })
    })
  })
}
