'use strict'

const { QueryServer } = require('@potoroo/query-server')
const seedrandom = require('seedrandom')
const { SearchLife, designs } = require('../../../packages/indexes/test/searches/random-searches')

const STEPS = 25

module.exports = (context) => describe('searches', () => {
  const queryServer = new QueryServer()
  after(() => queryServer.close())

  it('find what there is, whatever is written and asked, also after it was opened again', async () => {
    const seed = process.env.SEARCHES_SEED ?? String(Math.random())
    const random = seedrandom(seed)
    for (const ddoc of designs) await context.store.put(ddoc)
    try {
      for (let life = 0; life < 3; life++) {
        const chance = new SearchLife(context.store, queryServer, random)
        await chance.assertAsFresh()
        for (let i = 0; i < STEPS; i++) await chance.step()
        if (context.reopen === undefined) continue
        await context.store.close()
        await context.reopen()
        await context.openStore()
      }
    } catch (error) {
      error.message += ` (with SEARCHES_SEED=${seed})`
      throw error
    }
  })
})
