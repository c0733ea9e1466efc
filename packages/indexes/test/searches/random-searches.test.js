'use strict'

const { QueryServer } = require('@potoroo/query-server')
const { SearchLife, designs } = require('./random-searches')
const { liveLives } = require('../crashing-lives')

const SECONDS = Number(process.env.SEARCHES_SECONDS ?? 4)

describe('searches of random documents', function () {
  this.timeout((SECONDS + 600) * 1000)

  const queryServer = new QueryServer()
  after(() => queryServer.close())

  it('find what a look at each document finds, whatever is asked, with crashes in between', () => liveLives({ kind: 'SEARCHES', seconds: SECONDS, designs }, async (store, random, steps) => {
    const life = new SearchLife(store, queryServer, random)
    await life.assertAsFresh()
    for (let i = 0; i < steps; i++) await life.step()
  }))
})
