'use strict'

const { setTimeout } = require('node:timers/promises')
const { Connection } = require('../clients/connection')

/** Milliseconds in which a cluster has to be well again after a fault is over: a stated promise of it. */
const RECOVERY = 30_000

/** Documents of a probe: some of them are in each shard of a database. */
const PROBES = 12

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {Array<'engine' | 'standby' | 'disk' | 'several'>} needs what the cluster must have
 * @property {number} [hold] milliseconds for which it stays
 * @property {(cluster: import('../subject/cluster').Cluster, random: import('../clients/random').Random) => Promise<(() => any) | void>} inject
 *   fulfils with the end of it
 */

/** Does harm, one fault after another, and sees whether the cluster gets well. */
class Nemesis {
  #cluster
  #faults
  #random
  #databases
  #say
  #recovery
  #probes = 0
  /** name of the fault → seconds to be well again, each time @type {Map<string, number[]>} */
  recoveries = new Map()
  found = { recovery: /** @type {string[]} */ ([]) }

  /**
   * @param {{ cluster: import('../subject/cluster').Cluster, faults: Fault[], random: import('../clients/random').Random, databases: string[], say: (text: string) => void,
   *   recovery?: number }} options recovery: milliseconds
   */
  constructor ({ cluster, faults, random, databases, say, recovery = RECOVERY }) {
    this.#cluster = cluster
    this.#faults = faults.filter(({ needs }) => needs.every(need => has(cluster, need)))
    this.#random = random
    this.#databases = databases
    this.#say = say
    this.#recovery = recovery
  }

  /** Each fault once in any order, and again. @param {number} over time of `performance.now()` */
  async run (over) {
    const tried = new Set()
    do {
      for (const fault of this.#inOrder()) {
        tried.add(fault)
        await this.#inflict(fault)
        if (performance.now() > over && tried.size === this.#faults.length) return
      }
    } while (performance.now() < over && this.#faults.length > 0)
  }

  /** The small disk goes with the primary: first is what needs it. */
  #inOrder () {
    const possible = this.#faults.filter(({ needs }) => needs.every(need => has(this.#cluster, need)))
    return this.#random.shuffle(possible).sort((a, b) => Number(b.needs.includes('disk')) - Number(a.needs.includes('disk')))
  }

  async #inflict ({ name, hold = 2000, inject }) {
    this.#say(`  ${name} …`)
    const heal = await inject(this.#cluster, this.#random)
    await setTimeout(hold * (0.5 + this.#random.next()))
    await heal?.()
    const start = performance.now()
    const failure = await this.#recovered(start + this.#recovery)
    const seconds = (performance.now() - start) / 1000
    if (failure !== null) this.found.recovery.push(`after ${name}, not well for ${seconds.toFixed(1)} s: ${failure}`)
    this.recoveries.set(name, [...this.recoveries.get(name) ?? [], seconds])
    this.#say(`  ${name}: well after ${seconds.toFixed(1)} s`)
    await setTimeout(500)
  }

  /** Waits until each server takes writes in all shards of each database. @returns {Promise<string | null>} why it does not */
  async #recovered (deadline) {
    for (const server of this.#cluster.servers) {
      const connection = new Connection(server.url, { patience: 3000 })
      try {
        for (const database of this.#databases) {
          const failure = await this.#takes(connection, server, database, deadline)
          if (failure !== null) return failure
        }
      } finally {
        connection.close()
      }
    }
    return null
  }

  async #takes (connection, server, database, deadline) {
    for (;;) {
      let what
      try {
        const docs = Array.from({ length: PROBES }, () => ({ _id: `_local/probe-${this.#probes++}` }))
        const { status, body } = await connection.ask('POST', `/${database}/_bulk_docs`, { docs })
        if (status === 201 && body.every(({ ok }) => ok)) return null
        what = `${status} ${JSON.stringify(body)}`
      } catch (error) {
        what = error.message
      }
      if (performance.now() > deadline) return `${server.name}, ${database}: ${what}`
      await setTimeout(100)
    }
  }
}

function has (cluster, need) {
  if (need === 'several') return cluster.servers.length > 1
  if (need === 'standby') return cluster.engine?.standby !== undefined
  if (need === 'disk') return cluster.engine?.disk !== undefined
  return cluster.engine !== undefined
}

module.exports = { Nemesis, RECOVERY }
