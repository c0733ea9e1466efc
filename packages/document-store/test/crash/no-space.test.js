'use strict'

const { MemoryLevel } = require('memory-level')
const seedrandom = require('seedrandom')
const { DocumentStore } = require('../..')
const { assertIntegrity } = require('../integrity')
const { Ledger } = require('./ledger')
const { Writer, tend, listen } = require('./mixed-load')
const { changesOf, statesOf } = require('./subjects')

/** A level that has no room now and then. */
class FullLevel extends MemoryLevel {
  full = () => false

  async _batch (operations, options) {
    if (this.full()) throw Object.assign(new Error('no room'), { code: 'LEVEL_PMEM_FULL' })
    return super._batch(operations, options)
  }
}

describe('a level without room', function () {
  this.timeout(600_000)

  for (const share of [0.1, 0.5]) {
    it(`fails writes and nothing else, where ${100 * share} % of its batches fail`, async () => {
      const seed = process.env.CRASH_SEED ?? String(Math.random())
      const random = seedrandom(seed)
      const level = new FullLevel()
      const ledger = new Ledger()
      try {
        for (let life = 0; life < 5; life++) {
          level.full = () => false
          const store = await DocumentStore.open(level)
          level.full = () => random() < share
          const load = { store, random, tell: (event) => ledger.note(structuredClone(event)) }
          const listener = listen(load)
          const times = async (count, action) => { for (let i = 0; i < count; i++) await action() }
          const writers = Array.from({ length: 3 }, (_, i) => new Writer(load, `w${i}`))
          await Promise.all([...writers.map((writer) => times(40, () => writer.step())), times(8, () => tend(load))])
          level.full = () => false
          await verify(store, ledger)
          await store.close()
          await listener
          const again = await DocumentStore.open(level)
          await verify(again, ledger)
          await again.close()
          await assertIntegrity(level)
        }
      } catch (error) {
        error.message += ` (with CRASH_SEED=${seed})`
        throw error
      }
    })
  }

  async function verify (store, ledger) {
    ledger.assertSequences(await changesOf(store), store.updateSeq, await store.purges())
    ledger.settle(await statesOf(store, ledger.subjects))
  }
})
