'use strict'

const assert = require('node:assert/strict')
const { matchesOneTimePassword } = require('../lib/users/one-time-password')

/** "12345678901234567890" of RFC 6238, in base32. */
const key = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('one-time passwords', () => {
  it('are those of RFC 6238', () => {
    for (const [time, token] of [[59, '94287082'], [1111111109, '07081804'], [1234567890, '89005924'], [20000000000, '65353130']]) {
      assert.equal(matchesOneTimePassword({ key, length: 8 }, token, time), true, token)
    }
    const key32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA'
    assert.equal(matchesOneTimePassword({ key: key32, length: 8, algorithm: 'sha256' }, '46119246', 59), true)
  })

  it('have six digits, and are good for the steps beside theirs', () => {
    const time = 1111111109
    for (const [shift, good] of [[0, true], [30, true], [-30, true], [61, false], [-61, false]]) {
      assert.equal(matchesOneTimePassword({ key }, '081804', time + shift), good, String(shift))
    }
    assert.equal(matchesOneTimePassword({ key }, '081805', time), false)
  })

  it('are never right by settings that are none', () => {
    for (const totp of [null, {}, { key: '' }, { key: '1' }, { key, algorithm: 'md5' }, { key, length: 0 }, { key, length: 1e9 }, { key: 1 }]) {
      assert.equal(matchesOneTimePassword(totp, '287082', 59), false, JSON.stringify(totp))
      assert.equal(matchesOneTimePassword(totp, '', 59), false)
    }
  })
})
