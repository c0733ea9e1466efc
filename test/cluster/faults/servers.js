'use strict'

const { setTimeout } = require('node:timers/promises')
const { LIFETIME } = require('../subject/settings')

/** @type {import('./nemesis').Fault[]} */
const faults = [
  {
    name: 'a server is killed',
    needs: [],
    async inject ({ servers }, random) {
      const server = random.pick(servers)
      await server.kill()
      return () => server.start()
    }
  },
  {
    name: 'a server is stopped',
    needs: [],
    hold: 1000,
    async inject ({ servers }, random) {
      const server = random.pick(servers)
      await server.stop()
      return () => server.start()
    }
  },
  {
    name: 'a server stands still for longer than its leases live',
    needs: [],
    hold: LIFETIME * 3000,
    async inject (cluster, random) {
      const server = random.pick(cluster.servers)
      server.pause()
      return async () => {
        // Requests wait for it, and have an answer before it can have heard that it was replaced.
        const answered = cluster.askStanding(server)
        await setTimeout(200)
        server.resume()
        await answered
      }
    }
  },
  {
    name: 'all servers but one are killed',
    needs: ['several'],
    async inject ({ servers }, random) {
      const victims = random.shuffle(servers).slice(1)
      for (const server of victims) await server.kill()
      return () => Promise.all(victims.map(server => server.start()))
    }
  }
]

module.exports = { faults }
