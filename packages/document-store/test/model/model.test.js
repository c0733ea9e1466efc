'use strict'

const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('../..')
const { commands } = require('./commands')
const { SlowStore } = require('./slow-store')

const RUNS = Number(process.env.MODEL_RUNS ?? 50)

describe('the document store', () => {
  for (const autoCompaction of [false, true]) {
    it(`does what a slow and obvious one does${autoCompaction ? ', compacting' : ''}`, async () => {
      await fc.assert(fc.asyncProperty(commands, async (steps) => {
        const level = new MemoryLevel()
        const options = { autoCompaction }
        const real = { level, options, store: await DocumentStore.open(level, options), count: 0 }
        try {
          await fc.asyncModelRun(() => ({ model: new SlowStore(autoCompaction), real }), steps)
        } finally {
          await real.store.close()
        }
      }), { numRuns: RUNS })
    }).timeout(600_000 + 1000 * RUNS)
  }
})
