'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { termMatcher } = require('../..')
const patterns = require('./lucene/patterns.json')

/** @param {string} type as in the data: with the edits of a fuzzy one @param {string} pattern */
function matcher (type, pattern) {
  const [kind, edits] = /^([a-z]+)(\d?)$/.exec(type).slice(1)
  return termMatcher({ type: kind, field: 'f', pattern, prefix: pattern, term: pattern, edits: Number(edits), prefixLength: 0 })
}

/** The order of terms in the level. @param {string} left @param {string} right */
function compare (left, right) { return Buffer.compare(Buffer.from(left), Buffer.from(right)) }

const letter = fc.constantFrom('a', 'b', 'c', 'é', '\uff5e', '😀')
const word = fc.array(letter, { maxLength: 7 }).map(letters => letters.join(''))

/** Edits by the table as it is taught, with transpositions of neighbours. @param {string} left @param {string} right */
function distance (left, right) {
  const [from, to] = [[...left], [...right]]
  const table = Array.from({ length: from.length + 1 }, (_, row) => Array.from({ length: to.length + 1 }, (_, column) => row === 0 ? column : column === 0 ? row : 0))
  for (let row = 1; row <= from.length; row++) {
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      table[row][column] = Math.min(table[row - 1][column] + 1, table[row][column - 1] + 1, table[row - 1][column - 1] + (same ? 0 : 1))
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (isSwapped) table[row][column] = Math.min(table[row][column], table[row - 2][column - 2] + 1)
    }
  }
  return table[from.length][to.length]
}

/** Whether edits leave something of both, as Lucene's FuzzyQuery wants it. @param {string} left @param {string} right */
function isNear (left, right) { return left === right || distance(left, right) < Math.min([...left].length, [...right].length) }

/** A regular expression as a tree, to write in both syntaxes. */
const { tree: expression } = fc.letrec(tie => ({
  leaf: fc.constantFrom('a', 'b', 'é', '.', '[ab]', '[^a]', '()'),
  tree: fc.oneof({ maxDepth: 4 }, tie('leaf'),
    fc.tuple(tie('tree'), tie('tree')).map(([left, right]) => `${left}${right}`),
    fc.tuple(tie('tree'), tie('tree')).map(([left, right]) => `(${left}|${right})`),
    fc.tuple(tie('tree'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,}')).map(([of, times]) => `(${of})${times}`))
}))

describe('terms of patterns, beside Lucene', () => {
  it('are the same', () => {
    // Lucene 9.12.3 has given the answers, one digit for each term; null is an error. Its automaton gave those of fuzzy ones,
    // of which its FuzzyQuery leaves out some.
    for (const [type, pattern, terms, answers] of patterns) {
      const wanted = answers && type.startsWith('fuzzy') ? terms.map((term, i) => Number(answers[i] === '1' && isNear(pattern, term))).join('') : answers
      const run = () => terms.map(term => Number(matcher(type, pattern).accepts(term))).join('')
      if (wanted === null) assert.throws(run, { code: 'BAD_REQUEST' }, pattern)
      else assert.strictEqual(run(), wanted, `${type} ${pattern}`)
    }
  })
})

describe('terms of patterns', () => {
  it('of wildcards and regular expressions are those that JavaScript finds', () => {
    fc.assert(fc.property(expression, fc.array(word, { maxLength: 20 }), (pattern, terms) => {
      const [ours, theirs] = [matcher('regexp', pattern), new RegExp(`^(?:${pattern})$`, 'su')]
      for (const term of terms) assert.strictEqual(ours.accepts(term), theirs.test(term), `${pattern} ${term}`)
    }), { numRuns: 400 })
    fc.assert(fc.property(fc.array(fc.oneof(letter, fc.constantFrom('*', '?', '\\*')), { maxLength: 7 }), fc.array(word, { maxLength: 20 }), (parts, terms) => {
      const theirs = new RegExp(`^${parts.map(part => ({ '*': '.*', '?': '.' })[part] ?? part).join('')}$`, 'su')
      const ours = matcher('wildcard', parts.join(''))
      for (const term of terms) assert.strictEqual(ours.accepts(term), theirs.test(term), `${parts.join('')} ${term}`)
    }), { numRuns: 400 })
  })

  it('of fuzzy ones are as many edits away', () => {
    fc.assert(fc.property(word, fc.nat(2), fc.nat(2), fc.array(word, { maxLength: 20 }), (term, edits, prefixLength, terms) => {
      const ours = termMatcher({ type: 'fuzzy', field: 'f', term, edits, prefixLength })
      const prefix = [...term].slice(0, prefixLength).join('')
      for (const each of terms) assert.strictEqual(ours.accepts(each), each.startsWith(prefix) && distance(term, each) <= edits && isNear(term, each), `${term} ${each}`)
    }), { numRuns: 400 })
    const { similarity } = termMatcher({ type: 'fuzzy', field: 'f', term: 'abcd', edits: 2, prefixLength: 0 })
    assert.deepStrictEqual(['abcd', 'abdc', 'ab', 'zzzz'].map(similarity), [1, 0.75, 0, 0])
  })

  it('of fuzzy ones have a likeness above 0, and only what they have', () => {
    fc.assert(fc.property(word, fc.nat(2), fc.array(word, { maxLength: 20 }), (term, edits, terms) => {
      const { accepts, similarity } = termMatcher({ type: 'fuzzy', field: 'f', term, edits, prefixLength: 0 })
      for (const each of terms) {
        const likeness = similarity(each)
        assert.ok(accepts(each) ? likeness > 0 && likeness <= 1 : likeness === 0 || distance(term, each) > edits, `${term} ${each} ${likeness}`)
      }
    }), { numRuns: 400 })
    for (const [term, other] of [['ab', 'c'], ['', 'a'], ['a', ''], ['a', 'b'], ['😀', 'a']]) {
      const { accepts, similarity } = termMatcher({ type: 'fuzzy', field: 'f', term, edits: 2, prefixLength: 0 })
      assert.deepStrictEqual([accepts(other), similarity(other), accepts(term), similarity(term)], [false, 0, true, 1])
    }
  })

  it('have the prefix, and none is skipped', () => {
    const any = fc.oneof(
      fc.tuple(fc.constant('regexp'), expression),
      fc.tuple(fc.constant('wildcard'), fc.array(fc.oneof(letter, fc.constantFrom('*', '?')), { maxLength: 6 }).map(parts => parts.join(''))),
      fc.tuple(fc.constantFrom('fuzzy0', 'fuzzy1', 'fuzzy2'), word))
    fc.assert(fc.property(any, fc.uniqueArray(word, { maxLength: 60 }), ([type, pattern], terms) => {
      const ordered = terms.sort(compare)
      const fresh = ordered.filter(term => matcher(type, pattern).accepts(term))
      const { prefix, accepts, next } = bound(matcher(type, pattern))
      assert.ok(fresh.every(term => term.startsWith(prefix)))
      const found = []
      for (let from = next(prefix); from !== undefined;) {
        const at = ordered.find(term => compare(term, from) >= 0)
        if (at === undefined) break
        if (accepts(at)) found.push(at)
        from = next(`${at}\0`)
      }
      assert.deepStrictEqual(found, fresh)
    }), { numRuns: 400 })
  })
})

/** @param {import('../..').TermMatcher} of */
function bound (of) { return { prefix: of.prefix, accepts: term => of.accepts(term), next: term => of.next(term) } }

describe('hostile patterns', () => {
  const long = 'ab'.repeat(2000)

  it('take bounded time and memory, or are refused', () => {
    for (const pattern of ['(a|b)*a(a|b){200}', '(a?){1000}', '((a{0,1000}){0,1000}){0,1000}', '.*a.{1000}', '(a*)*b', '(a|a)*b', '(.*a){500}', '~((a|b)*a(a|b){30})', '(.*a.*&.*b.*&.*c.*)+',
      `${'('.repeat(190)}a${')*'.repeat(190)}`, '(a{1,1000}b{1,1000}){1,1000}c', `${'a?'.repeat(250)}${'a'.repeat(250)}`, '[ab]'.repeat(250), `<1-${'9'.repeat(100)}>`]) {
      const spent = process.cpuUsage()
      try {
        const ours = matcher('regexp', pattern)
        for (const term of [long, 'a'.repeat(255), 'b'.repeat(255), '1'.repeat(99)]) for (let more = 0; more < 20; more++) ours.accepts(term + more)
      } catch (error) { assert.strictEqual(error.code, 'BAD_REQUEST', error.stack) }
      const { user } = process.cpuUsage(spent)
      assert.ok(user < 5e6, `${pattern}: ${user} µs`)
    }
  })

  it('of wildcards and fuzzy ones do as well', () => {
    const spent = process.cpuUsage()
    assert.strictEqual(matcher('wildcard', '*a'.repeat(200)).accepts(`${long}a`), true)
    assert.strictEqual(matcher('wildcard', '*?'.repeat(200)).accepts(long), true)
    assert.strictEqual(matcher('fuzzy2', 'ab'.repeat(400)).accepts(long), false)
    assert.throws(() => matcher('wildcard', '*a'.repeat(400)).accepts(long), /too complex/)
    assert.ok(process.cpuUsage(spent).user < 5e6)
    for (const type of ['wildcard', 'regexp', 'fuzzy2']) assert.throws(() => matcher(type, 'a'.repeat(1001)), { code: 'BAD_REQUEST' })
  })
})
