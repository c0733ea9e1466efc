'use strict'

const { setTimeout } = require('node:timers/promises')

/**
 * A fault of the network between the servers and the engine, or between servers.
 *
 * @param {string} name
 * @param {'toEngine' | 'toServer'} which
 * @param {import('../subject/tcp-proxy').Fault} fault
 * @param {{ all?: boolean, hold?: number }} [options] all: of every server, and not of one
 * @returns {import('./nemesis').Fault}
 */
function networkFault (name, which, fault, { all = false, hold = 4000 } = {}) {
  return {
    name,
    needs: ['engine'],
    hold,
    async inject (cluster, random) {
      const proxies = all ? cluster[which] : [random.pick(cluster[which])]
      for (const proxy of proxies) proxy.fault = fault
      return () => { for (const proxy of proxies) proxy.heal() }
    }
  }
}

/** @param {string} name @param {'toEngine' | 'toServer'} which @returns {import('./nemesis').Fault} */
function cutFault (name, which) {
  return {
    name,
    needs: ['engine'],
    hold: 200,
    async inject (cluster) {
      for (const proxy of cluster[which]) proxy.cut()
    }
  }
}

/** Writes are done, and nobody can tell their owners until long after. @type {import('./nemesis').Fault} */
const lostAnswers = {
  name: 'answers of the engine are lost, and then the way to it',
  needs: ['engine'],
  hold: 12_000,
  async inject ({ toEngine }) {
    for (const proxy of toEngine) proxy.fault = { mode: 'deafen' }
    await setTimeout(500)
    for (const proxy of toEngine) proxy.fault = { mode: 'refuse' }
    return () => { for (const proxy of toEngine) proxy.heal() }
  }
}

/** @type {import('./nemesis').Fault[]} */
const faults = [
  lostAnswers,
  cutFault('connections to the engine are cut', 'toEngine'),
  cutFault('connections between servers are cut', 'toServer'),
  networkFault('a server does not reach the engine', 'toEngine', { mode: 'refuse' }),
  networkFault('no server reaches the engine', 'toEngine', { mode: 'refuse' }, { all: true }),
  networkFault('a server and the engine are half-open', 'toEngine', { mode: 'swallow' }, { hold: 6000 }),
  networkFault('the engine is slow', 'toEngine', { delay: 150 }, { all: true }),
  networkFault('the way to the engine is narrow', 'toEngine', { bandwidth: 100_000 }, { all: true }),
  networkFault('a server is not reached by others', 'toServer', { mode: 'refuse' }),
  networkFault('a server and others are half-open', 'toServer', { mode: 'swallow' }, { hold: 6000 }),
  networkFault('servers are slow to each other', 'toServer', { delay: 150 }, { all: true })
]

module.exports = { faults }
