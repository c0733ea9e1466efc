'use strict'

const assert = require('node:assert/strict')
const { startError } = require('../lib/commands/start-error')

describe('the error of a start', () => {
  const wordsFor = (message, cause) => startError(Object.assign(new Error(message, { cause: new Error(cause) }), { code: 'STORAGE_UNAVAILABLE' }), { data: '/data' }).message

  it('names the cause once', () => {
    assert.equal(wordsFor('No pool', 'it is damaged'), 'cannot open /data: No pool (it is damaged)')
    assert.equal(wordsFor('No pool: it is damaged', 'it is damaged'), 'cannot open /data: No pool: it is damaged')
  })
})
