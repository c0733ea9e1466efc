'use strict'

const assert = require('node:assert')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')

describe('an iterator', () => {
  const folder = temporaryFolder()
  const letters = [...'bcdefghi']
  let pool
  let map

  before(() => {
    pool = Pool.open(folder.next())
    map = pool.map('letters')
    pool.map('lesser').put('zz', 'of another map')
    map.batch(letters.flatMap(key => ['put', key, key.toUpperCase()]))
    pool.map('more').put('a', 'of another map')
  })

  after(() => pool.close())

  const keys = options => map.iterator({ ...options, values: false }).nextv(99).join('')

  /** The same range, the slow way. */
  function expected ({ gt, gte, lt, lte, reverse, limit = -1 }) {
    const found = letters.filter(key =>
      (gte !== undefined ? key >= gte : gt === undefined || key > gt) && (lte !== undefined ? key <= lte : lt === undefined || key < lt))
    if (reverse) found.reverse()
    return found.slice(0, limit === -1 ? undefined : limit).join('')
  }

  it('walks every range, both ways', () => {
    const bounds = [undefined, '', 'a', 'b', 'd', 'dd', 'i', 'z']
    let ranges = 0
    for (const low of bounds) {
      for (const high of bounds) {
        for (const [below, above] of [['gt', 'lt'], ['gt', 'lte'], ['gte', 'lt'], ['gte', 'lte']]) {
          for (const reverse of [false, true]) {
            for (const limit of [-1, 0, 1, 3]) {
              const options = { [below]: low, [above]: high, reverse, limit }
              assert.strictEqual(keys(options), expected(options), JSON.stringify(options))
              ranges++
            }
          }
        }
      }
    }
    assert.strictEqual(ranges, 8 * 8 * 4 * 2 * 4)
  })

  it('takes the inclusive bound where both are given', () => {
    assert.strictEqual(keys({ gt: 'f', gte: 'd' }), 'defghi')
    assert.strictEqual(keys({ lt: 'd', lte: 'f' }), 'bcdef')
  })

  it('takes bounds as bytes', () => {
    assert.strictEqual(keys({ gt: Buffer.from('c'), lte: new Uint8Array(Buffer.from('f')) }), 'def')
  })

  it('gives keys, values, or both, in pages', () => {
    assert.deepStrictEqual(map.iterator({ limit: 2 }).nextv(9), ['b', 'B', 'c', 'C'])
    assert.deepStrictEqual(map.iterator({ limit: 2, keys: false }).nextv(9), ['B', 'C'])
    const iterator = map.iterator({ gte: 'd' })
    assert.deepStrictEqual(iterator.nextv(1), ['d', 'D'])
    assert.deepStrictEqual(iterator.nextv(2), ['e', 'E', 'f', 'F'])
    assert.deepStrictEqual(iterator.nextv(9), ['g', 'G', 'h', 'H', 'i', 'I'])
    assert.deepStrictEqual(iterator.nextv(9), [])
    assert.deepStrictEqual(iterator.nextv(9), [])
    iterator.close()
  })

  it('gives every pair of encodings', () => {
    const cast = { utf8: text => text, buffer: text => Buffer.from(text), view: text => new Uint8Array(Buffer.from(text)) }
    for (const keyEncoding of Object.keys(cast)) {
      for (const valueEncoding of Object.keys(cast)) {
        const iterator = map.iterator({ keyEncoding, valueEncoding, lte: 'c' })
        const [key, value] = [cast[keyEncoding], cast[valueEncoding]]
        assert.deepStrictEqual(iterator.nextv(9), [key('b'), value('B'), key('c'), value('C')])
        assert.deepStrictEqual(iterator.nextv(9), [])
        assert.deepStrictEqual(map.iterator({ keyEncoding, values: false, lte: 'b' }).nextv(9), [key('b')])
        assert.deepStrictEqual(map.iterator({ valueEncoding, keys: false, lte: 'b' }).nextv(9), [value('B')])
      }
    }
  })

  it('seeks, within its range', () => {
    const iterator = map.iterator({ gt: 'b', lte: 'g', values: false })
    iterator.seek('e')
    assert.deepStrictEqual(iterator.nextv(2), ['e', 'f'])
    iterator.seek('cc')
    assert.deepStrictEqual(iterator.nextv(1), ['d'])
    for (const outside of ['b', 'a', '', 'h', 'gg']) {
      iterator.seek(outside)
      assert.deepStrictEqual(iterator.nextv(9), [], outside)
    }
    iterator.seek(Buffer.from('g'))
    assert.deepStrictEqual(iterator.nextv(9), ['g'])
    iterator.close()
  })

  it('seeks backwards', () => {
    const iterator = map.iterator({ gt: 'b', lte: 'g', values: false, reverse: true })
    iterator.seek('ee')
    assert.deepStrictEqual(iterator.nextv(2), ['e', 'd'])
    iterator.seek('g')
    assert.deepStrictEqual(iterator.nextv(9), [...'gfedc'])
    iterator.seek('h')
    assert.deepStrictEqual(iterator.nextv(9), [])
    iterator.close()
  })

  it('counts its limit over seeks', () => {
    const iterator = map.iterator({ limit: 3, values: false })
    assert.deepStrictEqual(iterator.nextv(2), ['b', 'c'])
    iterator.seek('b')
    assert.deepStrictEqual(iterator.nextv(2), ['b'])
    iterator.seek('b')
    assert.deepStrictEqual(iterator.nextv(2), [])
  })

  it('does not see writes that come after it', () => {
    const own = pool.map('own')
    own.put('a', '1')
    const iterator = own.iterator()
    own.put('b', '2')
    own.put('a', 'changed')
    assert.deepStrictEqual(iterator.nextv(9), ['a', '1'])
    iterator.close()
    assert.deepStrictEqual(own.iterator().nextv(9), ['a', 'changed', 'b', '2'])
  })

  it('walks many entries, in pages of a bounded size', () => {
    const many = pool.map('many')
    const operations = []
    for (let i = 0; i < 5000; i++) operations.push('put', String(i).padStart(6, '0'), 'v'.repeat(i % 300))
    many.batch(operations)
    for (const valueEncoding of ['utf8', 'buffer']) {
      const iterator = many.iterator({ valueEncoding })
      let count = 0
      for (let page = iterator.nextv(2000); page.length > 0; page = iterator.nextv(2000)) {
        assert.ok(page.length <= 4000)
        for (let i = 0; i < page.length; i += 2, count++) {
          assert.strictEqual(page[i], String(count).padStart(6, '0'))
          assert.strictEqual(page[i + 1].length, count % 300)
        }
        if (valueEncoding === 'buffer') assert.ok(page[1].buffer.byteLength < 512 * 1024)
      }
      assert.strictEqual(count, 5000)
    }
  })

  it('gives big values one by one', () => {
    const big = pool.map('big')
    const sizes = [3, 2 ** 20, 0, 5 * 2 ** 20, 7]
    sizes.forEach((size, i) => big.put(`${i}`, Buffer.alloc(size, i)))
    const iterator = big.iterator({ keys: false, valueEncoding: 'buffer' })
    const found = []
    for (let page = iterator.nextv(9); page.length > 0; page = iterator.nextv(9)) found.push(...page)
    assert.deepStrictEqual(found.map(value => value.length), sizes)
    found.forEach((value, i) => assert.ok(value.every(byte => byte === i)))
  })

  it('that was closed is of no harm to those that come after it', () => {
    const key = iterator => iterator.nextv(1)[0]
    const closed = Array.from({ length: 200 }, () => map.iterator({ keyEncoding: 'utf8', values: false }))
    for (const iterator of closed) iterator.close()
    const snapshots = Array.from({ length: 200 }, () => pool.snapshot())
    for (const snapshot of snapshots) snapshot.close()
    const open = Array.from({ length: 200 }, () => map.iterator({ keyEncoding: 'utf8', values: false, snapshot: pool.snapshot() }))
    for (const iterator of closed) iterator.close()
    for (const snapshot of snapshots) snapshot.close()
    for (const iterator of open) assert.strictEqual(key(iterator), letters[0])
    for (const iterator of closed) assert.throws(() => key(iterator), { code: 'PMEMOBJ_CLOSED' })
    for (const snapshot of snapshots) assert.throws(() => map.iterator({ snapshot }), { code: 'PMEMOBJ_CLOSED' })
    for (const iterator of open) iterator.close()
  })

  it('may be closed twice, and is then closed', () => {
    const iterator = map.iterator()
    iterator.close()
    iterator.close()
    assert.throws(() => iterator.nextv(1), { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => iterator.seek('a'), { code: 'PMEMOBJ_CLOSED' })
  })

  it('finds nothing in an empty map', () => {
    const empty = pool.map('empty')
    for (const reverse of [false, true]) {
      const iterator = empty.iterator({ reverse })
      assert.deepStrictEqual(iterator.nextv(1), [])
      iterator.seek('a')
      assert.deepStrictEqual(iterator.nextv(1), [])
    }
  })
})
