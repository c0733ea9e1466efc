'use strict'

const assert = require('node:assert')
const { Pool, check } = require('..')
const { command } = require('./command')
const { temporaryFolder } = require('./temporary-folder')

const MIB = 2 ** 20

describe('a pool that shrinks', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()
  let location

  function fill (map, count) {
    for (let i = 0; i < count; i += 1000) {
      map.batch(Array.from({ length: 1000 }, (_, j) => ['put', `key ${i + j}`, Buffer.alloc(1000, i + j)]).flat())
    }
  }

  function thin (map, count) {
    for (let i = 0; i < count; i++) if (i % 100 !== 0) map.del(`key ${i}`)
  }

  beforeEach(() => { location = folder.next() })

  it('gives the file system what it does not need, while it is used', async () => {
    let pool = Pool.open(location)
    let map = pool.map('map')
    fill(map, 40_000)
    thin(map, 40_000)
    const compacting = pool.compact()
    assert.strictEqual(pool.compact(), compacting)
    const waiting = map.putAsync('meanwhile', 'a')
    map.put('meanwhile too', 'b')
    await waiting
    const { before, after } = await compacting
    assert.ok(before > 40 * MIB && after < 24 * MIB, `${before} and ${after}`)
    pool.close()
    assert.ok((await check(location)).sound)
    pool = Pool.open(location)
    map = pool.map('map')
    assert.deepStrictEqual([map.get('meanwhile'), map.get('meanwhile too')], ['a', 'b'])
    for (let i = 0; i < 40_000; i += 100) assert.deepStrictEqual(map.get(`key ${i}`, { encoding: 'buffer' }), Buffer.alloc(1000, i))
    pool.close()
  })

  it('may be closed meanwhile', async () => {
    const pool = Pool.open(location)
    fill(pool.map('map'), 10_000)
    const compacting = pool.compact()
    pool.close()
    await assert.rejects(compacting, { code: 'PMEMOBJ_CLOSED' })
    assert.ok((await check(location)).sound)
  })

  it('is shrunk by a command', async () => {
    const pool = Pool.open(location)
    fill(pool.map('map'), 40_000)
    thin(pool.map('map'), 40_000)
    pool.close()
    const { code, stdout } = await command(['compact', '--json', location])
    assert.strictEqual(code, 0)
    const { before, after } = JSON.parse(stdout)
    assert.ok(after < before / 2)
    assert.match((await command(['compact', location])).stdout, / bytes on disk before, \d+ now\n$/)
    assert.strictEqual((await command(['compact', folder.next()])).code, 2)
  })
})
