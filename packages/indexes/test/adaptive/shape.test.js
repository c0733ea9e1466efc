'use strict'

const assert = require('node:assert/strict')
const { isFor, shapesOf } = require('../../lib/adaptive/shape')
const { Conditions } = require('../../lib/mango/plan/conditions')
const { parseFind } = require('../../lib/mango/request/find-request')

function shapes (selector, sort = []) {
  const request = parseFind({ selector, sort })
  return shapesOf(/** @type {any} */ ({ ...request, conditions: new Conditions(request.node) }))
}

const shape = selector => shapes(selector)[0]
const fieldsOf = (selector, sort) => shapes(selector, sort).map(({ fields }) => fields)

describe('the shape of a find', () => {
  for (const [selector, sort, fields] of [
    [{ kind: 'x' }, [], ['kind']],
    [{ kind: 'x', age: 3 }, [], ['age', 'kind']],
    [{ kind: 'x', age: { $gt: 3 } }, [], ['kind', 'age']],
    [{ $and: [{ kind: 'x' }, { age: { $gt: 3 } }] }, [], ['kind', 'age']],
    [{ age: { $gt: 1, $lt: 2 }, size: { $gt: 1 } }, [], ['age']],
    [{ age: { $gt: 1 }, size: { $gt: 1, $lte: 2 } }, [], ['size']],
    [{ age: { $gt: 1 }, name: { $beginsWith: 'a' } }, [], ['name']],
    [{ tag: { $in: [1, 2] }, age: { $gt: 1 } }, [], ['tag', 'age']],
    [{ kind: 'x', tag: { $in: [1, 2] }, age: { $gt: 1 }, name: { $gt: 'a' } }, [], ['kind', 'tag', 'age']],
    [{ rare: { $exists: true } }, [], ['rare']],
    [{ b: { $exists: true }, a: { $exists: true }, name: { $regex: 'x' } }, [], ['a', 'b']],
    [{ rare: { $exists: true }, kind: 'x' }, [], ['kind']],
    [{ kind: 'x', name: { $regex: 'a' } }, [], ['kind']],
    [{ 'a.b': 1, a: { c: 2 } }, [], ['a.b', 'a.c']],
    [{ kind: 'x' }, ['age'], ['kind', 'age']],
    [{ kind: 'x' }, ['kind', 'age'], ['kind', 'age']],
    [{ kind: 'x', size: { $gt: 1 } }, ['age', 'name'], ['kind', 'age', 'name']],
    [{ kind: 'x' }, ['_id'], ['kind']],
    [{ name: { $regex: 'a' } }, ['name'], ['name']],
    [{ a: 1, b: 1, c: 1, d: 1, e: 1 }, [], ['a', 'b', 'c', 'd']]
  ]) {
    it(`${JSON.stringify(selector)} by ${JSON.stringify(sort)} is ${fields.join()}`, () => {
      assert.deepEqual(fieldsOf(selector, sort), [fields])
    })
  }

  for (const [selector, sort] of [
    [{}, []],
    [{ name: { $regex: 'a' } }, []],
    [{ name: { $exists: false } }, []],
    [{ $or: [{ a: 1 }, { b: { $regex: 'x' } }] }, []],
    [{ _id: { $exists: true } }, []],
    [{ $or: [{ a: 1 }, { _id: 'x' }] }, []],
    [{ $not: { a: 1 } }, []],
    [{ a: { $not: { $eq: 1 } } }, []],
    [{ _id: 'x', a: 1 }, []],
    [{ _id: { $gt: 'x' }, a: 1 }, []],
    [{ _rev: '1-x' }, []],
    [{ a: 1 }, ['b', '_id']],
    [{ ['x'.repeat(2000)]: 1 }, []],
    [{ '\ud800': 1 }, []],
    [Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, 1])), []],
    [{ a: 1, b: 1, c: 1, d: 1 }, ['e']]
  ]) {
    it(`${JSON.stringify(selector).slice(0, 50)} by ${JSON.stringify(sort)} has none`, () => {
      assert.deepEqual(fieldsOf(selector, sort), [])
    })
  }

  it('is one for each branch of an $or', () => {
    assert.deepEqual(fieldsOf({ $or: [{ a: 1 }, { b: { $gt: 1 }, c: 2 }] }), [['a'], ['c', 'b']])
    assert.deepEqual(fieldsOf({ $or: [{ a: 1 }, { a: 2 }] }), [['a']])
    assert.deepEqual(fieldsOf({ c: { $exists: true }, $or: [{ a: 1 }, { b: 1 }] }), [['a'], ['b']])
    assert.deepEqual(fieldsOf({ c: 1, $or: [{ a: 1 }, { b: 1 }] }), [['c']])
    assert.deepEqual(fieldsOf({ c: { $exists: true }, $or: [{ a: 1 }, { b: { $ne: 1 } }] }), [['c']])
  })

  it('is of the fields alone', () => {
    assert.deepEqual(fieldsOf({ age: { $lt: 7 }, kind: 'y' }), fieldsOf({ kind: 'x', age: { $gte: 3, $lt: 4 } }))
  })

  it('tells what an index would have to read', () => {
    const { narrows } = shape({ kind: 'x', age: { $gt: 3, $ne: 6 }, name: { $regex: 'a' } })
    assert.equal(narrows({ kind: 'x', age: 5 }), true)
    assert.equal(narrows({ kind: 'y', age: 5, name: 'a' }), false)
    assert.equal(narrows({ kind: 'x', age: 3 }), false)
    assert.equal(narrows({ kind: 'x' }), false)
  })

  it('is served by an index that has what is equalled in another order', () => {
    const equal = shape({ a: 1, b: 1 })
    assert.equal(isFor(['b', 'a'], equal), true)
    const ranged = shape({ b: 1, c: 1, a: { $gt: 1 } })
    assert.equal(isFor(['c', 'b', 'a'], ranged), true)
    for (const fields of [['a', 'b', 'c'], ['b', 'c'], ['b', 'a', 'c']]) assert.equal(isFor(fields, ranged), false)
  })
})
