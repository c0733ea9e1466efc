'use strict'

const { PostgresServer } = require('../../../test/support/postgres-server')
const { PostgresLevel } = require('..')

let prefixes = 0

/** Starts a PostgreSQL before the tests of a file, and ends it after them; levels are closed after each test. */
function withServer () {
  const context = {
    /** @type {PostgresServer} */
    server: /** @type {any} */ (null),
    /** @type {PostgresLevel[]} */
    levels: [],
    /** A database of its own, unless a prefix is given. @param {any} [options] @param {string} [url] */
    async open (options = {}, url = context.server.url) {
      const level = new PostgresLevel(url, { prefix: `p${++prefixes}`, ...options })
      context.levels.push(level)
      await level.open()
      return level
    }
  }
  before(async () => {
    context.server = await PostgresServer.start()
  })
  afterEach(async () => {
    await Promise.all(context.levels.splice(0).map(level => level.close()))
  })
  after(() => context.server.stop())
  return context
}

module.exports = { withServer }
