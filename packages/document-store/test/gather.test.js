'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

describe('A group of writers', () => {
  async function commitsOf (gather) {
    const level = new MemoryLevel()
    const store = await DocumentStore.open(level, { gather })
    let commits = 0
    store.on('commit', () => commits++)
    const first = store.put({ _id: 'a' })
    await new Promise(resolve => process.nextTick(resolve))
    const second = store.put({ _id: 'b' })
    await Promise.all([first, second])
    await new Promise(resolve => setImmediate(resolve))
    await store.close()
    await level.close()
    return commits
  }

  it('is those of a turn', async () => assert.equal(await commitsOf('turn'), 2))

  it('or those of a round of the event loop', async () => assert.equal(await commitsOf('round'), 1))
})
