'use strict'

const assert = require('node:assert')
const { setTimeout: wait } = require('node:timers/promises')
const { PostgresServer } = require('../../../test/support/postgres-server')
const { PostgresLevel } = require('..')
const { Proxy } = require('./proxy')
const { withServer } = require('./server')

describe('look-ups of outcomes', () => {
  const context = withServer()
  /** @type {Proxy} */
  let proxy

  beforeEach(async () => { proxy = await Proxy.start(context.server.port) })
  afterEach(() => proxy.stop())

  /** The first write never arrives. @param {(bytes: Buffer) => 'pass' | 'cut' | 'cut after'} look decides about look-ups */
  function loseFirst (look) {
    const seen = { writes: 0, looks: 0 }
    proxy.onRequest = bytes => {
      if (bytes.includes('\0batch\0')) return ++seen.writes === 1 ? 'cut' : 'pass'
      if (!bytes.includes('\0outcome\0')) return 'pass'
      seen.looks++
      return look(bytes)
    }
    return seen
  }

  it('do not take the id of one whose answer was lost for that of the batch', async () => {
    const level = await context.open({}, proxy.url)
    await level.put('a', 'old')
    const seen = loseFirst(() => {
      if (seen.looks === 1) {
        proxy.onAnswer = bytes => {
          if (!bytes.includes('INSERT')) return 'pass'
          proxy.onAnswer = () => 'pass'
          return 'cut'
        }
      }
      return 'pass'
    })
    await level.put('a', 'new')
    assert.strictEqual(await level.get('a'), 'new')
    assert.deepStrictEqual(seen, { writes: 2, looks: 2 })
  })

  it('do not take the id of one that a read needed for that of the batch', async () => {
    const level = await context.open({}, proxy.url)
    await level.put('a', 'old')
    /** @type {Promise<any> | undefined} */
    let reading
    const seen = loseFirst(() => {
      if (seen.looks > 1) return 'pass'
      reading = level.get('b')
      return 'cut'
    })
    await level.put('a', 'new')
    await reading
    assert.strictEqual(await level.get('a'), 'new')
    assert.strictEqual(seen.writes, 2)
  })
})

describe('writes that wait for a standby', () => {
  /** @type {PostgresServer} */
  let server
  /** @type {PostgresLevel} */
  let level

  before(async () => { server = await PostgresServer.start() })
  beforeEach(async () => {
    level = new PostgresLevel(server.url)
    await level.put('a', 'old')
    needStandby(true)
  })
  afterEach(() => {
    needStandby(false)
    return level.close()
  })
  after(() => server.stop())

  /** Commits wait for one that is not there, or not. @param {boolean} isNeeded */
  function needStandby (isNeeded) {
    server.query(`ALTER SYSTEM SET synchronous_standby_names = '${isNeeded ? 'nobody' : ''}'`)
    server.query('SELECT pg_reload_conf()')
  }

  /** The processes that wait for it in a statement. @param {string} word */
  async function waiting (word) {
    for (;;) {
      const pids = server.query(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%${word}%'`)
      if (pids !== '') return pids.split('\n')
      await wait(20)
    }
  }

  for (const end of ['pg_terminate_backend', 'pg_cancel_backend']) {
    it(`are not done before it has them, after ${end}`, async () => {
      // PostgreSQL takes the setting in a moment of its own.
      while (server.query('SHOW synchronous_standby_names') === '') await wait(20)
      let isDone = false
      const writing = level.put('a', 'new').then(() => { isDone = true })
      const [pid] = await waiting('COMMIT')
      server.query(`SELECT ${end}(${pid})`)
      const looking = waiting('batches (id, written)')
      await Promise.race([looking, writing])
      assert.strictEqual(isDone, false)
      needStandby(false)
      await writing
      assert.strictEqual(await level.get('a'), 'new')
    })
  }
})
