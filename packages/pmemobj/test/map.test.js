'use strict'

const assert = require('node:assert')
const { Pool, maxKeySize } = require('..')
const { OPTIONS } = require('../lib/map/map-options')
const { temporaryFolder } = require('./temporary-folder')

describe('a map', () => {
  const folder = temporaryFolder()
  let pool
  let map

  beforeEach(() => {
    pool = Pool.open(folder.next())
    map = pool.map('things')
  })

  afterEach(() => pool.close())

  /** Closes and opens: what is read then is what was durable. */
  function reopen () {
    const { path } = pool
    pool.close()
    pool = Pool.open(path, { createIfMissing: false })
    map = pool.map('things')
  }

  it('takes no option that it does not have, names the nearest, and stays as it is', async () => {
    const refused = (call, message) => assert.throws(call, { name: 'TypeError', message })
    map.batch(['put', 'a', '1', 'put', 'b', '2'])
    for (const clear of ['clear', 'clearAsync']) {
      refused(() => map[clear]({ ltt: 'b' }), `map.${clear}() has no option ltt; do you mean lt?`)
      refused(() => map[clear]({ lt: 'b', limitt: 1 }), `map.${clear}() has no option limitt; do you mean limit?`)
      refused(() => map[clear]({ values: false }), /has no option values: its options are gt, gte, lt, lte, snapshot, reverse, limit/)
      for (const wrong of ['a', '', 1, null, ['a'], [], () => {}]) refused(() => map[clear](wrong), `The options of map.${clear}() must be an object`)
    }
    refused(() => map.count({ gtt: 'a' }), 'map.count() has no option gtt; do you mean gt?')
    refused(() => map.iterator({ gtee: 'a' }), 'map.iterator() has no option gtee; do you mean gte?')
    refused(() => map.iterator({ revers: true }), 'map.iterator() has no option revers; do you mean reverse?')
    refused(() => map.iterator({ encoding: 'buffer' }), /^map.iterator\(\) has no option encoding/)
    for (const read of ['get', 'getMany']) refused(() => map[read](read === 'get' ? 'a' : ['a'], { snapshott: 1 }), `map.${read}() has no option snapshott; do you mean snapshot?`)
    refused(() => map.has('a', { encoding: 'utf8' }), 'map.has() has no option encoding: its options are snapshot')
    refused(() => map.hasMany(['a'], { snapshott: 1 }), 'map.hasMany() has no option snapshott; do you mean snapshot?')
    for (const wrong of ['b', 7]) {
      for (const read of [() => map.count(wrong), () => map.iterator(wrong), () => map.get('a', wrong)]) refused(read, /^The options of map\.\w+\(\) must be an object$/)
    }
    assert.deepStrictEqual(map.iterator().nextv(9), ['a', '1', 'b', '2'])
  })

  it('takes each option that a method has, and any that is undefined', () => {
    const values = { encoding: 'utf8', keyEncoding: 'utf8', valueEncoding: 'utf8', keys: true, values: true, limit: 9, reverse: false, gt: 'a', gte: 'a', lt: 'c', lte: 'c' }
    const calls = {
      'map.get()': options => map.get('a', options),
      'map.getMany()': options => map.getMany(['a'], options),
      'map.has()': options => map.has('a', options),
      'map.hasMany()': options => map.hasMany(['a'], options),
      'map.count()': options => map.count(options),
      'map.iterator()': options => map.iterator(options),
      'map.clear()': options => map.clear(options),
      'map.clearAsync()': options => map.clearAsync(options)
    }
    assert.deepStrictEqual(Object.keys(OPTIONS).sort(), Object.keys(calls).sort())
    for (const [method, names] of Object.entries(OPTIONS)) {
      const snapshot = pool.snapshot()
      for (const name of names) calls[method]({ [name]: name === 'snapshot' ? snapshot : values[name] })
      calls[method]({ other: undefined })
      calls[method](undefined)
      snapshot.close()
    }
  })

  const texts = {
    'an empty string': '',
    'ASCII text': 'hello',
    'text with NUL': 'a\0b\0',
    'text of one-byte code units': 'Grüße, ÿ',
    'text beyond the BMP': '𝒳 and 😀',
    'a long text': 'long, '.repeat(5000),
    'a text of several MiB': 'ü𝒳a'.repeat(2 ** 20)
  }

  for (const [name, text] of Object.entries(texts)) {
    it(`keeps ${name} as a value`, () => {
      map.put('key', text)
      reopen()
      assert.strictEqual(map.get('key'), text)
      assert.deepStrictEqual(map.get('key', { encoding: 'buffer' }), Buffer.from(text))
      assert.deepStrictEqual(map.iterator().nextv(9), ['key', text])
    })

    if (Buffer.byteLength(text) <= maxKeySize) {
      it(`keeps ${name} as a key`, () => {
        map.put(text, 'value')
        reopen()
        assert.strictEqual(map.get(text), 'value')
        assert.strictEqual(map.get(Buffer.from(text)), 'value')
        assert.deepStrictEqual(map.iterator().nextv(9), [text, 'value'])
        assert.deepStrictEqual(map.iterator({ keyEncoding: 'buffer', values: false }).nextv(9), [Buffer.from(text)])
        map.del(text)
        assert.strictEqual(map.has(text), false)
      })
    }
  }

  for (const count of [1, 3999, 4000, 4001, 9000]) {
    it(`writes a batch of ${count} at once, puts and deletions`, async () => {
      const keys = Array.from({ length: count }, (_, i) => `key ${String(i).padStart(5, '0')}`)
      map.batch(keys.flatMap(key => ['put', key, `first of ${key}`]))
      await map.batchAsync(keys.flatMap((key, i) => i % 2 === 0 ? ['put', key, `second of ${key}`] : ['del', key, undefined]))
      reopen()
      const left = keys.filter((_, i) => i % 2 === 0)
      assert.deepStrictEqual(map.iterator().nextv(count + 1), left.flatMap(key => [key, `second of ${key}`]))
    })
  }

  it('keeps bytes of all lengths', () => {
    const lengths = [0, 1, 63, 64, 65, 4095, 4096, 4097, 70_000, 5 * 2 ** 20]
    for (const length of lengths) map.put(`${length}`, Buffer.alloc(length, length % 251))
    reopen()
    for (const length of lengths) {
      const expected = Buffer.alloc(length, length % 251)
      const buffer = map.get(`${length}`, { encoding: 'buffer' })
      assert.ok(Buffer.isBuffer(buffer) && buffer.equals(expected), `${length} bytes`)
      const view = map.get(`${length}`, { encoding: 'view' })
      assert.strictEqual(Object.getPrototypeOf(view), Uint8Array.prototype)
      assert.ok(expected.equals(view))
    }
  })

  it('gives values that later reads and writes leave alone', () => {
    for (let i = 0; i < 1000; i++) map.put(`${i}`, Buffer.alloc(300, i % 256))
    const values = []
    for (let i = 0; i < 1000; i++) values.push(map.get(`${i}`, { encoding: i % 2 === 0 ? 'buffer' : 'view' }))
    map.clear()
    values.forEach((value, i) => assert.ok(value.length === 300 && value.every(byte => byte === i % 256)))
  })

  it('takes buffers, views, parts of them, and shared memory', () => {
    const whole = new Uint8Array([1, 2, 3, 4, 5])
    const shared = new Uint8Array(new SharedArrayBuffer(10_000)).fill(7)
    map.put(whole.subarray(1, 3), Buffer.from(whole).subarray(2))
    map.put('shared', shared)
    assert.deepStrictEqual(map.get(Buffer.from([2, 3]), { encoding: 'view' }), new Uint8Array([3, 4, 5]))
    assert.ok(map.get('shared', { encoding: 'buffer' }).equals(Buffer.alloc(10_000, 7)))
  })

  it('puts U+FFFD for a surrogate that stands alone', () => {
    map.put('a\ud800', 'b\udc00c')
    assert.deepStrictEqual(map.iterator().nextv(9), ['a\ufffd', 'b\ufffdc'])
  })

  it('orders keys by their bytes', () => {
    const keys = ['', '\0', 'a', 'a\0', 'aa', 'b', '\u007f', '\u0080', '\uffff', '\u{10000}']
    for (const key of keys.toReversed()) map.put(key, '')
    assert.deepStrictEqual(map.iterator({ values: false }).nextv(99), keys)
    assert.deepStrictEqual(map.iterator({ values: false, reverse: true }).nextv(99), keys.toReversed())
  })

  it('takes keys of up to 32 KiB', () => {
    const longest = Buffer.alloc(maxKeySize, 'k')
    const key = n => Buffer.concat([longest.subarray(0, maxKeySize - 2), Buffer.from([n >> 8, n & 255])])
    for (let n = 0; n < 50; n++) map.put(key(n), `${n}`)
    assert.strictEqual(maxKeySize, 32768)
    assert.throws(() => map.put(Buffer.alloc(maxKeySize + 1), ''), { code: 'PMEMOBJ_INVALID' })
    assert.throws(() => map.batch(['put', 'a', 'b', 'put', 'x'.repeat(maxKeySize + 1), '']), { code: 'PMEMOBJ_INVALID' })
    assert.strictEqual(map.has('a'), false)
    reopen()
    for (let n = 0; n < 50; n++) assert.strictEqual(map.get(key(n)), `${n}`)
    map.clear({ gt: key(10), lte: key(48) })
    map.clear({ gte: Buffer.concat([key(49), Buffer.from('and more')]) })
    map.clear({ lt: Buffer.concat([key(0).subarray(0, -1), Buffer.from([255, 255])]), gt: Buffer.alloc(maxKeySize, 255) })
    assert.deepStrictEqual(map.iterator({ keys: false, gt: longest.subarray(0, 100) }).nextv(99), [...Array(11).keys(), 49].map(String))
  })

  it('finds no key that is too long to be there', () => {
    const key = 'x'.repeat(maxKeySize + 1)
    assert.strictEqual(map.has(key), false)
    assert.strictEqual(map.get(key), undefined)
    assert.deepStrictEqual(map.iterator({ gte: key }).nextv(1), [])
  })

  it('replaces and deletes', () => {
    map.put('a', '1')
    map.put('a', 'another, longer one')
    map.put('b', '2')
    assert.strictEqual(map.get('a'), 'another, longer one')
    map.del('a')
    map.del('never there')
    reopen()
    assert.strictEqual(map.get('a'), undefined)
    assert.strictEqual(map.get('a', { encoding: 'buffer' }), undefined)
    assert.deepStrictEqual(map.iterator().nextv(9), ['b', '2'])
  })

  it('reads many at once', () => {
    map.batch(['put', 'a', '1', 'put', 'b', '', 'put', 'c', 'ü'])
    const keys = ['c', 'x', Buffer.from('b'), 'a']
    assert.deepStrictEqual(map.getMany(keys), ['ü', undefined, '', '1'])
    assert.deepStrictEqual(map.getMany(keys, { encoding: 'buffer' }), [Buffer.from('ü'), undefined, Buffer.alloc(0), Buffer.from('1')])
    assert.deepStrictEqual(map.getMany(keys, { encoding: 'view' })[0], new Uint8Array(Buffer.from('ü')))
    assert.deepStrictEqual(map.hasMany(keys), [true, false, true, true])
    assert.deepStrictEqual(map.getMany([]), [])
    assert.deepStrictEqual(map.getMany([], { encoding: 'view' }), [])
  })

  it('writes a batch whole or not at all', () => {
    map.put('b', 'old')
    map.batch(['put', 'a', '1', 'del', 'b', undefined, 'put', 'c', '3', 'put', 'c', 'the later one wins', 'del', 'a', 'ignored'])
    assert.deepStrictEqual(map.iterator().nextv(9), ['c', 'the later one wins'])
    assert.throws(() => map.batch(['put', 'd', '4', 'put', 'e', 5]), TypeError)
    assert.throws(() => map.batch(['put', 'd', '4', 'put', 'e']), TypeError)
    assert.throws(() => map.batch(['put', 'd', '4', 'insert', 'e', '5']), TypeError)
    assert.throws(() => map.batch(['put', 'd', '4', 'put', 'e', undefined]), TypeError)
    assert.deepStrictEqual(map.iterator().nextv(9), ['c', 'the later one wins'])
    map.batch([])
  })

  it('writes big batches', () => {
    const operations = []
    for (let i = 0; i < 20_000; i++) operations.push('put', `key ${i}`, `value ${i}`)
    map.batch(operations)
    reopen()
    for (let i = 0; i < 20_000; i += 7) assert.strictEqual(map.get(`key ${i}`), `value ${i}`)
  })

  it('clears all, a range, or some from either end', () => {
    const keys = () => map.iterator({ values: false }).nextv(99).join('')
    const fill = () => map.batch([...'abcdefgh'].flatMap(key => ['put', key, key]))
    const cases = [
      [{}, ''], [undefined, ''], [{ gt: 'b' }, 'ab'], [{ gte: 'b' }, 'a'], [{ lt: 'c' }, 'cdefgh'], [{ lte: 'c' }, 'defgh'],
      [{ gt: 'b', lt: 'd' }, 'abdefgh'], [{ gte: 'b', lte: 'd' }, 'aefgh'], [{ gt: 'd', lt: 'd' }, 'abcdefgh'],
      [{ gt: 'e', lt: 'b' }, 'abcdefgh'], [{ lt: '' }, 'abcdefgh'], [{ gte: '' }, ''], [{ limit: 2 }, 'cdefgh'],
      [{ limit: 2, reverse: true }, 'abcdef'], [{ gt: 'b', lt: 'g', limit: 2 }, 'abefgh'],
      [{ gt: 'b', lt: 'g', limit: 2, reverse: true }, 'abcdgh'], [{ limit: 0 }, 'abcdefgh'], [{ limit: -1 }, '']
    ]
    for (const [options, left] of cases) {
      fill()
      map.clear(options)
      assert.strictEqual(keys(), left, JSON.stringify(options))
    }
    fill()
    const snapshot = pool.snapshot()
    map.put('bb', '')
    map.clear({ lt: 'e', snapshot })
    assert.strictEqual(keys(), 'bbefgh')
  })

  it('refuses arguments of other types', () => {
    for (const wrong of [undefined, null, 1, true, {}, [], Symbol('key'), 1n, new ArrayBuffer(3), new Uint16Array(3), new DataView(new ArrayBuffer(3))]) {
      const calls = [
        () => map.get(wrong), () => map.has(wrong), () => map.put(wrong, ''), () => map.put('a', wrong), () => map.del(wrong),
        () => map.getMany([wrong]), () => map.batch(['put', wrong, '']), () => map.batch(['put', 'a', wrong]),
        () => map.iterator().seek(wrong)
      ]
      for (const call of calls) assert.throws(call, TypeError, `${String(call)} with ${String(wrong)}`)
    }
    for (const wrong of [undefined, null, 1, 'ab', {}, new Set(), ['a'], new Proxy([], {})]) {
      if (!Array.isArray(wrong) || wrong.length > 0) assert.throws(() => map.batch(wrong), TypeError)
      if (!Array.isArray(wrong)) assert.throws(() => map.getMany(wrong), TypeError)
    }
    for (const options of [{ encoding: 'json' }, { encoding: 3 }, { snapshot: {} }, { snapshot: null }, { snapshot: 1 }]) {
      assert.throws(() => map.get('a', options), TypeError)
    }
    const bad = [{ limit: 1.5 }, { limit: 'x' }, { limit: -2 }, { gt: 1 }, { lte: {} }, { gte: null }, { keyEncoding: 'hex' },
      { valueEncoding: 'json' }, { keys: false, values: false }, { snapshot: map }]
    for (const options of bad) assert.throws(() => map.iterator(options), TypeError, JSON.stringify(options))
    for (const count of [0, -1, 1.5, NaN, '3', undefined, Infinity]) assert.throws(() => map.iterator().nextv(count), TypeError)
  })

  it('lives on when an element of the keys closes the pool', () => {
    const keys = ['a', 'b', 'c']
    Object.defineProperty(keys, 1, { get () { pool.close(); return 'b' } })
    assert.throws(() => map.getMany(keys), { code: 'PMEMOBJ_CLOSED' })
  })

  it('takes a view whose memory is gone as empty', () => {
    const bytes = new Uint8Array(10)
    structuredClone(bytes, { transfer: [bytes.buffer] })
    map.put('gone', bytes)
    assert.strictEqual(map.get('gone'), '')
  })
})
