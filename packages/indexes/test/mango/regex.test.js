'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Mango, compileSelector, compileSelectorInTurns } = require('../..')

/** Milliseconds of CPU: others may wait for some 20, and a thread has 2,000 by the clock. */
const LONG = 40

/**
 * Returns the first of tests, each of which takes longer than the one before, that takes long on this machine.
 *
 * @param {(n: number) => [pattern: string, text: string]} make
 */
function growing (make) {
  for (let n = 1; ; n++) {
    const [pattern, text] = make(n)
    if (Math.min(...[1, 2, 3].map(each => millisecondsOf(`${pattern}|${'z'.repeat(n)}{${each}}$`, text))) > LONG) return { pattern, text }
  }
}

/** V8 has to see the pattern for the first time: it is quicker with it from the second time on. @param {string} pattern @param {string} text */
function millisecondsOf (pattern, text) {
  const regExp = new RegExp(pattern)
  const before = process.cpuUsage()
  regExp.test(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

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

  it('gives up an expression that backtracks without end', async () => {
    const find = compileSelectorInTurns({ a: { $regex: '(a+)+$' } })
    await assert.rejects(async () => find({ a: 'a'.repeat(60) + '!' }, 100), { status: 400, error: 'bad_arg', reason: /takes too long$/ })
    assert.equal(await find({ a: 'aaa' }, 10), true)
  })

  it('gives it up at once where nobody can wait for it', () => {
    assert.throws(() => matches('(a+)+$', 'a'.repeat(60) + '!'), { status: 400, error: 'bad_arg', reason: /takes too long$/ })
  })

  const few = 'a'.repeat(18)
  const one = growing(n => ['^(a+)+$|bc$', 'a'.repeat(n) + 'bc'])
  const alternatives = growing(n => ['(a|a)'.repeat(n) + 'b|c$', 'a'.repeat(n) + 'c'])
  const plain = growing(n => ['a*b|c$', 'a'.repeat(500 * n) + 'c'])
  /** @type {Array<[string, any, any]>} what, a selector, and a document that it finds only after long */
  const slow = [
    ['one text that takes long', { a: { $regex: one.pattern } }, { a: one.text }],
    ['alternatives of which each has alternatives', { a: { $regex: alternatives.pattern } }, { a: alternatives.text }],
    ['a plain expression on a long text', { a: { $regex: plain.pattern } }, { a: plain.text }],
    ['texts that take long together', { a: { $elemMatch: { $regex: '^(a+)+$|c$' } } }, { a: [...Array.from({ length: 40 }, (_, i) => few + 'b'.repeat(i + 1)), 'c'] }],
    ['expressions that take long together', { $or: Array.from({ length: 60 }, (_, i) => ({ a: { $regex: i === 59 ? 'c$' : `^(a+)+${'x'.repeat(i + 1)}$` } })) }, { a: few + 'c' }],
    ['an expression that takes long to compile', { a: { $regex: `${'a?'.repeat(400)}c$` } }, { a: 'c' }]
  ]
  for (const [what, selector, doc] of slow) {
    it(`lets others run beside ${what}`, async () => {
      const find = compileSelectorInTurns(selector)
      const found = find(doc, JSON.stringify(doc).length)
      assert.ok(found instanceof Promise)
      assert.equal(await found, true)
    })
  }

  it('compiles classes of many letters, one after the other, as fast as one', async () => {
    const before = process.cpuUsage()
    const finds = pattern => compileSelectorInTurns({ a: { $regex: pattern } })({ a: '\u4e00'.repeat(8) }, 20)
    assert.equal(await finds('\\p{L}{1,3}'.repeat(8)), true)
    assert.equal(await finds('^[^\\P{L}]' + '[\\p{L}x]{1,2}'.repeat(6)), true)
    const { user } = process.cpuUsage(before)
    assert.ok(user < 2e6, `${user} µs`)
  })

  it('says so where V8 has no room for what it tries', async () => {
    const find = compileSelectorInTurns({ a: { $regex: '^(?:a|b)*c' } })
    await assert.rejects(async () => find({ a: 'a'.repeat(2e7) }, 2e7), { status: 400, error: 'bad_arg', reason: /:[^:]*>>$/ })
  })

  it('refuses those that take long when many wait', async () => {
    const find = compileSelectorInTurns({ a: { $regex: one.pattern } })
    const found = await Promise.allSettled(Array.from({ length: 100 }, async () => find({ a: one.text }, 100)))
    const refused = found.filter(({ status }) => status === 'rejected')
    assert.ok(refused.length > 0 && refused.length < 100)
    for (const { reason } of refused) assert.equal(reason.code, 'UNAVAILABLE')
    // The last of them leaves its place in a turn of its own.
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(await find({ a: one.text }, 100), true)
  })

  it('refuses those of one database that take long when many of it wait, and not those of another', async () => {
    const find = compileSelectorInTurns({ a: { $regex: one.pattern } })
    const doc = { a: one.text }
    const found = Promise.allSettled(Array.from({ length: 30 }, async () => find(doc, 100, 'greedy')))
    assert.equal(await find(doc, 100, 'modest'), true)
    const refused = (await found).filter(({ status }) => status === 'rejected')
    assert.ok(refused.length > 0 && refused.length < 30)
    for (const { reason } of refused) assert.equal(reason.code, 'UNAVAILABLE')
  })

  it('tries an expression that took long at once again, later', async () => {
    const find = compileSelectorInTurns({ a: { $regex: one.pattern } })
    assert.equal(find({ a: 'aa' }, 10), true)
    assert.equal(await find({ a: one.text }, 100), true)
    assert.ok(find({ a: 'aa' }, 10) instanceof Promise)
    const { now } = performance
    performance.now = () => now.call(performance) + 11_000
    try {
      assert.equal(find({ a: 'aa' }, 10), true)
    } finally {
      delete performance.now
    }
  })

  it('has a partial index whose expression takes long', async () => {
    const database = await DocumentStore.open(new MemoryLevel(), { prefix: 'db/' })
    const mango = new Mango()
    await database.write(['aaac', few + 'c', one.text].map((a, i) => ({ _id: `d${i}`, a })))
    await mango.create(database, { index: { fields: ['a'], partial_filter_selector: { a: { $regex: one.pattern } } }, ddoc: 'p', name: 'p' })
    const { docs } = await mango.find(database, { selector: { a: { $gt: '' } }, use_index: 'p', fields: ['_id'] })
    assert.deepEqual(docs, [{ _id: 'd2' }])
    await database.close()
  })

  it('may have as many characters together as four long ones', () => {
    const regexes = count => ({ $or: Array.from({ length: count }, () => ({ a: { $regex: 'a'.repeat(8192) } })) })
    assert.doesNotThrow(() => compileSelector(regexes(4)))
    assert.throws(() => compileSelector(regexes(5)), { status: 400, error: 'bad_arg', reason: 'Expressions in $regex are longer than 32768 characters together' })
  })
})
