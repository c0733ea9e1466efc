'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { Databases } = require('@potoroo/document-store')
const { Config } = require('../lib/config/config')
const { DatabaseUpdates } = require('../lib/databases/database-updates')

describe('updates of databases', () => {
  let level, databases, updates

  async function start () {
    databases = await Databases.open(level, { prefix: 'databases/' })
    updates = new DatabaseUpdates(level, databases, new Config(null, { global_changes: { max_event_delay: 0, max_write_delay: 0 } }), error => { throw error })
    await updates.open()
  }

  async function stop () {
    await databases.close()
    await updates.close()
  }

  /** A crash takes what was not saved: it begins again with what the level had. */
  async function crash (before) {
    await stop()
    const entries = await level.iterator({ gte: 'updates/', lt: 'updates0' }).all()
    await level.batch([...entries.map(([key]) => ({ type: 'del', key })), ...before.map(([key, value]) => ({ type: 'put', key, value }))])
    await start()
  }

  const saved = () => level.iterator({ gte: 'updates/', lt: 'updates0' }).all()
  const told = (since = 0) => updates.after(since).map(({ type, name }) => `${type} ${name}`)

  beforeEach(async () => {
    level = new MemoryLevel()
    await start()
  })
  afterEach(stop)

  it('are the same after a restart, and go on', async () => {
    const a = await databases.create('a')
    await a.put({ _id: 'x' })
    await stop()
    const { seq, instanceId } = updates
    await start()
    assert.deepEqual([updates.seq, updates.instanceId], [seq, instanceId])
    assert.deepEqual(told(), ['created a', 'updated a'])
    await databases.create('b')
    assert.deepEqual(told(seq), ['created b'])
  })

  it('of a crash are found in the databases, after all that was told before it', async () => {
    const a = await databases.create('a')
    await databases.create('b')
    const before = await saved()
    const since = updates.seq
    await a.put({ _id: 'x' })
    await databases.destroy('b')
    await databases.create('b')
    await databases.create('c')
    const last = updates.seq
    await crash(before)
    assert.deepEqual(told(since).sort(), ['created a', 'created b', 'created c', 'updated a'])
    assert.ok(updates.after(last).length === told(since).length, 'sequences that were told are of other events')
  })

  it('of a crash say that a database is another than the one before', async () => {
    await databases.create('a')
    await stop()
    await start()
    const [before, since] = [await saved(), updates.seq]
    await databases.destroy('a')
    await databases.create('a')
    await crash(before)
    assert.deepEqual(told(since), ['deleted a', 'created a'])
  })

  it('of what is there already are made once', async () => {
    const { rev } = await (await databases.create('a')).put({ _id: 'x' })
    assert.ok(rev)
    await stop()
    await level.clear({ gte: 'updates/', lt: 'updates0' })
    await start()
    assert.deepEqual(told(), ['created a', 'updated a'])
    await stop()
    await start()
    assert.deepEqual(told(), ['created a', 'updated a'])
  })

  it('of many writes at once are one, and it comes last', async () => {
    const a = await databases.create('a')
    const b = await databases.create('b')
    const noted = new Promise(resolve => updates.once('events', resolve))
    await Promise.all([a.put({ _id: '1' }), a.put({ _id: '2' }), b.put({ _id: '1' })])
    await noted
    await a.put({ _id: '3' })
    await stop()
    assert.deepEqual(updates.after(0).map(({ type, name }) => `${type} ${name}`), ['created a', 'created b', 'updated b', 'updated a'])
    await start()
  })

  it('may be left out', async () => {
    await stop()
    databases = await Databases.open(level, { prefix: 'databases/' })
    updates = new DatabaseUpdates(level, databases, new Config(null, { global_changes: { update_db: false } }), error => { throw error })
    await updates.open()
    const a = await databases.create('a')
    await a.put({ _id: 'x' })
    await stop()
    assert.deepEqual(told(), ['created a'])
    await start()
  })
})
