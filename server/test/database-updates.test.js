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
  async function told (since = 0, backwards = false) {
    const events = []
    for await (const { type, name } of updates.after(since, backwards)) events.push(`${type} ${name}`)
    return events
  }

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
    assert.deepEqual(await told(), ['created a', 'updated a'])
    await databases.create('b')
    assert.deepEqual(await told(seq), ['created b'])
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
    assert.deepEqual((await told(since)).sort(), ['created a', 'created b', 'created c', 'updated a'])
    assert.ok((await told(last)).length === (await told(since)).length, 'sequences that were told are of other events')
  })

  it('of a crash say that a database is another than the one before', async () => {
    await databases.create('a')
    await stop()
    await start()
    const [before, since] = [await saved(), updates.seq]
    await databases.destroy('a')
    await databases.create('a')
    await crash(before)
    assert.deepEqual(await told(since), ['deleted a', 'created a'])
  })

  it('of what is there already are made once', async () => {
    const { rev } = await (await databases.create('a')).put({ _id: 'x' })
    assert.ok(rev)
    await stop()
    await level.clear({ gte: 'updates/', lt: 'updates0' })
    await start()
    assert.deepEqual(await told(), ['created a', 'updated a'])
    await stop()
    await start()
    assert.deepEqual(await told(), ['created a', 'updated a'])
  })

  it('of many writes at once are one, and it comes last', async () => {
    const a = await databases.create('a')
    const b = await databases.create('b')
    const noted = new Promise(resolve => updates.once('events', resolve))
    await Promise.all([a.put({ _id: '1' }), a.put({ _id: '2' }), b.put({ _id: '1' })])
    await noted
    await a.put({ _id: '3' })
    await stop()
    assert.deepEqual(await told(), ['created a', 'created b', 'updated b', 'updated a'])
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
    assert.deepEqual(await told(), ['created a'])
    await start()
  })

  it('of very many databases are read a few at a time, each once and the last of its kind, either way', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `d${i}`)
    const expected = []
    for (const name of names) await databases.create(name)
    for (const name of names) await databases.destroy(name)
    for (const name of names.toReversed()) await databases.create(name)
    for (const name of names) expected.push(`deleted ${name}`)
    for (const name of names.toReversed()) expected.push(`created ${name}`)
    assert.deepEqual(await told(), expected)
    assert.deepEqual(await told(0, true), expected.toReversed())
    await stop()
    await start()
    assert.deepEqual(await told(), expected)
    assert.deepEqual(await told(0, true), expected.toReversed())
  })

  it('stay as they were when somebody began to read', async () => {
    for (let i = 0; i < 300; i++) await databases.create(`d${i}`)
    await stop()
    await start()
    await databases.create('e')
    const expected = await told()
    const found = []
    for await (const { type, name } of updates.after(0)) {
      if (found.length === 0) {
        for (let i = 280; i < 290; i++) await databases.destroy(`d${i}`)
        for (let i = 280; i < 290; i++) await databases.create(`d${i}`)
      }
      found.push(`${type} ${name}`)
    }
    assert.deepEqual(found, expected)
  })

  it('of names that are gone are found after those of an earlier version', async () => {
    for (const name of ['a', 'b']) await databases.create(name)
    await databases.destroy('a')
    await stop()
    const before = await told()
    const { ordered, ...meta } = JSON.parse(await level.get('updates/m'))
    assert.equal(ordered, true)
    await level.put('updates/m', JSON.stringify(meta))
    await level.clear({ gte: 'updates/s', lt: 'updates/t' })
    await level.put('updates/s0000000000000001', 'created:c')
    await start()
    assert.deepEqual(await told(), before)
  })
})
