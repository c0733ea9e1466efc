'use strict'

const assert = require('node:assert/strict')
const { planted } = require('./planted')
const { TamperingBalancer } = require('./planted/tampering-balancer')
const { Connection } = require('./clients/connection')
const { whyMissing } = require('./checks/porcupine')
const { Nemesis } = require('./faults/nemesis')
const { freePort } = require('../support/free-port')
const { Random } = require('./clients/random')
const { Cluster } = require('./subject/cluster')
const { DATABASES, SYNCED, runTrial } = require('./trial')

// The checks of many servers, on one that is made faulty on its way to the clients.
describe('faults that are planted', () => {
  /** @type {Cluster} */
  let cluster

  before(async () => {
    cluster = await Cluster.start({ storage: 'memory', balancer: TamperingBalancer })
  })

  after(() => cluster?.stop())

  afterEach(async () => {
    const connection = new Connection(cluster.servers[0].url)
    for (const database of [...DATABASES, SYNCED]) await connection.done('DELETE', `/${database}`)
    connection.close()
  })

  /** @returns {Promise<Record<string, string[]>>} */
  async function found (tampering, { pouches = 0 } = {}) {
    const balancer = /** @type {TamperingBalancer} */ (cluster.balancer)
    balancer.tampering = tampering
    const { faults } = await runTrial(cluster, { operations: 200, seed: 19, pace: 4, pouches, throughBalancer: true })
    return faults
  }

  it('are not found where there are none', async () => {
    assert.deepEqual(Object.entries(await found({}, { pouches: 1 })).filter(([, faults]) => faults.length > 0), [])
  })

  for (const { name, finds, make } of planted) {
    it(`are found: ${name}`, async function () {
      if (finds === 'linearizable' && whyMissing() !== null) return this.skip()
      const faults = await found(make(), { pouches: finds === 'pouches' ? 1 : 0 })
      assert.ok(faults[finds].length > 0, `found only ${JSON.stringify(faults)}`)
    })
  }
})

describe('a cluster that does not get well', () => {
  it('is told', async () => {
    const servers = [{ name: 'gone', url: new URL(`http://127.0.0.1:${await freePort()}`) }]
    const nothing = { name: 'nothing', needs: [], hold: 0, inject: async () => {} }
    const nemesis = new Nemesis({ cluster: /** @type {any} */ ({ servers }), faults: [nothing], random: new Random(1), databases: ['any'], say: () => {}, recovery: 200 })
    await nemesis.run(0)
    assert.match(nemesis.found.recovery[0], /^after nothing, not well for/)
  })
})
