'use strict'

const fc = require('fast-check')

const unit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.integer({ min: 0x20, max: 0x7e }),
  fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0x300, 0x323, 0x7ff, 0x800, 0x200b, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xe001, 0xfffd, 0xfffe, 0xffff)
)

/** Strings of any code units, surrogates that stand alone among them. */
const text = fc.array(unit, { maxLength: 5 }).map(units => String.fromCharCode(...units))

/** Numbers that JSON can hold. */
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1, -1, 0.1, -0.1, 5e-324, -5e-324, 2 ** 20, 2 ** 21, 2 ** 32, 2 ** 53, 1e308, Number.MAX_VALUE, -Number.MAX_VALUE)
)

const { value } = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, false, true), number, text, tie('array'), tie('object')),
  array: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(text, tie('value'), { maxKeys: 4 })
}))

/** Nested so deep as nothing that one means. */
const deep = fc.tuple(fc.integer({ min: 1, max: 300 }), value).map(([depth, value]) => {
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
})

/** As JSON has it, which does not tell -0 from 0. */
const asJson = value => JSON.parse(JSON.stringify(value))

module.exports = { text, number, value, deep, asJson }
