'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('live finds', () => {
  const tasks = { type: 'task', n: { $gt: 3 } }
  const TYPES = ['enter', 'change', 'leave', 'ready', 'reset', 'complete', 'error']

  /** The events of a live find, one by one, in short. */
  function read (live) {
    const events = []
    let wake = () => {}
    for (const type of TYPES) live.on(type, (event) => { events.push([type, event]); wake() })
    const next = async () => {
      while (events.length === 0) await new Promise((resolve) => { wake = resolve })
      return events.shift()
    }
    const brief = async () => {
      const [type, { id, doc }] = await next()
      return [type, ...(id === undefined ? [] : [id]), ...(doc === undefined ? [] : [doc.n])]
    }
    return { next, brief, cancel: () => live.cancel() }
  }
  const follow = (request, db = context.db) => read(db.find({ live: true, selector: tasks, ...request }))
  const write = async (id, body) => {
    const _rev = await context.db.get(id).then((doc) => doc._rev, () => undefined)
    return (await context.db.put({ _id: id, ...(_rev && { _rev }), ...body })).rev
  }

  it('tell the result, and then what enters, changes and leaves', async () => {
    await write('a', { type: 'task', n: 5 })
    await write('b', { type: 'task', n: 1 })
    const feed = follow()
    assert.deepEqual([await feed.brief(), await feed.brief()], [['enter', 'a', 5], ['ready']])
    await write('b', { type: 'task', n: 4 })
    assert.deepEqual(await feed.brief(), ['enter', 'b', 4])
    const rev = await write('b', { type: 'task', n: 6, _attachments: { f: { content_type: 'text/plain', data: Buffer.from('hello') } } })
    const [type, { id, doc }] = await feed.next()
    assert.deepEqual([type, id, doc], ['change', 'b', await context.db.get('b')])
    await write('other', { type: 'note', n: 9 })
    await write('a', { type: 'task', n: 0 })
    assert.deepEqual(await feed.brief(), ['leave', 'a'])
    await context.db.remove('b', rev)
    assert.deepEqual(await feed.brief(), ['leave', 'b'])
    feed.cancel()
    assert.deepEqual((await feed.next())[0], 'complete')
  })

  it('go on from a bookmark with what happened meanwhile', async () => {
    const db = context.open(context.newName())
    for (const [_id, n] of [['a', 4], ['b', 5], ['c', 6]]) await db.put({ _id, type: 'task', n })
    const feed = follow({}, db)
    const known = {}
    let event
    while ((event = await feed.next())[0] !== 'ready') known[event[1].id] = event[1].doc._rev
    feed.cancel()
    await db.put({ ...await db.get('a'), n: 40 })
    await db.remove(await db.get('b'))
    await db.bulkDocs([{ _id: 'd', type: 'task', n: 7 }, { _id: 'e', type: 'task', n: 1 }])
    const { bookmark } = event[1]
    const resumed = follow({ bookmark, known }, db)
    const told = []
    for (let brief; (brief = await resumed.brief())[0] !== 'ready';) told.push(brief)
    assert.deepEqual(told, [['change', 'a', 40], ['leave', 'b'], ['enter', 'd', 7]])
    const foreign = follow({ bookmark: bookmark.replace(/.$/, (digit) => digit === '0' ? '1' : '0') }, db)
    assert.deepEqual([await foreign.brief(), await foreign.brief()], [['reset'], ['enter', 'a', 40]])
    await db.destroy()
    assert.deepEqual((await resumed.next())[0], 'complete')
  })

  it('find what the selector accepts, with indexes that lack some of it', async () => {
    const { db } = context
    await db.createIndex({ index: { fields: ['type', 'n'] } })
    await db.createIndex({ index: { fields: ['type', 'more'] } })
    await db.createIndex({ index: { fields: ['n'], partial_filter_selector: { more: 1 } } })
    await db.bulkDocs([{ _id: 'a', type: 'task', n: 5 }, { _id: 'b', type: 'task' }, { _id: 'c', type: 'task', n: 9, more: 1 }])
    for (const [selector, ids] of [[{ type: 'task' }, ['a', 'b', 'c']], [tasks, ['a', 'c']], [{ n: { $gt: 4 } }, ['a', 'c']], [{ n: { $gt: 9, $lt: 5 } }, []], [{ _id: { $gt: 'a' } }, ['b', 'c']]]) {
      const feed = follow({ selector, fields: ['_id'] })
      const found = []
      for (let event; (event = await feed.next())[0] !== 'ready';) found.push(event[1])
      assert.deepEqual(found.map(({ id, doc }) => [id, doc]).sort(), ids.map((id) => [id, { _id: id }]), JSON.stringify(selector))
      feed.cancel()
    }
  })

  it('keep what other finds find, whatever is asked and written', async () => {
    const { db } = context
    const selectors = [{ n: 3 }, { n: { $gte: 2, $lt: 5 } }, { n: { $in: [1, 4] } }, { $or: [{ n: 1 }, { t: 'x' }] }, { n: { $ne: 2 } }, { t: { $gt: null } }, { t: ['x'] }, { 'o.p': { $gt: 2 } }, { n: { $exists: false } }, { n: { $eq: null } }, { t: { $regex: '^x' } }, { $and: [{ n: 3 }, { t: 'x' }] }, { o: { p: 3 } }]
    const lives = selectors.map((selector) => {
      const live = db.find({ live: true, selector })
      const follower = { live, selector, result: new Map(), wake: () => {} }
      for (const type of ['enter', 'change', 'leave']) {
        live.on(type, ({ id, doc }) => {
          if (type === 'leave') assert.ok(follower.result.delete(id))
          else follower.result.set(id, doc._rev)
          follower.wake()
        })
      }
      return follower
    })
    await Promise.all(lives.map(({ live }) => once(live, 'ready')))
    const values = [1, 2, 3, 4, 5, null, true, 'x']
    for (let i = 0; i < 60; i++) {
      await write(`d${i * 7 % 11}`, { ...(i % 5 && { n: values[i * 3 % 8] }), t: [['x'], 'x', 'xy', 4, {}][i % 5], ...(i % 3 && { o: { p: i % 6 } }) })
    }
    for (const follower of lives) {
      const { docs } = await db.find({ selector: follower.selector, limit: 100 })
      const expected = docs.map(({ _id, _rev }) => `${_id} ${_rev}`).sort().join()
      while ([...follower.result].map(([id, rev]) => `${id} ${rev}`).sort().join() !== expected) await new Promise((resolve) => { follower.wake = resolve })
      follower.live.cancel()
    }
  })

  it('say what is wrong', async () => {
    const wrong = [{ selector: undefined }, { selector: 5 }, { selector: { n: { $gt: 1, $no: 1 } } }, { limit: 5 }, { skip: 1 }, { sort: ['n'] }, { use_index: 'x' }, { fields: 'n' }, { bookmark: 'x' }]
    await context.db.put({ _id: 'a', n: 5 })
    for (const request of wrong) {
      const [type, error] = await follow(request).next()
      assert.equal(type, 'error', JSON.stringify(request))
      assert.ok(error instanceof Error, JSON.stringify(request))
    }
    const replaced = context.open(context.name)
    const { get } = replaced
    replaced.get = (...args) => get(...args)
    const [, error] = await follow({}, replaced).next()
    assert.match(error.reason ?? error.message, /replaced/)
    await replaced.close()
  })

  it('end with their instance, not with another', async () => {
    const other = context.open(context.name)
    const [mine, its] = [follow(), follow({}, other)]
    assert.deepEqual([await mine.brief(), await its.brief()], [['ready'], ['ready']])
    await other.close()
    assert.equal((await its.next())[0], 'complete')
    await write('a', { type: 'task', n: 5 })
    assert.deepEqual(await mine.brief(), ['enter', 'a', 5])
    const [type] = await follow({}, other).next()
    assert.equal(type, 'error')
    mine.cancel()
  })
})
