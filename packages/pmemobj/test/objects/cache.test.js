'use strict'

const assert = require('node:assert')
const { Pool } = require('../..')
const { temporaryFolder } = require('../temporary-folder')

describe('the cache of objects', () => {
  const folder = temporaryFolder()
  let pool

  afterEach(() => pool.close())

  for (const cacheSize of [1, 2, 7]) {
    it(`keeps ${cacheSize} in memory, and reads the others again`, () => {
      pool = Pool.open(folder.next(), { cacheSize })
      const model = Array.from({ length: 50 }, (_, number) => ({ number, parts: [number, { name: `part ${number}` }] }))
      pool.root = model
      for (let round = 0; round < 3; round++) {
        for (const [index, object] of model.entries()) {
          object.parts.push(round)
          object.parts[1].name += round
          pool.root[index].parts.push(round)
          pool.root[index].parts[1].name += round
        }
        assert.deepStrictEqual(pool.plain(pool.root), model)
      }
    })

    it(`keeps what an operation needs, of ${cacheSize}`, () => {
      pool = Pool.open(folder.next(), { cacheSize })
      const model = Array.from({ length: 20 }, (_, number) => ({ key: [100 - number] }))
      pool.root = model
      const compare = (a, b) => a.key[0] - b.key[0]
      pool.root.sort(compare)
      model.sort(compare)
      assert.deepStrictEqual(pool.plain(pool.root), model)
      pool.transaction(() => {
        for (const object of pool.root) object.key.unshift(pool.root.length)
        assert.deepStrictEqual(pool.plain(pool.root.splice(3, 5)).map(({ key }) => key[0]), [20, 20, 20, 20, 20])
      })
      for (const object of model) object.key.unshift(20)
      model.splice(3, 5)
      assert.deepStrictEqual(pool.plain(pool.root), model)
    })

    it(`gives one object for one, of ${cacheSize}`, () => {
      pool = Pool.open(folder.next(), { cacheSize })
      const shared = { value: 1 }
      pool.root = { a: [shared], b: { shared }, others: Array.from({ length: 20 }, () => ({})) }
      const first = pool.root.a[0]
      for (const other of pool.root.others) other.seen = true
      assert.strictEqual(pool.root.b.shared, first)
      first.value++
      assert.strictEqual(pool.root.b.shared.value, 2)
    })
  }

  it('refuses a size that is none', () => {
    pool = Pool.open(folder.next())
    for (const cacheSize of [0, -1, 1.5, NaN, '10']) {
      assert.throws(() => Pool.open(folder.next(), { cacheSize }), TypeError)
    }
  })
})
