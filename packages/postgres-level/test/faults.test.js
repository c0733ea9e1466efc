'use strict'

const assert = require('node:assert')
const { PostgresServer } = require('../../../test/support/postgres-server')
const { PostgresLevel } = require('..')
const { Proxy } = require('./proxy')
const { withServer } = require('./server')

describe('faults', () => {
  const context = withServer()
  /** @type {Proxy} */
  let proxy

  beforeEach(async () => { proxy = await Proxy.start(context.server.port) })
  afterEach(() => proxy.stop())

  /** Counts the writes that are tried, and decides about the first. @param {string} fate @param {'onRequest' | 'onAnswer'} way */
  function cutOnce (fate, way) {
    const seen = { writes: 0 }
    proxy.onRequest = (bytes, client) => {
      if (!bytes.includes('\0batch\0') && !bytes.includes('\0fenced_batch\0')) return 'pass'
      const isFirst = ++seen.writes === 1
      if (!isFirst) return 'pass'
      if (way === 'onRequest') return /** @type {any} */ (fate)
      proxy.onAnswer = (_, answered) => {
        if (answered !== client) return 'pass'
        proxy.onAnswer = () => 'pass'
        return /** @type {any} */ (fate)
      }
      return 'pass'
    }
    return seen
  }

  it('in a connection that is lost before a write arrives do it once', async () => {
    const level = await context.open({}, proxy.url)
    const seen = cutOnce('cut', 'onRequest')
    await level.put('a', '1')
    assert.strictEqual(seen.writes, 2)
    assert.strictEqual(await level.get('a'), '1')
  })

  for (const [how, way] of [['after it was sent', 'onRequest'], ['before its answer comes', 'onAnswer']]) {
    it(`in a connection that is lost ${how} do it once`, async () => {
      const level = await context.open({}, proxy.url)
      const seen = cutOnce(way === 'onRequest' ? 'cut after' : 'cut', /** @type {any} */ (way))
      await level.put('a', '1')
      assert.ok(seen.writes >= 1)
      assert.strictEqual(await level.get('a'), '1')
    })
  }

  it('in a connection that is lost after the commit do not write again', async () => {
    const prefix = 'once'
    const level = await context.open({ prefix }, proxy.url)
    const other = await context.open({ prefix })
    const seen = cutOnce('cut', 'onAnswer')
    const pass = proxy.onRequest
    // The outcome is looked up after another process has written: a second write would undo that.
    let looked = () => {}
    const looking = new Promise(resolve => { looked = resolve })
    proxy.onRequest = (bytes, client) => {
      if (bytes.includes('ON CONFLICT (id) DO UPDATE')) looked()
      return pass(bytes, client)
    }
    const writing = level.put('a', 'mine')
    await Promise.race([looking, writing.then(() => assert.fail('its outcome was not looked up'))])
    await other.put('a', 'theirs')
    await writing
    assert.strictEqual(seen.writes, 1)
    assert.strictEqual(await level.get('a'), 'theirs')
  })

  it('while nobody uses the connections are none', async () => {
    const level = await context.open({}, proxy.url)
    await level.put('a', '1')
    proxy.cut()
    assert.strictEqual(await level.get('a'), '1')
    proxy.cut()
    await level.put('a', '2')
    proxy.cut()
    assert.deepStrictEqual(await level.iterator().all(), [['a', '2']])
  })

  it('of an engine that is away are errors until it is back', async () => {
    const server = await PostgresServer.start()
    const level = new PostgresLevel(server.url, { connectTimeout: 10_000 })
    try {
      await level.put('a', '1')
      await server.halt()
      for (const work of [() => level.get('a'), () => level.put('a', '2'), () => level.iterator().all()]) {
        await assert.rejects(work(), error => error.code === 'LEVEL_UNAVAILABLE' && !error.message.includes('postgres://'))
      }
      await server.resume()
      assert.strictEqual(await level.get('a'), '1')
      await level.put('a', '2')
    } finally {
      await level.close()
      await server.stop()
    }
  })

  it('of a standby, which only reads, are errors of writes', async () => {
    const level = await context.open({ prefix: 'reads' })
    await level.put('a', '1')
    const { token } = await level.leases.take('x', 'me')
    const standby = await PostgresServer.follow(context.server)
    const there = new PostgresLevel(standby.url, { prefix: 'reads' })
    try {
      await there.open()
      assert.strictEqual(await there.get('a'), '1')
      await assert.rejects(there.put('a', '2'), { code: 'LEVEL_UNAVAILABLE' })
      const fenced = there.fenced({ name: 'x', token })
      await assert.rejects(fenced.put('a', '2'), { code: 'LEVEL_UNAVAILABLE' })
      standby.promote()
      await fenced.put('a', '2')
      await there.put('a', '3')
      assert.strictEqual(await there.get('a'), '3')
    } finally {
      await there.close()
      await standby.stop()
    }
  })

  it('of too many connections are errors, and not for long', async () => {
    const level = await context.open({ max: 1, maxSnapshots: 1, connectTimeout: 3000 })
    await level.put('a', '1')
    const snapshot = level.snapshot()
    await level.get('a', { snapshot })
    const second = level.snapshot()
    await assert.rejects(level.get('a', { snapshot: second }), { code: 'LEVEL_UNAVAILABLE' })
    assert.strictEqual(await level.get('a'), '1')
    await Promise.all([snapshot.close(), second.close()])
    const third = level.snapshot()
    assert.strictEqual(await level.get('a', { snapshot: third }), '1')
    await third.close()
  })

  it('of a snapshot that is too old are told, and its connection is free', async () => {
    const level = await context.open({ snapshotAge: 50, maxSnapshots: 1, connectTimeout: 10_000 })
    await level.put('a', '1')
    const snapshot = level.snapshot()
    await level.get('a', { snapshot })
    const next = level.snapshot()
    assert.strictEqual(await level.get('a', { snapshot: next }), '1')
    await assert.rejects(level.get('a', { snapshot }), { code: 'LEVEL_SNAPSHOT_EXPIRED' })
    await Promise.all([snapshot.close(), next.close()])
  })

  it('of an outcome that cannot be known end when it is known', async () => {
    const level = await context.open({ connectTimeout: 3000, max: 1 }, proxy.url)
    await level.put('a', '1')
    cutOnce('cut', 'onAnswer')
    const pass = proxy.onRequest
    proxy.onRequest = (bytes, client) => {
      if (bytes.includes('\0batch\0')) proxy.isRefusing = true
      return pass(bytes, client)
    }
    await assert.rejects(level.put('a', '2'), error => error.code === 'LEVEL_UNAVAILABLE' && error.outcome === 'unknown')
    await assert.rejects(level.get('a'), { code: 'LEVEL_UNAVAILABLE' })
    proxy.isRefusing = false
    proxy.onRequest = () => 'pass'
    assert.strictEqual(await level.get('a'), '2')
    await level.put('a', '3')
    assert.strictEqual(await level.get('a'), '3')
  })

  it('of writers that disturb each other are tried again', async () => {
    const [one, other] = [await context.open({ prefix: 'many' }), await context.open({ prefix: 'many' })]
    await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 2 ? one : other).batch([
      { type: 'put', key: 'a', value: String(i) }, { type: 'put', key: 'b', value: String(i) }, { type: 'del', key: `c${i % 5}` }, { type: 'put', key: `c${(i + 1) % 5}`, value: 'x' }
    ])))
    assert.strictEqual(await one.get('a'), await other.get('b'))
  })
})
