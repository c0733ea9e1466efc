'use strict'

const assert = require('node:assert')
const { Client } = require('../lib/http/client')
const { findDriver, findTrial, pairs } = require('../lib/run/catalogue')

const BARE = 'http/bare node:http'
const measured = goals => pairs({ only: /./, media: ['tmpfs', 'disk'], goals }).filter(({ driver }) => driver === BARE)

describe('a bare node:http', () => {
  let server

  before(async () => { server = await findDriver(BARE).serve({ port: 0 }) })
  after(() => server.close())

  it('takes turns with ours where goals are asked for, and nowhere else', () => {
    assert.deepStrictEqual(measured(false), [])
    const trials = measured(true).map(({ trial }) => trial)
    for (const name of ['GET /db/doc', 'PUT /db/doc, new, one connection', 'GET view?key=, one connection']) assert(trials.includes(`http/${name}`), name)
    assert(!trials.includes('http/build a view'))
  })

  for (const { trial: name } of measured(true)) {
    it(`answers what ${name} asks`, async () => {
      const trial = findTrial(name)
      const clients = []
      const client = ({ connections }) => clients[clients.push(new Client(server.url, connections)) - 1]
      const state = await trial.prepare({ client }, { size: trial.size })
      await trial.run(state, 0, 2)
      for (const each of clients) each.close()
    })
  }
})
