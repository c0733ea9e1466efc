'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { Databases } = require('..')

/** A level whose next batch is done, and says that it may not have been. */
class AwayLevel extends MemoryLevel {
  isAway = false

  async batch (...operations) {
    await super.batch(...operations)
    if (!this.isAway) return
    this.isAway = false
    throw Object.assign(new Error('The answer was lost'), { code: 'LEVEL_UNAVAILABLE' })
  }
}

describe('after a write that may have been done or not', () => {
  /** @type {any} */
  let level
  /** @type {any} */
  let databases

  beforeEach(async () => {
    level = new AwayLevel()
    await level.open()
    databases = await Databases.open(level, { sharing: { levelOf: () => level, catalogue: () => level, seize: async () => {} } })
    databases.on('unsure', number => { databases.release(number) })
    await databases.create('db')
  })

  afterEach(async () => {
    await databases.close()
    await level.close()
  })

  it('those that wait for their turn write nothing', async () => {
    const store = await databases.get('db')
    await store.put({ _id: 'a' })
    level.isAway = true
    const lost = store.put({ _id: 'b' })
    await Promise.resolve()
    const results = await Promise.allSettled([lost, store.put({ _id: 'c' }), store.put({ _id: 'd' })])
    assert.deepEqual(results.map(({ reason }) => reason.code), ['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE'])
  })

  it('a database that could not be dropped is given to those who asked for it meanwhile', async () => {
    const refused = Object.assign(new Error('The disk is full'), { code: 'LEVEL_IO_ERROR' })
    level.batch = async () => { throw refused }
    const dropped = assert.rejects(databases.destroy('db'))
    while (databases.has('db')) await null
    const asked = databases.get('db')
    await dropped
    delete level.batch
    await (await asked).put({ _id: 'a' })
  })

  it('the database is opened anew, and counts what is there', async () => {
    const store = await databases.get('db')
    level.isAway = true
    await assert.rejects(store.put({ _id: 'a' }), { code: 'UNAVAILABLE' })
    const again = await databases.get('db')
    assert.notEqual(again, store)
    await again.put({ _id: 'b' })
    const { docCount, updateSeq } = await again.info()
    assert.deepEqual({ docCount, updateSeq }, { docCount: 2, updateSeq: 2 })
    const changes = []
    for await (const rows of again.changes()) changes.push(...rows)
    assert.deepEqual(changes.map(({ seq, id }) => [seq, id]), [[1, 'a'], [2, 'b']])
  })
})
