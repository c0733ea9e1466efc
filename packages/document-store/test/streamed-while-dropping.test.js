'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

const CHUNK = 256 * 1024

/** A level that drops no content before it is let. */
class HeldLevel extends MemoryLevel {
  dropped = 0
  letGo = () => {}
  #held = new Promise(resolve => { this.letGo = () => resolve(undefined) })

  async _batch (operations, options) {
    if (operations.length > 1 && operations.every(({ type, key }) => type === 'del' && key.toString().startsWith('c'))) {
      await this.#held
      this.dropped += operations.length
    }
    return super._batch(operations, options)
  }
}

async function * chunks (count, seed) {
  for (let i = 0; i < count; i++) yield Buffer.alloc(CHUNK, `${seed} ${i}`)
}

describe('a streamed attachment', () => {
  it('is answered while long content of others is being dropped', async () => {
    const level = new HeldLevel()
    const store = await DocumentStore.open(level)
    const { rev } = await store.put({ _id: 'a', _attachments: { f: { data: chunks(40, 'a') } } })
    await store.put({ _id: 'a', _rev: rev, _deleted: true })
    const compacted = store.compact()
    await store.put({ _id: 'b', _attachments: { f: { data: chunks(2, 'b') } } })
    assert.equal(level.dropped, 0)
    level.letGo()
    await compacted
    assert.equal(level.dropped, 40)
    await store.close()
  })
})
