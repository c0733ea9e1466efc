'use strict'

const fc = require('fast-check')

const scalar = fc.constantFrom(null, true, false, 0, 1, 2, 3, -1, 1.5, 'a', 'b', 'A', 'ab', 'é', 'zz', '', 'Ab c', 'a\u0301')

const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('x', 'y'), scalar, { maxKeys: 2 }),
  fc.array(fc.dictionary(fc.constantFrom('x', 'y'), scalar, { maxKeys: 2 }), { maxLength: 2 })
)

/** Without `_id`. */
const doc = fc.record({ a: value, b: value, c: value, d: fc.record({ x: value, y: value }, { requiredKeys: [] }) }, { requiredKeys: [] })

const field = fc.constantFrom('a', 'b', 'c', 'd', 'd.x', 'd.y', 'a.0', 'a.x', '_id')

const operators = [
  ...['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'].map(name => value.map(argument => ({ [name]: argument }))),
  ...['$in', '$nin'].map(name => fc.array(scalar, { maxLength: 4 }).map(list => ({ [name]: list }))),
  fc.array(value, { maxLength: 2 }).map(list => ({ $all: list })),
  fc.boolean().map(wanted => ({ $exists: wanted })),
  fc.constantFrom('null', 'boolean', 'number', 'string', 'array', 'object').map(type => ({ $type: type })),
  fc.nat({ max: 3 }).map(size => ({ $size: size })),
  fc.constantFrom([2, 0], [2, 1], [3, -1]).map(argument => ({ $mod: argument })),
  fc.constantFrom('^a', 'b$', '[ab]+', '.').map(pattern => ({ $regex: pattern })),
  fc.constantFrom('a', 'A', '', 'z', 'Ab').map(prefix => ({ $beginsWith: prefix }))
]

const { selector } = fc.letrec(tie => ({
  condition: fc.oneof(
    ...operators,
    value,
    tie('condition').filter(isObject).map(part => ({ $not: part })),
    ...['$elemMatch', '$allMatch', '$keyMapMatch'].map(name => tie('condition').filter(isObject).map(part => ({ [name]: part }))),
    fc.tuple(tie('condition'), tie('condition')).filter(parts => parts.every(isObject)).map(([first, second]) => ({ ...first, ...second })),
    fc.array(tie('condition'), { minLength: 1, maxLength: 3 }).map(parts => ({ $or: parts })),
    tie('selector').map(part => ({ $elemMatch: part }))
  ),
  pair: fc.tuple(field, tie('condition')).map(([name, condition]) => ({ [name]: condition })),
  selector: fc.oneof(
    { weight: 4, arbitrary: tie('pair') },
    { weight: 3, arbitrary: fc.tuple(tie('pair'), tie('pair')).map(([first, second]) => ({ ...first, ...second })) },
    ...['$and', '$or', '$nor'].map(name => fc.array(tie('selector'), { minLength: 1, maxLength: 3 }).map(parts => ({ [name]: parts }))),
    tie('selector').map(part => ({ $not: part }))
  )
}))

function isObject (candidate) { return typeof candidate === 'object' && candidate !== null && !Array.isArray(candidate) }

/** The fields of an index, and what of it is partial. */
const index = fc.record({
  fields: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd.x', 'd.y', 'a.0', '_id'), { minLength: 1, maxLength: 3 }),
  partial: fc.option(fc.constantFrom({ b: { $gt: 0 } }, { a: { $type: 'string' } }, { c: { $exists: true } }), { freq: 4, nil: undefined })
})

module.exports = { doc, field, index, selector, value }
