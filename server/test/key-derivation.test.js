'use strict'

const assert = require('node:assert/strict')
const { KeyDerivation } = require('../lib/users/key-derivation')

const what = password => ({ password, salt: 's', iterations: 1, bytes: 32, digest: 'sha256' })

describe('key derivation', () => {
  it('lets clients take turns, so that a flood of one delays no other', async () => {
    const derivation = new KeyDerivation({ most: 1 })
    const order = []
    const ask = (client, password) => derivation.derive(client, what(String(password))).then(() => order.push(`${client}${password}`))
    await Promise.all([...Array.from({ length: 20 }, (_, i) => ask('flood', i)), ask('jan', 0), ask('jan', 1)])
    assert.equal(order.length, 22)
    // One runs at once, one is next, then each in turn.
    assert.ok(order.indexOf('jan0') <= 2, order.join(' '))
    assert.ok(order.indexOf('jan1') <= 4, order.join(' '))
  })

  it('refuses what is too much to whoever brings it, and to nobody else', async () => {
    const derivation = new KeyDerivation({ most: 1 })
    const flood = Array.from({ length: 1500 }, (_, i) => derivation.derive('flood', what(String(i))).then(() => 'done', error => error.code))
    const others = Array.from({ length: 20 }, (_, i) => derivation.derive(`client ${i}`, what('x')))
    assert.ok((await Promise.all(others)).every(key => key.length === 32))
    const outcomes = await Promise.all(flood)
    assert.ok(outcomes.filter(outcome => outcome === 'BUSY').length >= 499)
    assert.ok(outcomes.filter(outcome => outcome === 'done').length >= 900)
  })

  it('goes on after one that failed', async () => {
    const derivation = new KeyDerivation({ most: 1 })
    await assert.rejects(derivation.derive('a', { ...what('x'), digest: 'nonsense' }))
    assert.equal((await derivation.derive('a', what('x'))).length, 32)
  })
})
