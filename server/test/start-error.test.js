'use strict'

const assert = require('node:assert/strict')
const { nameOf } = require('../lib/commands/storage-option')
const { startError } = require('../lib/commands/start-error')

describe('the error of a start', () => {
  it('names a PostgreSQL without its password', () => {
    assert.equal(nameOf('postgres://anna:p@ss@db:5433/potoroo?password=x'), 'postgres://anna@db:5433/potoroo')
    assert.equal(nameOf('postgresql://a,b/potoroo'), 'postgresql://a,b/potoroo')
  })

  const wordsFor = (message, cause) => startError(Object.assign(new Error(message, { cause: new Error(cause) }), { code: 'STORAGE_UNAVAILABLE' }), { data: '/data' }).message

  it('names the cause once', () => {
    assert.equal(wordsFor('No pool', 'it is damaged'), 'cannot open /data: No pool (it is damaged)')
    assert.equal(wordsFor('No pool: it is damaged', 'it is damaged'), 'cannot open /data: No pool: it is damaged')
  })
})
