'use strict'

const assert = require('node:assert/strict')
const { compileSelector } = require('../..')

describe('$regex', () => {
  const matches = (pattern, text) => compileSelector({ a: { $regex: pattern } })({ a: text })

  /** @type {Array<[string, string[], string[]]>} pattern, what it finds, what it does not */
  const cases = [
    ['(?i)new.*', ['New York', 'renewed'], ['old']],
    ['(?s)a.b', ['a\nb'], ['ab']],
    ['a.b', ['a\rb', 'a\u2028b', 'a😀b'], ['a\nb']],
    ['o$', ['Hello', 'Hello\n'], ['Hello\n\n', 'on']],
    ['o\\z', ['Hello'], ['Hello\n']],
    ['\\Ab', ['bc'], ['ab', 'a\nb']],
    ['(?m)^b$', ['a\nb\nc', 'b'], ['ab', 'bc']],
    ['^b', ['b'], ['a\nb']],
    ['(?x) a b # both\n c', ['abc'], ['a b c']],
    ['^[[:alpha:]_]+$', ['aB_'], ['a1', '']],
    ['^[[:digit:][:space:]]+$', ['1 2\t'], ['a']],
    ['^[]a]+$', [']a'], ['[']],
    ['^[^]a]+$', ['b['], [']']],
    ['^[a\\-z]+$', ['a-z'], ['b']],
    ['^[\\w.-]+$', ['a.b-c'], ['a b']],
    ['(?P<x>a)b(?P=x)', ['aba'], ['abb']],
    ['(a|b)\\1', ['aa', 'bb'], ['ab']],
    ['\\Qa.b\\E+', ['a.bb'], ['axb']],
    ['^\\x41\\x{1f600}$', ['A😀'], ['A']],
    ['^\\p{Lu}\\p{Greek}\\PL$', ['Aα1'], ['aα1', 'Aαb']],
    ['^\\h+\\R$', ['\t \r\n'], ['\n']],
    ['^(?s:.)(?:x)(?#a comment)y$', ['\nxy'], ['xy']],
    ['a{2}b{,3}', ['aab{,3}'], ['aab']],
    ['^}]/-@~"\'$', ['}]/-@~"\''], ['x']],
    ['^(?=a)(?!ab)(?<!c)a', ['ac'], ['ab', 'b']],
    ['^\\d+\\s\\w+$', ['12 a_'], ['x']],
    ['', ['', 'a'], []],
    ['^a+?b*?$', ['aab'], ['b']]
  ]
  for (const [pattern, found, others] of cases) {
    it(`reads ${JSON.stringify(pattern)} as PCRE does`, () => {
      for (const text of found) assert.equal(matches(pattern, text), true, JSON.stringify(text))
      for (const text of others) assert.equal(matches(pattern, text), false, JSON.stringify(text))
    })
  }

  it('finds strings alone', () => {
    const finds = compileSelector({ a: { $regex: '1' } })
    for (const a of [1, ['1'], { 1: 1 }, null]) assert.equal(finds({ a }), false)
  })

  for (const pattern of ['(', ')', '[a', 'a**', '*', '\\', '[b-a]', '(?P<1>a)b)', '[[:foo:]']) {
    it(`refuses ${JSON.stringify(pattern)}`, () => {
      assert.throws(() => matches(pattern, ''), { status: 400 })
    })
  }

  for (const pattern of ['a++', '(?>a)', '(?R)', '(a)?(?(1)b)', 'a\\Kb', '(?i:a)b(?i)', '\\X', '[[:^alpha:]]']) {
    it(`says that there is nothing like ${JSON.stringify(pattern)}`, () => {
      assert.throws(() => matches(pattern, ''), { status: 400, error: 'not_supported', reason: /^Unsupported in \$regex: / })
    })
  }

  it('gives up an expression that backtracks without end', () => {
    assert.throws(() => matches('(a+)+$', 'a'.repeat(60) + '!'), { status: 400, error: 'bad_arg', reason: /takes too long$/ })
    assert.equal(matches('(a+)+$', 'aaa'), true)
  })

  it('gives up many that take long together, until others have run', async () => {
    const texts = Array.from({ length: 200 }, (_, i) => 'a'.repeat(22) + 'b'.repeat(i))
    const find = compileSelector({ a: { $regex: '^(a+)+$' } })
    assert.throws(() => texts.forEach(a => find({ a })), { status: 400, reason: /takes too long$/ })
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(find({ a: texts[1] }), false)
  })

  it('gives up a plain expression on a text that is too long for it', () => {
    assert.throws(() => matches('a*b', 'a'.repeat(4000000)), { status: 400, error: 'bad_arg' })
  })
})
