'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { analyzer, buildStandard, numberReader, readStandard } = require('../..')
const queries = require('./lucene/standard.json')
const { print } = require('./print-standard')

/** The field `num` has numbers, and no other. */
function parse (query, { name = 'standard', locale } = {}) {
  const { syntax } = readStandard(query, 'd')
  return buildStandard(query, syntax, { analyze: analyzer(name, { dialect: 'nouveau' }), numbersOf: field => field === 'num' ? numberReader(locale) : undefined })
}

describe('queries of the standard syntax, beside Lucene', () => {
  // Lucene 9.12.3's StandardQueryParser has given the answers, set up as in Nouveau; null is an error.
  it('mean the same', () => {
    assert.ok(queries.length > 400)
    for (const [name, locale, query, wanted] of queries) {
      const run = () => print(parse(query, { name, locale: locale === '-' ? undefined : locale }))
      if (wanted === null) assert.throws(run, ({ status }) => status === 400, query)
      else assert.strictEqual(run(), wanted, query)
    }
  })
})

describe('queries of the standard syntax', () => {
  it('name the fields that they ask', () => {
    const { fields } = readStandard('a x:b (y:(c num:5)) z\\:z>3', 'd')
    assert.deepStrictEqual([...fields].sort(), ['d', 'num', 'x', 'y', 'z:z'])
  })

  it('say what is wrong in Lucene\'s words', () => {
    for (const [query, reason] of [
      ['a AND', 'Syntax Error, cannot parse a AND:  '],
      ['"a', 'Syntax Error, cannot parse "a: Lexical error at line 1, column 1. '],
      ['num:abc', 'Could not parse text "abc" using java.text.DecimalFormat'],
      ['num:""', 'Field "num" is numeric and cannot have an empty value.'],
      ['foo:*', 'Leading wildcard is not allowed: foo:*'],
      ['a@2', 'Syntax Error, cannot parse a@2:  ']
    ]) assert.throws(() => parse(query), { status: 400, error: 'bad_request', reason }, query)
  })

  it('have functions of intervals', () => {
    const term = text => ({ fn: 'term', text })
    const phrase = (...sources) => ({ fn: 'phrase', numbers: [], sources })
    for (const [query, source] of [
      ['fn:ordered(A "b c" 12)', { fn: 'ordered', numbers: [], sources: [term('a'), phrase(term('b'), term('c')), term('12')] }],
      ['fn: atleast (2 3 4)', { fn: 'atLeast', numbers: [2], sources: [term('3'), term('4')] }],
      ['fn:within(fn:or(a b) 3 c)', { fn: 'within', numbers: [3], sources: [{ fn: 'or', numbers: [], sources: [term('a'), term('b')] }, term('c')] }],
      ['fn:extend(a 1 2)', { fn: 'extend', numbers: [1, 2], sources: [term('a')] }],
      ['fn:phrase("")', phrase({ fn: 'none' })],
      ['fn:wildcard(A*)', { fn: 'wildcard', text: 'A*', most: 128 }],
      ['fn:wildcard("?" 7)', { fn: 'wildcard', text: '?', most: 7 }],
      ['fn:fuzzyterm(a)', { fn: 'fuzzyTerm', text: 'a', edits: 2, most: 128 }],
      ['fn:fuzzyTerm(a 0 9)', { fn: 'fuzzyTerm', text: 'a', edits: 0, most: 9 }]
    ]) assert.deepStrictEqual(parse(`x:${query}`), { type: 'intervals', field: 'x', source }, query)
    // A word that was left out makes the one behind it longer.
    assert.deepStrictEqual(parse('fn:or("fox the ran")', { name: 'english' }).source.sources[0], phrase(term('fox'), { fn: 'extend', numbers: [1, 0], sources: [term('ran')] }))
    assert.deepStrictEqual(readStandard('x:fn:or(a) fn:or(b)', 'd').fields, new Set(['x', 'd']))
    for (const query of ['fn:', 'fn:or', 'fn:or()', 'fn:or(a', 'fn:Or(a)', 'fn:or(a)^2', 'fn:or(+a)', 'fn:or(x:a)', 'fn:or((a))', 'fn:or(a*^2)', 'fn:or(a AND b)', 'fn:maxgaps(a)', 'fn:maxgaps(1.5 a)', 'fn:maxgaps(9999999999 a)', 'fn:before(a)', 'fn:before(a b c)', 'fn:extend(a 1)', 'fn:wildcard(fn:or(a))', 'fn:wildcard(a 1 2)', 'fn:atLeast(0 a)', 'fn:orx(a)', 'fn:or(a)~2']) {
      assert.throws(() => parse(query), { status: 400 }, query)
    }
  })

  it('read numbers as a language writes them', () => {
    for (const [locale, text, number] of [['de', '10.0', 100], ['us', '10.0', 10], ['de_DE', '1.000,5', 1000.5], ['fr', '1\u202f000,5', 1000.5], [undefined, '1,000.5xy', 1000.5],
      ['en', '1E3', 1000], ['en', '-1E-3x', -0.001], ['en', '1e3', 1], ['en', '-', undefined], ['en', '', undefined], ['en', '∞', Infinity], ['en', 'NaN', NaN], ['ar-EG', '١٢٫٥', 12.5], ['x'.repeat(1000), '5', 5]]) {
      assert.strictEqual(numberReader(locale)(text), number, `${locale} ${text}`)
    }
  })

  it('have limits of clauses, nesting and length', () => {
    assert.strictEqual(parse('a '.repeat(1024)).clauses.length, 1024)
    for (const query of ['a '.repeat(1025), `"${'a '.repeat(1025)}"`, `${'a-'.repeat(1025)}`, `fn:or(${'a '.repeat(1025)})`, 'fn:or("a b") '.repeat(513)]) assert.throws(() => parse(query), /Too many boolean clauses, the maximum supported is 1024/)
    assert.strictEqual(print(parse(`${'('.repeat(256)}a${')'.repeat(256)}`)), 'T(d:a)')
    for (const query of ['('.repeat(30_000) + ')'.repeat(30_000), 'fn:or('.repeat(10_000), '('.repeat(200) + 'fn:or('.repeat(57)]) assert.throws(() => parse(query), /more than 256 parentheses are open/)
    assert.throws(() => parse('a'.repeat(2 ** 16 + 1)), /longer than 65536 characters/)
  })

  it('take time that grows with their length', () => {
    const pieces = ['(', ')', '"', '\\"', '/', '\\/', '/\\/', '[', '[a ', '[a TO ', '{"', '~', '^', '^1', 'a~', 'a:', '+', '- ', '!\t', 'AND ', '*', 'a*', '\\', '\\u', ' ', '日', 'a<', 'a>=', '@', '(a)@1', 'fn:', 'fn:or(', 'fn:or(a) ', 'fn:maxgaps(1 a) ', '1.', '[a TO b]', '&&', 'num:1,0']
    const queries = pieces.map(piece => piece.repeat(Math.floor(60_000 / piece.length)))
    queries.push(`[${' '.repeat(60_000)}`, `["${'a '.repeat(30_000)}`, `num:${'1,'.repeat(30_000)}x`, `${'1'.repeat(60_000)}x`)
    for (const query of queries) {
      const spent = process.cpuUsage()
      try { parse(query) } catch (error) { assert.strictEqual(error.status, 400, error.stack) }
      const { user } = process.cpuUsage(spent)
      assert.ok(user < 1e6, `${query.slice(0, 10)}: ${user} µs`)
    }
  })

  it('are trees or errors of the client, whatever they are', () => {
    const piece = fc.constantFrom('a', 'num:', 'b*', '?', ' ', 'AND ', ' OR ', 'NOT ', '+', '-', '(', ')', '"', '[', ']', '{', '}', ' TO ', '~', '^', '1', '.5', ':', '/', '\\', '\\u00', '&&', '!', '<', '>=', '=', '@', 'fn:', 'fn:or(', 'fn:extend(', 'fn:wildcard(', 'fn:maxgaps(1 ', 'é', '日', '\ud83d')
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.array(piece, { maxLength: 30 }).map(parts => parts.join(''))), query => {
      try {
        print(parse(query))
      } catch (error) {
        assert.strictEqual(error.status, 400, error.stack)
      }
    }), { numRuns: 5000 })
  })
})
