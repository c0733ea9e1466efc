'use strict'

const assert = require('node:assert')
const { CouchError, createError, table } = require('..')

describe('errors', () => {
  it('carry CouchDB\'s words from the table', () => {
    const error = createError('CONFLICT')
    assert.ok(error instanceof CouchError && error instanceof Error)
    assert.strictEqual(error.code, 'CONFLICT')
    assert.strictEqual(error.status, 409)
    assert.deepStrictEqual(error.toJSON(), { error: 'conflict', reason: 'Document update conflict.' })
  })

  it('take their own reason, document and cause', () => {
    const cause = new Error('below')
    const error = createError('DOC_VALIDATION', { reason: 'Bad special document member: _x', id: 'a', rev: '1-b', cause })
    assert.strictEqual(error.message, 'Bad special document member: _x')
    assert.strictEqual(error.id, 'a')
    assert.strictEqual(error.rev, '1-b')
    assert.strictEqual(error.cause, cause)
    assert.notStrictEqual(table.DOC_VALIDATION.reason, error.reason, 'the table is not changed')
  })

  it('refuse a code that is not in the table', () => {
    assert.throws(() => createError('NO_SUCH_CODE'), TypeError)
  })

  it('have one status each, unless somebody else gives it', () => {
    for (const [code, { status, isGiven = false }] of Object.entries(table)) {
      if (isGiven) assert.strictEqual(createError(code, { status: 418 }).status, 418)
      else assert.throws(() => createError(code, { status: 418 }), { name: 'TypeError', message: `The status of ${code} is ${status}` })
    }
  })

  it('have a status, an error and a reason each', () => {
    for (const [code, entry] of Object.entries(table)) {
      assert.ok(entry.status >= 400 && entry.status < 600, code)
      assert.match(entry.error, /^[a-z0-9_ ]+$/, code)
      assert.ok(entry.reason.length > 0, code)
    }
  })
})
