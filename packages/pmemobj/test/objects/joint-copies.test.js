'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const { Pool, OrderedMap } = require('../..')
const binding = require('../../lib/binding/binding')
const { Notes } = require('../../lib/objects/joint/notes')
const { MAPS } = require('../../lib/objects/record/layout')
const { temporaryPools } = require('./temporary-pools')

describe('a transaction over copies of a pool', () => {
  const pools = temporaryPools()
  const pair = () => [pools.create({ n: 1 }), pools.create({ n: 2 })]
  const numbers = (...all) => all.map(pool => pool.root.n)
  const handleOf = pool => Pool.handleOf(pool)
  /** Two pools that have had a transaction, and a copy of the second. @returns {Promise<any[]>} */
  const withCopy = async copy => {
    const [a, b] = pair()
    Pool.transaction([a, b], () => { a.root.n++; b.root.n++ })
    const path = `${b.path}-copy`
    await copy(b, path)
    return [a, pools.open(b.path), pools.open(path)]
  }
  const restored = async (b, path) => {
    await b.backupTo(`${path}.backup`)
    await Pool.restore(path, fs.createReadStream(`${path}.backup`))
    b.close()
  }
  const dumped = async (b, path) => {
    await Pool.load(path, b.dump())
    b.close()
  }
  const idOf = pool => Notes.find(handleOf(pool))?.knownId?.toString('hex')
  /** Commits of the coordinator only. */
  const cutOff = members => {
    const parts = members.slice(1)
    const usual = binding.commit
    const handles = new Set(parts.map(handleOf))
    binding.commit = (handle, ...rest) => {
      if (handles.has(handle)) throw Object.assign(new Error('planted'), { code: 'PMEMOBJ_NO_SPACE' })
      return usual(handle, ...rest)
    }
    try {
      assert.throws(() => Pool.transaction(members, () => { for (const pool of members) pool.root.n += 10 }), { code: 'PMEMOBJ_IN_DOUBT' })
    } finally {
      binding.commit = usual
    }
    for (const pool of members) pool.close()
  }

  for (const [name, copy] of Object.entries({ restored, dumped })) {
    it(`${name}: has no id of another, and all bring in their parts`, async () => {
      const members = await withCopy(copy)
      assert.strictEqual(idOf(members[2]), undefined)
      cutOff(members)
      assert.deepStrictEqual(numbers(...members.map(pool => pools.open(pool.path))), [12, 13, 13])
    })
  }

  it('gives a pool that has the id of another one its own', async () => {
    const members = await withCopy(restored)
    Notes.of(handleOf(members[2])).renewId()
    const entries = new OrderedMap(handleOf(members[2]), binding.findMap(handleOf(members[2]), MAPS.joint), MAPS.joint)
    entries.put('pool', Buffer.from(idOf(members[1]), 'hex'))
    members[2] = pools.reopen(members[2])
    assert.strictEqual(idOf(members[2]), idOf(members[1]))
    cutOff(members)
    const again = members.map(pool => pools.open(pool.path))
    assert.deepStrictEqual(numbers(...again), [12, 13, 13])
    assert.strictEqual(new Set(again.map(idOf)).size, 3)
  })

  for (const order of [['original', 'copy'], ['copy', 'original']]) {
    it(`keeps the decision for the ${order[1]} where the ${order[0]} of one that was killed comes first, or is in doubt`, () => {
      const [a, b] = pair()
      cutOff([a, b])
      const paths = { original: b.path, copy: `${b.path}-copy` }
      fs.cpSync(paths.original, paths.copy, { recursive: true })
      const read = name => {
        const pool = pools.open(paths[name])
        const { n } = pool.root
        pool.close()
        return n
      }
      assert.strictEqual(read(order[0]), 12)
      if (order[1] === 'original') return assert.strictEqual(read('original'), 12)
      assert.throws(() => pools.open(paths.copy), { code: 'PMEMOBJ_IN_DOUBT', message: /copy/ })
      assert.strictEqual(Pool.open(paths.copy, { coordinator: false }).root.n, 2)
    })
  }
})
