'use strict'

const assert = require('node:assert')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

const MIB = 2 ** 20

const strings = {
  empty: '',
  'of one character': 'a',
  'of ASCII': 'The quick brown fox jumps over the lazy dog',
  'of Latin-1': 'Größe ÿ \x80\xff',
  'of the Basic Multilingual Plane': '日本語 ελληνικά',
  astral: '🦘👩‍👩‍👧‍👦𝒳',
  'with NULs': '\0a\0\0b\0',
  'with control characters': '\n\r\t\x1b\x7f\u2028\u2029\ufeff',
  'with half a character at the end': 'a\ud83e',
  'with half a character at the beginning': '\udd98a',
  'of halves in the wrong order': '\udd98\ud83e',
  'of all halves': String.fromCharCode(...Array.from({ length: 2048 }, (_, index) => 0xd800 + index).reverse()),
  'of all Latin-1': String.fromCharCode(...Array(256).keys()),
  'like a number': '4294967295',
  'like names of the language': '__proto__'
}

// Lengths at which the encoding may change: 1 and 2 bytes for a length, short and long strings, chunks of memory.
const lengths = [1, 31, 32, 63, 64, 127, 128, 255, 256, 257, 511, 512, 1023, 1024, 4095, 4096, 65_534, 65_535, 65_536, 70_000]

describe('strings', () => {
  const pools = temporaryPools()

  for (const [kind, string] of Object.entries(strings)) {
    it(`${kind} are what they were, as values, elements and names`, () => {
      const make = () => ({ string, list: [string, string], inner: { [string]: string } })
      const pool = pools.create(make())
      assertAlike(pool.root, make())
      assertAlike(pools.reopen(pool).root, make())
    })
  }

  it('of any length, of one byte a character and of two', () => {
    const pool = pools.create({})
    const plain = {}
    for (const length of lengths) {
      plain[`narrow${length}`] = pool.root[`narrow${length}`] = 'é'.repeat(length)
      plain[`wide${length}`] = pool.root[`wide${length}`] = 'x'.repeat(length - 1) + '日'
    }
    assertAlike(pool.root, plain)
    assertAlike(pools.reopen(pool).root, plain)
  })

  it('as names of any length', () => {
    const plain = {}
    for (const length of lengths) plain['é'.repeat(length - 1) + '日'] = length
    const pool = pools.create({})
    for (const [name, value] of Object.entries(plain)) pool.root[name] = value
    assertAlike(pool.root, plain)
    assertAlike(pools.reopen(pool).root, plain)
  })

  it('of 10 MiB', () => {
    const narrow = 'potoroo!'.repeat(10 * MIB / 8)
    const wide = 'ポ'.repeat(5 * MIB)
    let pool = pools.create({ narrow, wide, list: [narrow] })
    assert.ok(pool.root.narrow === narrow && pool.root.wide === wide)
    pool = pools.reopen(pool)
    assert.ok(pool.root.narrow === narrow && pool.root.wide === wide && pool.root.list[0] === narrow)
    pool.root.narrow += '?'
    pool.root.list[0] = wide
    const { root } = pools.reopen(pool)
    assert.ok(root.narrow === narrow + '?' && root.list[0] === wide && root.wide === wide)
  })

  it('long ones are replaced, deleted and moved', () => {
    const long = letter => letter.repeat(1000)
    let pool = pools.create({ a: long('a'), b: long('b'), list: [long('c'), long('d'), long('e')] })
    pool.root.a = long('A')
    pool.root.b = 'short'
    pool.root.list.shift()
    pool.root.list.reverse()
    pool.root.copy = pool.root.a
    pool = pools.reopen(pool)
    assertAlike(pool.root, { a: long('A'), b: 'short', list: [long('e'), long('d')], copy: long('A') })
    delete pool.root.a
    pool.root.list.length = 1
    assertAlike(pools.reopen(pool).root, { b: 'short', list: [long('e')], copy: long('A') })
  })

  it('long ones are as they were when a transaction throws', () => {
    const make = () => ({ a: 'a'.repeat(5000), list: ['b'.repeat(5000)] })
    const pool = pools.create(make())
    assert.throws(() => pool.transaction(() => {
      pool.root.a = 'A'.repeat(6000)
      pool.root.list[0] = 'short'
      pool.root.list.push('c'.repeat(5000))
      delete pool.root.a
      throw new RangeError('no')
    }), RangeError)
    assertAlike(pool.root, make())
    assertAlike(pools.reopen(pool).root, make())
  })

  it('that grow by a character at a time', () => {
    const pool = pools.create({ text: '' })
    let plain = ''
    for (let i = 0; i < 600; i++) {
      const character = i % 100 === 50 ? '日' : 'x'
      plain += character
      pool.root.text += character
    }
    assert.strictEqual(pool.root.text, plain)
    assert.strictEqual(pools.reopen(pool).root.text, plain)
  })
})
