'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { massageSelector, rowFilter } = require('pouchdb-selector-core')
const { compileFields } = require('../lib/embedded/selector')

const name = fc.constantFrom('a', 'b', 'c')
const field = fc.oneof(name, fc.tuple(name, name).map(names => names.join('.')), fc.constantFrom('a.0', 'b.length', 'a\\.b'))
const scalar = fc.oneof(fc.constantFrom(null, false, true, 0, 1, 2, -1, 0.5, '', 'a', 'b', 'ab'), fc.integer(), fc.string({ maxLength: 2 }))
const { value } = fc.letrec(tie => ({
  value: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalar, fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(name, tie('value'), { maxKeys: 3 }).map(members => ({ ...members })))
}))
const doc = fc.dictionary(fc.oneof(name, fc.constant('a.b')), value, { maxKeys: 4 }).map(members => ({ ...members }))

const { selector, operators } = fc.letrec(tie => ({
  operators: fc.oneof(
    fc.tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), value),
    fc.tuple(fc.constantFrom('$in', '$nin', '$all'), fc.array(value, { maxLength: 3 })),
    fc.tuple(fc.constant('$exists'), fc.boolean()),
    fc.tuple(fc.constant('$type'), fc.constantFrom('null', 'boolean', 'number', 'string', 'array', 'object')),
    fc.tuple(fc.constant('$size'), fc.integer({ min: 0, max: 3 })),
    fc.tuple(fc.constant('$mod'), fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 2 }))),
    fc.tuple(fc.constant('$regex'), fc.constantFrom('a', '^b', '.', 'a$', '(')),
    fc.tuple(fc.constantFrom('$elemMatch', '$allMatch'), fc.oneof(tie('operators'), tie('selector'))),
    fc.tuple(fc.constantFrom('$not', '$beginsWith'), tie('operators'))
  ).chain(([operator, argument]) => fc.oneof(
    { weight: 4, arbitrary: fc.constant({ [operator]: argument }) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('$gt', '$lt', '$ne'), value).map(([other, more]) => ({ [operator]: argument, [other]: more })) }
  )),
  condition: fc.oneof({ maxDepth: 2 }, { weight: 4, arbitrary: tie('operators') }, { weight: 1, arbitrary: value }, { weight: 1, arbitrary: fc.dictionary(name, tie('condition'), { maxKeys: 2 }).map(members => ({ ...members })) }),
  fields: fc.dictionary(field, tie('condition'), { minKeys: 1, maxKeys: 2 }).map(members => ({ ...members })),
  selector: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: tie('fields') },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(tie('selector'), { minLength: 1, maxLength: 2 })).map(([name, list]) => ({ [name]: list })) },
    { weight: 1, arbitrary: tie('selector').map(inner => ({ $not: inner })) }
  )
}))

function outcome (decide) {
  try {
    return Boolean(decide())
  } catch (error) {
    return error.constructor.name
  }
}

/** undefined where it is refused. */
function massage (selector) {
  try {
    return massageSelector(selector)
  } catch {
    return undefined
  }
}

describe('selectors under PouchDB\'s face', function () {
  this.timeout(600_000)

  it('have expressions of JavaScript, with flags, where servers have those of PCRE', () => {
    for (const [$regex, text, found] of [[/^b/im, 'a\nB', true], [/a.b/s, 'a\nb', true], ['o$', 'no\n', false], ['(?<x>a)\\k<x>', 'aa', true]]) {
      const selector = massageSelector({ a: { $regex } })
      assert.strictEqual(compileFields(selector, ['a'])({ a: text }), found, String($regex))
      assert.strictEqual(rowFilter({ a: text }, selector, ['a']), found)
    }
  })

  it('say of a document what pouchdb-selector-core says', () => {
    let matched = 0
    fc.assert(fc.property(selector, fc.array(doc, { minLength: 4, maxLength: 8 }), (raw, docs) => {
      const massaged = massage(raw)
      fc.pre(massaged !== undefined)
      const fields = Object.keys(massaged)
      for (const doc of docs) {
        const expected = outcome(() => rowFilter(doc, massaged, fields))
        assert.strictEqual(outcome(() => compileFields(massaged, fields)(doc)), expected, JSON.stringify([massaged, doc]))
        if (expected === true) matched++
      }
    }), { numRuns: 3000 })
    assert.ok(matched > 300, 'enough documents match')
  })

  it('know all operators', () => {
    fc.assert(fc.property(operators, value, (argument, value) => {
      const massaged = massage({ a: argument })
      fc.pre(massaged !== undefined)
      const doc = { a: value }
      assert.strictEqual(outcome(() => compileFields(massaged, ['a'])(doc)), outcome(() => rowFilter(doc, massaged, ['a'])), JSON.stringify([massaged, doc]))
    }), { numRuns: 3000 })
  })
})
