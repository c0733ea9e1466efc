'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { analyzer, parseQuery } = require('../..')
const queries = require('./lucene/queries.json')
const { print } = require('./print')

const standard = analyzer('standard', { dialect: 'nouveau' })

/** @param {string} query */
function parse (query, options = {}) { return parseQuery(query, { defaultField: 'd', analyze: standard, ...options }) }

describe('queries, beside Lucene', () => {
  // Lucene 9.12.3's classic parser has given the answers; null is an error.
  for (const defaultOperator of ['OR', 'AND']) {
    it(`mean the same, with ${defaultOperator} as the default`, () => {
      const cases = queries.filter(([, operator]) => operator === defaultOperator)
      assert.ok(cases.length > 90)
      for (const [name, , query, wanted] of cases) {
        const run = () => print(parse(query, { analyze: analyzer(name, { dialect: 'nouveau' }), defaultOperator }))
        if (wanted === null) assert.throws(run, { code: 'BAD_REQUEST' }, query)
        else assert.strictEqual(run(), wanted, query)
      }
    })
  }
})

describe('queries', () => {
  it('tell numbers from words', () => {
    assert.deepStrictEqual(parse('3.50'), { type: 'term', field: 'd', term: '3.50', number: 3.5 })
    assert.deepStrictEqual(parse('f:\\-7'), { type: 'term', field: 'f', term: '7', number: -7 })
    assert.deepStrictEqual(parse('f:[1 TO 2.5}'), { type: 'range', field: 'f', low: 1, high: 2.5, includeLow: true, includeHigh: false })
    assert.deepStrictEqual(parse('f:[* TO 5]'), { type: 'range', field: 'f', low: null, high: 5, includeLow: true, includeHigh: true })
    assert.deepStrictEqual(parse('f:[1 TO b]'), { type: 'range', field: 'f', low: '1', high: 'b', includeLow: true, includeHigh: true })
    assert.strictEqual(parse('f:"7"').number, undefined)
  })

  it('bring patterns into the form of the terms', () => {
    const patterns = [['simple_asciifolding', 'd:FIANCÉ*', 'X(d:fiance)'], ['keyword', 'd:ABc*', 'X(d:ABc)'], ['standard', 'd:A?C*\\D', 'W(d:a?c*\\D)'],
      ['standard', 'd:/A\\WB+[C-D]/', 'R(d:a\\Wb+[c-d])'], ['turkish', 'd:I*', 'X(d:ı)'], ['greek', 'd:ΆΒΓ~1', 'F(d:αβγ~1)']]
    for (const [name, query, wanted] of patterns) assert.strictEqual(print(parse(query, { analyze: analyzer(name) })), wanted)
  })

  it('refuse a leading wildcard only where asked', () => {
    assert.strictEqual(print(parse('*a')), 'W(d:*a)')
    const reason = 'Cannot parse \'?a\': \'*\' or \'?\' not allowed as first character in WildcardQuery'
    assert.throws(() => parse('?a', { allowLeadingWildcard: false }), { status: 400, error: 'bad_request', reason })
  })

  it('say what is wrong and where', () => {
    for (const [query, reason] of [
      ['a AND', 'Cannot parse \'a AND\': Encountered "<EOF>" at column 6.'],
      ['a ) b', 'Cannot parse \'a ) b\': Encountered ")" at column 3.'],
      ['"a', 'Cannot parse \'"a\': Lexical error at column 1.'],
      ['a~1.5', 'Cannot parse \'a~1.5\': Fractional edit distances are not allowed!']
    ]) assert.throws(() => parse(query), { code: 'BAD_REQUEST', reason })
  })
})

describe('hostile queries', () => {
  it('have limits of clauses, nesting and length', () => {
    assert.strictEqual(parse('a '.repeat(1024)).clauses.length, 1024)
    for (const query of ['a '.repeat(1025), `"${'a '.repeat(1025)}"`, `${'a-'.repeat(1025)}`]) assert.throws(() => parse(query), /maxClauseCount is set to 1024/)
    assert.strictEqual(print(parse(`${'('.repeat(256)}a${')'.repeat(256)}`)), 'T(d:a)')
    assert.throws(() => parse('('.repeat(30_000) + ')'.repeat(30_000)), /more than 256 parentheses are open/)
    assert.throws(() => parse('a'.repeat(2 ** 16 + 1)), /longer than 65536 characters/)
  })

  it('take time that grows with their length', () => {
    const pieces = ['(', ')', '"', '\\"', '/', '\\/', '/\\/', '[', '[a ', '[a TO ', '{"', '~', '^', '^1', 'a~', 'a:', '+', '+ ', '-', '!', '!\t', 'AND ', 'NOT ', '*', '?', 'a*', '\\', '\\u', ' ', '日', '😀', ']', 'a^2~']
    const queries = pieces.map(piece => piece.repeat(Math.floor(60_000 / piece.length)))
    // Each may be divided in many ways, and ends with what fits none of them.
    queries.push(...['[\t', '[a\tTO\t', '["a"\n', '1', '.1', ' 1 '].map(piece => piece[0] + piece.slice(1).repeat(60_000) + 'x'), `${'1'.repeat(60_000)}x`, `a~${'1'.repeat(60_000)}x`)
    for (const query of queries) {
      const spent = process.cpuUsage()
      try { parse(query) } catch (error) { assert.strictEqual(error.code, 'BAD_REQUEST', error.stack) }
      const { user } = process.cpuUsage(spent)
      assert.ok(user < 1e6, `${query.slice(0, 10)}: ${user} µs`)
    }
  })

  it('are trees or errors of the client, whatever they are', () => {
    const piece = fc.constantFrom('a', 'b*', '?', ' ', 'AND', 'OR', 'NOT', '+', '-', '(', ')', '"', '[', ']', '{', '}', ' TO ', '~', '^', '1', '.5', ':', '/', '\\', '\\u00', '&&', '||', '!', 'é', '日', '\ud83d')
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.array(piece, { maxLength: 30 }).map(parts => parts.join(''))), query => {
      try {
        print(parse(query))
      } catch (error) {
        assert.strictEqual(error.code, 'BAD_REQUEST', error.stack)
      }
    }), { numRuns: 5000 })
  })
})
