'use strict'

const assert = require('node:assert/strict')
const { formatTerm, printTerm, printText } = require('@potoroo/errors')

describe('Erlang terms', () => {
  for (const [value, term] of [
    [null, 'null'], [true, 'true'], [0, '0'], [-1, '-1'], [1e20, '100000000000000000000'], [1e21, '1.0e21'],
    [0.1, '0.1'], [100.5, '100.5'], [123456.789, '123456.789'], [0.0001, '0.0001'], [0.00012345, '1.2345e-4'], [-1e-7, '-1.0e-7'],
    [5e-324, '5.0e-324'], [1.7976931348623157e308, '1.7976931348623157e308'], [0.1234567890123456, '0.1234567890123456'],
    [[], '[]'], [{}, '{[]}'], ['', '<<>>'], ['a', '<<97>>'], ['é', '<<195,169>>'], [[1, { a: [null] }], '[1,{[{<<97>>,[null]}]}]']
  ]) {
    it(`write ${JSON.stringify(value)} as ${term}`, () => assert.equal(formatTerm(value), term))
  }

  for (const [value, term] of [
    ['', '<<>>'], ['x', '<<"x">>'], ['a"b\\c\n\t\b\x1b', '<<"a\\"b\\\\c\\n\\t\\b\\e">>'], ['é', '<<"é">>'], ['日', '<<230,151,165>>'], ['\x00', '<<0>>'],
    [{ a: ['up'] }, '{[{<<"a">>,[<<"up">>]}]}']
  ]) {
    it(`print ${JSON.stringify(value)} as ${term}`, () => assert.equal(printTerm(value), term))
  }

  for (const [text, term] of [['', '[]'], ['x', '"x"'], ['"1"', '"\\"1\\""'], ['日', '[230,151,165]']]) {
    it(`print the text ${JSON.stringify(text)} as ${term}`, () => assert.equal(printText(text), term))
  }
})
