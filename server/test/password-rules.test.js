'use strict'

const assert = require('node:assert/strict')
const { requireStrong } = require('../lib/users/password-rules')

const BASE = 'Password does not conform to requirements.'

function verdict (password, rules) {
  try {
    requireStrong(password, rules)
    return 'ok'
  } catch (error) {
    return `${error.status} ${error.reason}`
  }
}

describe('password_regexp', () => {
  it('lets everything pass where it is empty', () => {
    for (const none of ['', '[]', ' [ ] ']) assert.equal(verdict('x', none), 'ok')
  })

  it('is a list of which all have to match', () => {
    const rules = String.raw`[{".{10,}", "Min length is 10 chars."}, "[A-Z]+", {"[a-z]+"}, "\\d+", {"x", ""}]`
    assert.equal(verdict('short', rules), `400 ${BASE} Min length is 10 chars.`)
    assert.equal(verdict('longenough1x', rules), `400 ${BASE}`)
    assert.equal(verdict('LONGENOUGH1x', rules.replace('"x", ""', '"y", ""')), `400 ${BASE}`)
    assert.equal(verdict('LongEnoughx', rules), `400 ${BASE}`)
    assert.equal(verdict('LongEnough1x', rules), 'ok')
  })

  it('understands Erlang\'s escapes, and flags at the beginning', () => {
    assert.equal(verdict('a"b', String.raw`["a\"b"]`), 'ok')
    assert.equal(verdict('ABC', '["(?i)^abc$"]'), 'ok')
  })

  it('refuses what is too long for expressions that take long', () => {
    assert.equal(verdict('a'.repeat(1e6), '["(.*a){9}x"]'), `400 ${BASE}`)
  })

  it('that cannot be read lets no password be set', () => {
    for (const bad of ['x', '{"a"}', '["a"', '["a" "b"]', '[1]', '[{1, "x"}]', '["("]', '["a"] x', '["a']) {
      assert.equal(verdict('x', bad), '403 Server cannot hash passwords at this time.', bad)
    }
  })
})
