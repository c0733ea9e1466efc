'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { compileSchema } = require('../../lib/schema/compile-schema')

// JSON Schema's own suite for 2020-12: json-schema-org/JSON-Schema-Test-Suite at 44401e0c, without what needs other documents.
const FOLDER = path.join(__dirname, 'suite')

/** Cases that refer to documents elsewhere, which are refused. */
const ELSEWHERE = /^(?:https:\/\/json-schema\.org\/draft\/2020-12\/schema|tree\.json|extendible-dynamic-ref\.json|http:\/\/localhost:1234\/draft2020-12\/detached)/

/** The references that a schema makes. */
function references (schema) {
  if (typeof schema !== 'object' || schema === null) return []
  const own = typeof schema.$ref === 'string' ? [schema.$ref] : []
  return [...own, ...Object.values(schema).flatMap(references)]
}

describe("JSON Schema's test suite", () => {
  let refused = 0

  for (const file of fs.readdirSync(FOLDER).filter(name => name.endsWith('.json'))) {
    it(file, () => {
      for (const { description, schema, tests } of JSON.parse(fs.readFileSync(path.join(FOLDER, file), 'utf8'))) {
        if (references(schema).some(reference => ELSEWHERE.test(reference))) {
          assert.throws(() => compileSchema(schema), { error: 'invalid_schema', reason: /which is not in the schema$/ }, description)
          refused++
          continue
        }
        const failuresOf = compileSchema(schema)
        for (const test of tests) {
          const failures = failuresOf(test.data)
          assert.equal(failures.length === 0, test.valid, `${description}: ${test.description}: ${JSON.stringify(failures)}`)
        }
      }
    })
  }

  it('is refused where it refers to other documents', () => {
    assert.equal(refused, 7)
  })
})
