'use strict'

// abstract-level's own suite, with tape, on a PostgreSQL: `node test/abstract-level.js`.

const test = require('tape')
const suite = require('abstract-level/test')
const { PostgresLevel } = require('..')
const { PostgresServer } = require('../../../test/support/postgres-server')

/** Databases that a test may still need. */
const LAST = 60
let count = 0
/** @type {TestedLevel[]} */
const made = []

/** Knows its sublevels. */
class TestedLevel extends PostgresLevel {
  #sublevels = []

  sublevel (name, options) {
    const sublevel = super.sublevel(name, options)
    this.#sublevels.push(sublevel)
    return sublevel
  }

  /** Tests that are over hear nothing of it. */
  async end () {
    for (const each of [this, ...this.#sublevels]) each.removeAllListeners()
    await this.close().catch(() => {})
  }
}

function closeOld (keep = LAST) {
  return Promise.all(made.splice(0, Math.max(0, made.length - keep)).map(level => level.end()))
}

async function main () {
  const server = await PostgresServer.start({ settings: { max_connections: '800' } })
  test.onFinish(async () => {
    await closeOld(0)
    await server.stop()
  })
  suite({
    test,
    factory (options) {
      closeOld()
      // A test takes a hundred snapshots, and writes after each.
      const level = new TestedLevel(server.url, { ...options, prefix: `t${count++}`, max: 4, maxSnapshots: 110 })
      made.push(level)
      return level
    }
  })
}

main()
