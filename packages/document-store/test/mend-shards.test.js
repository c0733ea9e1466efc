'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { Databases, checkDatabases, mendDatabases, shardOf } = require('..')

const all = async iterable => {
  const list = []
  for await (const each of iterable) list.push(each)
  return list
}

describe('mending a database of several shards', () => {
  let level, database

  beforeEach(async () => {
    level = new MemoryLevel()
    const databases = await Databases.open(level)
    database = await databases.createSharded('db', 3, { partitioned: true })
    for (const id of ['a:1', 'b:1', 'c:1', 'd:1']) await (await databases.get(database.shards[shardOf(id, database)])).put({ _id: id })
    await databases.close()
  })

  const mended = async () => {
    const losses = await all(mendDatabases(level))
    assert.deepEqual(await all(checkDatabases(level)), [])
    const databases = await Databases.open(level)
    return { losses, databases, now: databases.sharded('db') }
  }

  /** @returns {Promise<string[]>} */
  const instancesOf = async databases => Promise.all(database.shards.map(async shard => (await databases.get(shard)).instanceId))

  it('changes nothing where nothing is lost', async () => {
    const before = await level.iterator().all()
    const { losses } = await mended()
    assert.deepEqual([losses, await level.iterator().all()], [[], before])
  })

  it('gives all of it another instance id where a shard lost something', async () => {
    const [key] = (await level.keys().all()).filter(each => each.includes('a:1'))
    await level.put(key, 'damaged')
    const { losses, databases, now } = await mended()
    assert.ok(losses.length > 0)
    assert.notEqual(now.instanceId, database.instanceId)
    assert.deepEqual(await instancesOf(databases), Array(3).fill(now.instanceId))
  })

  for (const [what, spoil] of Object.entries({ lost: () => level.del('sdb'), damaged: () => level.put('sdb', '{"q":') })) {
    it(`makes its record again where that is ${what}`, async () => {
      await spoil()
      const { losses, databases, now } = await mended()
      assert.deepEqual([losses, databases.list()], [[], ['db']])
      assert.deepEqual([now.q, now.partitioned, now.shards], [3, true, database.shards])
      assert.deepEqual(await instancesOf(databases), Array(3).fill(now.instanceId))
    })
  }

  it('makes databases of the shards where the entry of one is lost', async () => {
    await level.del(`n${database.shards[1]}`)
    const { losses, databases } = await mended()
    assert.deepEqual(losses, [
      { kind: 'name', database: 'salvaged-2' }, { kind: 'entry', name: 'db' },
      { kind: 'name', database: 'salvaged-1' }, { kind: 'name', database: 'salvaged-3' }
    ])
    assert.deepEqual(databases.list(), ['salvaged-1', 'salvaged-2', 'salvaged-3'])
    const counts = await Promise.all(databases.list().map(async name => (await (await databases.get(name)).info()).docCount))
    assert.equal(counts.reduce((sum, count) => sum + count), 4)
  })
})
