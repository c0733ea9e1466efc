'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { VectorIndex } = require('@potoroo/search')
const { Mango } = require('../../..')

describe('vectors whose graph cannot be built', () => {
  const { build } = VectorIndex.prototype
  afterEach(() => { VectorIndex.prototype.build = build })

  it('are found without it, and it is told once', async () => {
    let builds = 0
    VectorIndex.prototype.build = async () => {
      builds++
      throw new RangeError('Array buffer allocation failed')
    }
    const level = new MemoryLevel()
    const database = await DocumentStore.open(level, { prefix: 'db/' })
    const told = []
    database.on('graphless', what => told.push(what))
    const mango = new Mango()
    await mango.create(database, { type: 'vector', index: { fields: [{ v: { type: 'vector', dimensions: 2, metric: 'l2' } }] } })
    await database.write([{ _id: 'a', v: [1, 1] }, { _id: 'b', v: [5, 5] }])
    for (const id of ['c', 'd']) {
      const { docs } = await mango.find(database, { vector: { field: 'v', near: [4, 4], k: 1 } })
      assert.deepEqual(docs.map(({ _id }) => _id), ['b'])
      await database.put({ _id: id, v: [9, 9] })
    }
    assert.deepEqual(told, [{ field: 'v', why: 'Array buffer allocation failed' }])
    assert.equal(builds, 1)
    await database.close()
    await level.close()
  })
})
