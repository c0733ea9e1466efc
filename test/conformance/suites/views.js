'use strict'

const { QueryServer } = require('@potoroo/query-server')
const seedrandom = require('seedrandom')
const { Life, ddoc } = require('../../../packages/indexes/test/random-life')

const STEPS = 60

module.exports = (context) => describe('views', () => {
  const queryServer = new QueryServer()
  after(() => queryServer.close())

  it('answer right, whatever is written and asked, also after it was opened again', async () => {
    const seed = process.env.VIEWS_SEED ?? String(Math.random())
    const random = seedrandom(seed)
    await context.store.put(ddoc)
    try {
      for (let life = 0; life < 3; life++) {
        const chance = new Life(context.store, queryServer, random)
        for (let i = 0; i < STEPS; i++) await chance.step()
        if (context.reopen === undefined) continue
        await context.store.close()
        await context.reopen()
        await context.openStore()
      }
    } catch (error) {
      error.message += ` (with VIEWS_SEED=${seed})`
      throw error
    }
  })
})
