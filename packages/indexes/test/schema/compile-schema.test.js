'use strict'

const assert = require('node:assert/strict')
const Ajv = require('ajv/dist/2020')
const fc = require('fast-check')
const { compileSchema } = require('../../lib/schema/compile-schema')

const told = (schema, value) => compileSchema(schema)(value, true).map(({ path, words }) => `${path} ${words}`)

describe('a schema', () => {
  it('tells all paths that fail, as JSON pointers', () => {
    const schema = {
      required: ['a'],
      properties: { list: { items: { $ref: '#/$defs/n' } }, 'x/y~z': { const: 1 } },
      additionalProperties: false,
      $defs: { n: { type: ['integer', 'null'], maximum: 5 } }
    }
    assert.deepEqual(told(schema, { list: [1, 'x', 9], 'x/y~z': 2, b: 1 }),
      ['/a is missing', '/list/1 must be integer or null', '/list/2 must be at most 5', '/x~1y~0z must be 1', '/b is not allowed'])
    assert.deepEqual(told({ anyOf: [{ type: 'string' }, { required: ['a'] }] }, {}), [' must fit one of several schemas'])
    assert.equal(told({ items: false }, Array(1000).fill(1)).length, 20)
  })

  it('does not see the members of a document that begin with an underscore', () => {
    const schema = { additionalProperties: false, properties: { _id: false, a: { additionalProperties: false } }, maxProperties: 1, unevaluatedProperties: false }
    assert.deepEqual(told(schema, { _id: 'x', _rev: '1-a', a: {} }), [])
    assert.deepEqual(told(schema, { _id: 'x', a: { _b: 1 } }), ['/a/_b is not allowed'])
    assert.deepEqual(told({ required: ['_id'] }, { _id: 'x' }), ['/_id is missing'])
    assert.deepEqual(told({ const: { a: 1 } }, { _id: 'x', a: 1 }), [])
    assert.deepEqual(compileSchema({ additionalProperties: false })({ _id: 'x' }).length, 1)
  })

  it('compares decimal numbers as they are written', () => {
    assert.deepEqual(told({ multipleOf: 0.01 }, 19.99), [])
    assert.deepEqual(told({ multipleOf: 0.1 }, 0.35), [' must be a multiple of 0.1'])
    assert.deepEqual(told({ multipleOf: 1e-300 }, 1.5e300), [])
  })

  it('is not code, whatever stands in it', () => {
    const evil = '"]; process.exit(1); //`$' + '{process.exit(1)}\n'
    const schema = { $comment: evil, title: evil, [evil]: evil, properties: { [evil]: { const: evil } }, required: [evil], dependentRequired: { [evil]: [evil] }, $defs: { [evil]: true } }
    assert.deepEqual(told(schema, { [evil]: evil }), [])
    assert.throws(() => compileSchema({ $ref: evil }), { error: 'invalid_schema' })
    assert.throws(() => compileSchema({ pattern: `(${evil}` }), { error: 'invalid_schema' })
  })

  const refused = (name, schema, reason) => it(`is refused: ${name}`, () => assert.throws(() => compileSchema(schema), { status: 400, error: 'invalid_schema', reason }))

  refused('too long', { $comment: 'x'.repeat(300_000) }, /at most 262144 characters/)
  refused('too many schemas', { anyOf: Array.from({ length: 10_001 }, () => ({})) }, /more than 10000 schemas/)
  refused('too deep', JSON.parse(`${'{"not":'.repeat(1000)}{}${'}'.repeat(1000)}`), /nested too deeply/)
  refused('a long expression', { pattern: 'a'.repeat(9000) }, /longer than 8192 characters/)
  refused('an expression of many classes', { pattern: '\\p{L}'.repeat(500) }, /more than 400 classes/)
  refused('a negative number of items', { maxItems: -1 }, /at \/maxItems must be an integer/)
  refused('a reference to nothing', { $ref: '#/$defs/a' }, /which is not in the schema/)
  refused('names that are none', { required: [1] }, /must be a list of names/)

  /** Gives up after a limited number of steps. */
  const bounded = (name, schema, value) => it(`does not take long: ${name}`, () => {
    const failuresOf = compileSchema(schema)
    const before = process.cpuUsage()
    const failures = failuresOf(value)
    const { user, system } = process.cpuUsage(before)
    assert.match(failures[0].words, /takes too many steps to check|takes too long with this document/)
    assert.ok(user + system < 5_000_000, `${(user + system) / 1000} ms`)
  })

  const twice = target => ({ allOf: [target, target] })
  const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`x${i}`, i === 0 ? {} : { allOf: [{ $ref: `#/$defs/x${i - 1}` }, { $ref: `#/$defs/x${i - 1}` }] }]))
  const nested = JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`)
  const chain = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x${i}`, { $ref: `#/$defs/x${i + 1}` }]))
  const members = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i]))

  bounded('references that double', { $ref: '#/$defs/x59', $defs }, 1)
  bounded('a reference to itself', { $ref: '#' }, 1)
  bounded('two references to itself', { allOf: [{ $ref: '#' }, { $ref: '#' }] }, 1)
  bounded('items that double with each level', twice({ items: { $ref: '#' } }), nested)
  bounded('an expression that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)
  bounded('an expression that needs a clock, with many texts', { items: { pattern: '^(a)+$' } }, Array(10_000).fill('a'))
  bounded('an expression of alternatives', { pattern: `${'(a|a)'.repeat(60)}$` }, `${'a'.repeat(60)}b`)
  bounded('names of members, many times', { allOf: Array.from({ length: 1000 }, () => ({ propertyNames: { maxLength: 9 } })) }, members)
  bounded('what was looked at, many times', { unevaluatedProperties: false, allOf: Array.from({ length: 500 }, () => ({ anyOf: [{ additionalProperties: true }] })) }, members)
  bounded('many equal items', { uniqueItems: true }, Array.from({ length: 200_000 }, (_, i) => [i]))
  bounded('long constants', { items: { enum: [Array.from({ length: 30_000 }, (_, i) => i)] } }, Array(100_000).fill([1]))
  bounded('texts of pairs', { items: { maxLength: 5e6 } }, Array(50).fill('é'.repeat(6e6)))

  it('has no stack of its own: a long chain of references is refused or followed', () => {
    try {
      compileSchema({ $ref: '#/$defs/x0', $defs: { ...chain, x5000: true } })(1)
    } catch (error) {
      assert.equal(error.error, 'invalid_schema')
    }
  })

  it('fits what Ajv says that it fits', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const value = fc.letrec(tie => ({
      value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(null, true, 0, 1, 2, 3.5, -1, '', 'a', 'ab', 'é'), fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }))
    })).value
    const size = fc.integer({ min: 0, max: 3 })
    const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string')
    const schema = fc.letrec(tie => ({
      schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), fc.record({ type, minimum: size, maxLength: size, pattern: fc.constantFrom('^a', 'b$') }, { requiredKeys: [] }), fc.record({
        enum: fc.array(value, { minLength: 1, maxLength: 3 }),
        minItems: size,
        uniqueItems: fc.boolean(),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        items: tie('schema'),
        // Ajv lets an empty list contain what is not refused, where there are `prefixItems`.
        contains: fc.record({ type }),
        maxProperties: size,
        required: fc.uniqueArray(name, { maxLength: 2 }),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), tie('schema'), { maxKeys: 1, noNullPrototype: true }),
        additionalProperties: tie('schema'),
        unevaluatedProperties: tie('schema'),
        unevaluatedItems: tie('schema'),
        propertyNames: tie('schema'),
        dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 1 }), { maxKeys: 1, noNullPrototype: true }),
        dependentSchemas: fc.dictionary(name, tie('schema'), { maxKeys: 1, noNullPrototype: true }),
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        not: tie('schema'),
        if: tie('schema'),
        then: tie('schema'),
        else: tie('schema')
      }, { requiredKeys: [] }))
    })).schema
    fc.assert(fc.property(schema, fc.array(value, { minLength: 1, maxLength: 8 }), (schema, values) => {
      const ajv = new Ajv({ strict: false, allErrors: false }).compile(schema)
      const failuresOf = compileSchema(schema)
      for (const each of values) assert.equal(failuresOf(each).length === 0, ajv(each), JSON.stringify(each))
    }), { numRuns: Number(process.env.PROGRAMS ?? 100), seed: process.env.PROGRAMS === undefined ? 20 : undefined })
  })
})
