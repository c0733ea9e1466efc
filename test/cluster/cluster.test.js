'use strict'

const assert = require('node:assert/strict')
const { inWords } = require('./checks/in-words')
const { faults } = require('./faults')
const { findPostgres } = require('../../scripts/lib/system-packages')
const { Cluster } = require('./subject/cluster')
const { runTrial } = require('./trial')

/** Faults that a run of half a minute has room for; all of them are for `npm run test:cluster`. */
const CHOSEN = [
  'a server is killed',
  'a server stands still for longer than its leases live',
  'PostgreSQL is full',
  'PostgreSQL is killed',
  'the standby is promoted',
  'connections to the engine are cut'
]

/** Milliseconds: a busy machine may need long, and a cluster that hangs is told. The promise is kept by `npm run test:cluster`. */
const RECOVERY = 180_000

describe('three servers over PostgreSQL', () => {
  /** @type {Cluster} */
  let cluster

  before(async function () {
    if (findPostgres() === null) return this.skip()
    cluster = await Cluster.start({ servers: 3, standby: true, disk: true })
  })

  after(() => cluster?.stop())

  it('lose nothing, and answer as one, while they, the engine and the network fail', async () => {
    const chosen = faults.filter(({ name }) => CHOSEN.includes(name))
    assert.equal(chosen.length, CHOSEN.length)
    const result = await runTrial(cluster, { seconds: 1, operations: 300, seed: 19, faults: chosen, recovery: RECOVERY })
    console.log(inWords(result).replace(/^/gm, '      '))
    for (const [check, found] of Object.entries(result.faults)) assert.deepEqual(found, [], `${check}\n${cluster.servers.map(({ output }) => output.slice(-2000)).join('\n')}`)
  })
})
