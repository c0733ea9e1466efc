'use strict'

const { USER } = require('../subject/postgres')

/** @type {import('./nemesis').Fault[]} */
const faults = [
  {
    name: 'PostgreSQL is restarted',
    needs: ['engine'],
    hold: 1000,
    async inject ({ engine: { primary } }) {
      await primary.stop()
      return () => primary.start()
    }
  },
  {
    name: 'PostgreSQL is killed',
    needs: ['engine'],
    async inject ({ engine: { primary } }) {
      await primary.kill()
      return () => primary.start()
    }
  },
  {
    name: 'PostgreSQL stands still',
    needs: ['engine'],
    hold: 5000,
    async inject ({ engine: { primary } }) {
      primary.pause()
      return () => primary.pause(false)
    }
  },
  {
    name: 'the standby is promoted',
    needs: ['standby'],
    hold: 100,
    async inject (cluster) {
      await cluster.engine.promote()
      for (const proxy of cluster.toEngine) {
        proxy.lead({ port: cluster.engine.primary.port })
        proxy.cut()
      }
      return () => cluster.engine.addStandby()
    }
  },
  {
    name: 'PostgreSQL is read-only',
    needs: ['engine'],
    hold: 3000,
    async inject ({ engine: { primary } }) {
      await primary.alter('SET default_transaction_read_only = on')
      return () => primary.alter('RESET default_transaction_read_only')
    }
  },
  {
    name: 'PostgreSQL has no connections left',
    needs: ['engine'],
    hold: 4000,
    async inject ({ engine: { primary } }) {
      await primary.sql(`ALTER ROLE ${USER} CONNECTION LIMIT 1`)
      await primary.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${USER}'`)
      return () => primary.sql(`ALTER ROLE ${USER} CONNECTION LIMIT -1`)
    }
  },
  {
    name: 'sessions are ended by PostgreSQL\'s administrator',
    needs: ['engine'],
    hold: 200,
    async inject ({ engine: { primary } }) {
      await primary.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${USER}'`)
    }
  },
  {
    name: 'PostgreSQL is full',
    needs: ['disk'],
    hold: 3000,
    async inject ({ engine: { disk } }) {
      disk.fill()
      return () => disk.empty()
    }
  }
]

module.exports = { faults }
