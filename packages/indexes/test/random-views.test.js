'use strict'

const { QueryServer } = require('@potoroo/query-server')
const { liveLives } = require('./crashing-lives')
const { assertIntegrity } = require('./integrity')
const { Life, ddoc } = require('./random-life')

const SECONDS = Number(process.env.VIEWS_SECONDS ?? 2)

describe('views of random documents', function () {
  this.timeout((SECONDS + 600) * 1000)

  const queryServer = new QueryServer()
  after(() => queryServer.close())

  it('give what a plain filter of all rows gives, whatever is asked, with crashes in between', () => liveLives({ kind: 'VIEWS', seconds: SECONDS, designs: [ddoc] }, async (store, random, steps) => {
    const life = new Life(store, queryServer, random)
    for (let i = 0; i < steps; i++) await life.step()
    await assertIntegrity(store)
  }))
})
