'use strict'

const { QueryServer } = require('@potoroo/query-server')
const seedrandom = require('seedrandom')
const { Life, ddoc } = require('../../../packages/indexes/test/random-life')
const { SearchLife, designs } = require('../../../packages/indexes/test/searches/random-searches')

const kinds = {
  views: { claim: 'answer right', Life, ddocs: [ddoc], steps: 60 },
  searches: { claim: 'find what there is', Life: SearchLife, ddocs: designs, steps: 25 }
}

module.exports = context => Object.entries(kinds).forEach(([kind, { claim, Life, ddocs, steps }]) => describe(kind, () => {
  const queryServer = new QueryServer()
  after(() => queryServer.close())

  it(`${claim}, whatever is written and asked, also after it was opened again`, async () => {
    const variable = `${kind.toUpperCase()}_SEED`
    const seed = process.env[variable] ?? String(Math.random())
    const random = seedrandom(seed)
    for (const ddoc of ddocs) await context.store.put(ddoc)
    try {
      for (let life = 0; life < 3; life++) {
        const chance = new Life(context.store, queryServer, random)
        await chance.assertAsFresh?.()
        for (let i = 0; i < steps; i++) await chance.step()
        if (context.reopen === undefined) continue
        await context.store.close()
        await context.reopen()
        await context.openStore()
      }
    } catch (error) {
      error.message += ` (with ${variable}=${seed})`
      throw error
    }
  })
}))
