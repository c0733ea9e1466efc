'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { AdaptiveIndexes, Mango } = require('../..')

const DAY = 24 * 60 * 60 * 1000

/** Storage that is full at times. */
class FullLevel extends MemoryLevel {
  isFull = false
  refused = 0

  async _batch (...given) {
    if (!this.isFull) return super._batch(...given)
    this.refused++
    throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' })
  }
}

describe('learning', () => {
  let level, store, adaptive, mango, time

  async function start (settings = {}) {
    adaptive = new AdaptiveIndexes({ isDefault: () => false, settings: { minDocuments: 10, delay: 0, ...settings }, now: () => time, onError: error => { throw error } })
    mango = new Mango({ adaptive })
    store = await DocumentStore.open(level)
  }

  async function restart (settings) {
    await store.close()
    await start(settings)
  }

  beforeEach(async () => {
    level = new MemoryLevel()
    time = 1e12
    await start()
    await adaptive.enable(store, true)
    await store.write(Array.from({ length: 100 }, (_, n) => ({ _id: `d${String(n).padStart(3, '0')}`, n, kind: `k${n % 20}`, even: n % 2 === 0 })))
  })
  afterEach(() => store.close())

  const find = async (selector, more = {}) => (await mango.find(store, { selector, ...more })).docs.map(({ _id }) => _id)
  const learned = async () => (await adaptive.describe(store)).indexes.map(({ name, adaptive: { state } }) => `${name} ${state}`)
  const used = async (selector, more) => (await mango.explain(store, { selector, ...more })).index.name

  /** Asks until it is learned and built. */
  async function teach (selector, more) {
    await find(selector, more)
    await find(selector, more)
    await adaptive.settled(store)
  }

  it('makes an index of what is asked a second time', async () => {
    const first = await find({ kind: 'k3' })
    await adaptive.settled(store)
    assert.deepEqual(await learned(), [])
    await find({ kind: 'k4' })
    await adaptive.settled(store)
    assert.deepEqual(await learned(), ['adaptive/kind ready'])
    assert.equal(await used({ kind: 'k3' }), 'adaptive/kind')
    assert.deepEqual(await find({ kind: 'k3' }), first)
  })

  it('knows fields whose names are numbers apart', async () => {
    await store.write(Array.from({ length: 100 }, (_, n) => ({ _id: `e${n}`, b: n % 10, 0: n })))
    const selector = { b: 3, 0: { $gt: 50 } }
    const first = await find(selector)
    assert.equal(first.length, 5)
    await teach(selector)
    assert.equal(await used(selector), 'adaptive/b,0')
    assert.deepEqual(await find(selector), first)
  })

  it('says what it knows of shapes without an index', async () => {
    await find({ kind: 'k3' })
    const { shapes } = await adaptive.describe(store)
    assert.deepEqual(shapes, [{ fields: ['kind'], state: 'learning', asked: 1, docs_examined: 100, keys_needed: 5, results_returned: 5, last_asked: new Date(time).toISOString() }])
  })

  for (const [why, selector, more] of [
    ['most documents match', { even: { $in: [true, false] } }],
    ['the scan soon has enough', { even: true }, { limit: 1 }],
    ['the scan soon has enough of a long range', { n: { $gte: 10 } }, { limit: 2 }],
    ['no index could help', { kind: { $regex: '3' } }],
    ['it is by id', { _id: { $gt: 'd001' }, kind: 'k1' }]
  ]) {
    it(`makes none where ${why}`, async () => {
      await teach(selector, more)
      await teach(selector, more)
      assert.deepEqual(await learned(), [])
    })
  }

  it('makes none in a small database', async () => {
    await restart({ minDocuments: 101 })
    await teach({ kind: 'k3' })
    assert.deepEqual(await learned(), [])
  })

  it('makes none where it is not allowed to', async () => {
    await adaptive.enable(store, false)
    await teach({ kind: 'k3' })
    assert.deepEqual(await adaptive.describe(store), { enabled: false, own: false, indexes: [], shapes: [] })
  })

  for (const [what, selector, more, name] of [
    ['a field that has to be there', { rare: { $exists: true } }, {}, 'adaptive/rare'],
    ['fields that have to be there', { rare: { $exists: true }, n: { $exists: true }, kind: { $ne: 'k3' } }, {}, 'adaptive/n,rare'],
    ['one of several values, and a range', { n: { $gt: 50 }, kind: { $in: ['k1', 'k2'] } }, {}, 'adaptive/kind,n'],
    ['a range, sorted by another field', { n: { $gt: 95 } }, { sort: ['kind'] }, 'adaptive/n'],
    ['a range of what is fixed, sorted by another field', { even: true, n: { $gt: 95 } }, { sort: [{ kind: 'desc' }] }, 'adaptive/even,n']
  ]) {
    it(`makes one of ${what}`, async () => {
      await store.write(Array.from({ length: 5 }, (_, n) => ({ _id: `rare${n}`, rare: n, n, kind: `k${5 - n}` })))
      const first = await find(selector, more)
      await teach(selector, more)
      assert.deepEqual(await learned(), [`${name} ready`])
      assert.equal(await used(selector, more), name)
      const { docs, execution_stats: stats } = await mango.find(store, { selector, ...more, execution_stats: true })
      assert.deepEqual(docs.map(({ _id }) => _id), first)
      assert.ok(stats.total_docs_examined <= first.length + 1, `${stats.total_docs_examined} examined`)
    })
  }

  it('makes one for both where one serves both', async () => {
    await teach({ n: 3, kind: 'k3' })
    await teach({ kind: 'k3', n: { $eq: 4 } })
    assert.deepEqual(await learned(), ['adaptive/kind,n ready'])
  })

  it('makes one of a range where the scan stops early, but late', async () => {
    const selector = { kind: 'k3', n: { $gte: 50 } }
    await teach(selector, { limit: 1 })
    assert.deepEqual(await learned(), ['adaptive/kind,n ready'])
    assert.deepEqual(await find(selector, { limit: 1 }), ['d063'])
  })

  it('makes one for each branch of an $or', async () => {
    const selector = { $or: [{ kind: 'k3' }, { n: { $lt: 3 } }] }
    const first = await find(selector)
    await teach(selector)
    assert.deepEqual((await learned()).sort(), ['adaptive/kind ready', 'adaptive/n ready'])
    assert.deepEqual(await find(selector), first)
    const { adaptive: known } = await mango.explain(store, { selector })
    assert.deepEqual(known.map(({ fields, state }) => [fields[0], state]), [['kind', 'ready'], ['n', 'ready']])
    const { execution_stats: stats } = await mango.find(store, { selector, execution_stats: true })
    assert.equal(stats.total_docs_examined, first.length)
  })

  it('answers sorted from the first time on', async () => {
    const more = { sort: [{ n: 'desc' }], limit: 3 }
    assert.deepEqual(await find({ kind: 'k3' }, more), ['d083', 'd063', 'd043'])
    await teach({ kind: 'k3' }, more)
    assert.deepEqual(await learned(), ['adaptive/kind,n ready'])
    assert.equal(await used({ kind: 'k3' }, more), 'adaptive/kind,n')
    assert.deepEqual(await find({ kind: 'k3' }, more), ['d083', 'd063', 'd043'])
  })

  it('sorts no more than fits without an index', async () => {
    const more = { sort: ['n'], limit: 2000 }
    assert.equal((await find({ kind: 'k3' }, more)).length, 5)
    await assert.rejects(find({ kind: 'k3' }, { ...more, limit: 1e9 }), { error: 'no_usable_index' })
    await teach({ kind: 'k3' }, { sort: ['n'], limit: 1 })
    assert.equal((await find({ kind: 'k3' }, { ...more, limit: 1e9 })).length, 5)
  })

  it('follows what is written', async () => {
    await teach({ kind: 'k3' })
    await store.put({ _id: 'd000a', kind: 'k3' })
    assert.equal((await find({ kind: 'k3' }))[0], 'd000a')
    await store.put({ _id: 'd000b', kind: 'k3' })
    await adaptive.settled(store)
    assert.equal((await adaptive.describe(store)).indexes[0].adaptive.updates_pending, 0)
  })

  it('remembers over a restart', async () => {
    await teach({ kind: 'k3' })
    await restart()
    assert.deepEqual(await learned(), ['adaptive/kind ready'])
    assert.equal(await used({ kind: 'k3' }), 'adaptive/kind')
  })

  it('goes on after a restart before anybody asks, and once more where it was written to meanwhile', async () => {
    await teach({ kind: 'k3' })
    await restart()
    await adaptive.follow(store)
    for (let n = 0; n < 3; n++) {
      await store.write(Array.from({ length: 2000 }, (_, i) => ({ kind: `k${i}` })))
      await new Promise(resolve => setTimeout(resolve)) // the timer of the first has begun an update
    }
    await adaptive.settled(store)
    assert.equal((await adaptive.describe(store)).indexes[0].adaptive.updates_pending, 0)
  })

  it('lets an index rest that nobody asks for, and catches up when somebody does', async () => {
    await restart({ catchUp: 1 })
    await teach({ kind: 'k3' })
    time += DAY
    assert.deepEqual(await learned(), ['adaptive/kind resting'])
    await store.write(Array.from({ length: 5 }, (_, n) => ({ _id: `later-${n}`, kind: 'k3' })))
    await adaptive.settled(store)
    assert.equal((await adaptive.describe(store)).indexes[0].adaptive.updates_pending, 5)
    assert.equal(await used({ kind: 'k3' }), '_all_docs')
    assert.equal((await find({ kind: 'k3' })).length, 10)
    await adaptive.settled(store)
    assert.equal(await used({ kind: 'k3' }), 'adaptive/kind')
    assert.equal((await find({ kind: 'k3' })).length, 10)
  })

  it('drops at last what nobody asks for', async () => {
    await teach({ kind: 'k3' })
    time += 30 * DAY
    await adaptive.review(store)
    assert.deepEqual(await learned(), [])
    await restart()
    assert.deepEqual(await learned(), [])
    assert.deepEqual(await store.indexSpace.keyspace.keys({ gte: store.indexSpace.prefix, lt: 'j' }).all(), [])
  })

  it('has so many indexes and no more, and makes room where one rests', async () => {
    await restart({ maxIndexes: 1 })
    await teach({ kind: 'k3' })
    await teach({ n: 3 })
    assert.deepEqual(await learned(), ['adaptive/kind ready'])
    time += DAY
    await teach({ n: 3 })
    assert.deepEqual(await learned(), ['adaptive/n ready'])
  })

  it('drops all when it is switched off', async () => {
    await teach({ kind: 'k3' })
    await adaptive.enable(store, null)
    assert.deepEqual(await store.indexSpace.keyspace.keys({ gte: store.indexSpace.prefix, lt: 'j' }).all(), [])
    assert.equal((await find({ kind: 'k3' })).length, 5)
  })

  it('keeps nobody waiting while an index is built', async () => {
    await store.write(Array.from({ length: 20000 }, (_, n) => ({ _id: `more${n}`, kind: 'other' })))
    await find({ kind: 'k3' })
    await find({ kind: 'k3' })
    while ((await learned()).length === 0) await new Promise(setImmediate)
    await store.put({ _id: 'd000a', kind: 'k3' })
    // It stops at the sixth, long before the index has come to the last.
    assert.equal((await find({ kind: 'k3' }, { limit: 6 })).length, 6)
    assert.deepEqual(await learned(), ['adaptive/kind building'])
    await adaptive.settled(store)
    assert.deepEqual(await learned(), ['adaptive/kind ready'])
  })

  it('leaves nothing of an index that is dropped while it is built', async () => {
    await store.write(Array.from({ length: 5000 }, (_, n) => ({ _id: `more${n}`, kind: 'other' })))
    await find({ kind: 'k3' })
    await find({ kind: 'k3' })
    while ((await learned()).length === 0) await new Promise(setImmediate)
    await adaptive.enable(store, false)
    await adaptive.settled(store)
    assert.deepEqual(await store.indexSpace.keyspace.keys({ gte: store.indexSpace.prefix, lt: 'j' }).all(), [])
  })

  it('answers what nothing sorts only where the database says that it learns', async () => {
    await adaptive.enable(store, null)
    adaptive = new AdaptiveIndexes({ settings: { minDocuments: 10 } })
    mango = new Mango({ adaptive })
    await assert.rejects(find({ kind: 'k3' }, { sort: ['n'] }), { error: 'no_usable_index' })
    await teach({ kind: 'k3' })
    assert.deepEqual(await learned(), ['adaptive/kind ready'])
    await assert.rejects(find({ kind: 'k3' }, { sort: ['n'] }), { error: 'no_usable_index' })
  })

  it('shows learned indexes to whoever asks for them', async () => {
    await teach({ kind: 'k3' })
    assert.deepEqual((await mango.list(store)).indexes.map(({ name }) => name), ['_all_docs'])
    assert.deepEqual((await mango.list(store, { adaptive: true })).indexes.map(({ name }) => name), ['_all_docs', 'adaptive/kind'])
  })

  it('is nothing for what one user sees of a database', async () => {
    await teach({ kind: 'k3' })
    const members = ['name', 'closed', 'partitioned', 'updateSeq', 'designSeq', 'purgeSeq', 'docCount']
    const view = Object.fromEntries([...members.map(name => [name, store[name]]), ...['get', 'bulkGet', 'allDocs', 'changes'].map(name => [name, (...given) => store[name](...given)])])
    const { docs, execution_stats: stats } = await mango.find(view, { selector: { kind: 'k3' }, execution_stats: true })
    assert.deepEqual([docs.length, stats.total_docs_examined], [5, 100])
    assert.equal((await mango.explain(view, { selector: { kind: 'k3' } })).index.name, '_all_docs')
  })

  it('gives up an index that would be too large', async () => {
    await restart({ maxSize: 1000 })
    await teach({ kind: 'k3' })
    assert.deepEqual(await learned(), ['adaptive/kind failed'])
    assert.equal((await find({ kind: 'k3' })).length, 5)
    await adaptive.review(store)
    await teach({ kind: 'k3' })
    assert.deepEqual(await learned(), [])
    assert.deepEqual(await store.indexSpace.keyspace.keys({ gte: store.indexSpace.prefix, lt: 'j' }).all(), [])
    time += DAY
    await restart()
    await teach({ kind: 'k3' })
    assert.deepEqual(await learned(), ['adaptive/kind ready'])
  })

  it('drops those asked longest ago where all together are too large', async () => {
    await teach({ kind: 'k3' })
    time += 1000
    await teach({ n: 3 })
    const sizes = (await adaptive.describe(store)).indexes.map(({ adaptive: { size } }) => size)
    await restart({ maxSize: sizes[0] + sizes[1] - 1 })
    await adaptive.review(store)
    assert.deepEqual(await learned(), ['adaptive/n ready'])
  })

  it('scans where an index cannot be written, tries again later, and then gives up', async () => {
    await store.close()
    level = new FullLevel()
    await start()
    await adaptive.enable(store, true)
    await store.write(Array.from({ length: 100 }, (_, n) => ({ _id: `d${n}`, kind: `k${n % 20}` })))
    await find({ kind: 'k3' })
    await find({ kind: 'k3' })
    while ((await learned()).length === 0) await new Promise(setImmediate)
    level.isFull = true
    await adaptive.settled(store)
    assert.deepEqual(await learned(), ['adaptive/kind failed'])
    const { refused } = level
    for (let i = 0; i < 5; i++) assert.equal((await find({ kind: 'k3' })).length, 5)
    await adaptive.settled(store)
    assert.equal(level.refused, refused)
    time += 60 * 1000
    level.isFull = false
    await find({ kind: 'k3' })
    await adaptive.settled(store)
    assert.deepEqual(await learned(), ['adaptive/kind ready'])
    level.isFull = true
    for (let i = 0; i < 3; i++) {
      level.isFull = false
      await store.put({ kind: 'k3' })
      level.isFull = true
      time += 60 * 1000
      assert.equal((await find({ kind: 'k3' })).length, 6 + i)
    }
    level.isFull = false
    await adaptive.review(store)
    assert.deepEqual(await learned(), [])
  })

  it('bounds the shapes it remembers', async () => {
    await restart({ maxShapes: 3 })
    for (let n = 0; n < 5; n++) await find({ [`field${n}`]: 1 })
    assert.deepEqual((await adaptive.describe(store)).shapes.map(({ fields }) => fields[0]), ['field4', 'field3', 'field2'])
  })
})
