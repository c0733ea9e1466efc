'use strict'

const assert = require('node:assert/strict')
const { TermWriter } = require('..')

/** As Erlang has it: 97 a byte, 98 an integer of 32 bits, 110 a length, a sign and a magnitude. */
function termOf (value) {
  if (value >= 0n && value <= 255n) return Buffer.of(131, 97, Number(value))
  if (value >= -(2n ** 31n) && value < 2n ** 31n) {
    const bytes = Buffer.of(131, 98, 0, 0, 0, 0)
    bytes.writeInt32BE(Number(value), 2)
    return bytes
  }
  const magnitude = []
  for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 8n) magnitude.push(Number(rest & 255n))
  return Buffer.of(131, 110, magnitude.length, value < 0n ? 1 : 0, ...magnitude)
}

describe('The term of a long integer', () => {
  const writer = new TermWriter()

  function written (write) {
    writer.begin(100, 0)
    write()
    return writer.end().toString('hex')
  }

  const expect = value => {
    assert.equal(written(() => writer.json(String(value))), termOf(value).toString('hex'), String(value))
    assert.equal(written(() => writer.json(`[${value},-1.5]`)).slice(12, -20), termOf(value).toString('hex').slice(2), `${value} in a list`)
  }

  const around = size => {
    for (let more = -2n; more <= 2n; more++) for (const sign of [1n, -1n]) expect(sign * (size + more))
  }

  it('has the bytes of CouchDB\'s around each power of two', () => {
    for (let bits = 8n; bits <= 96n; bits++) around(2n ** bits)
  })

  it('has the bytes of CouchDB\'s around each power of ten', () => {
    for (let digits = 3n; digits <= 40n; digits++) around(10n ** digits)
  })

  it('has the bytes of CouchDB\'s where it is a number', () => {
    for (const value of [2 ** 32, 2 ** 40 + 1, 2 ** 53, 2 ** 63, 2 ** 64, 2 ** 70, -(2 ** 31) - 1, -(2 ** 64)]) {
      assert.equal(written(() => writer.integer(value)), termOf(BigInt(value)).toString('hex'), String(value))
    }
  })

  it('is not that of a float of as many digits', () => {
    for (const text of ['12345678901234567890.5', '12345678901234567890e1', '-1234567890123456.25', '1234567890123456E-2']) {
      const expected = Buffer.alloc(10, 131)
      expected[1] = 70
      expected.writeDoubleBE(Number(text), 2)
      assert.equal(written(() => writer.json(text)), expected.toString('hex'), text)
    }
  })
})
