'use strict'

const assert = require('node:assert/strict')
const { AccessDatabase } = require('./support/access-database')
const { LiveFeed } = require('./support/feed')
const { LiveResult } = require('./support/live-result')
const { assertRefused } = require('./support/refusal')
const { post } = require('./support/request')

describe('Live queries of members of a database with access by document', () => {
  const db = new AccessDatabase()
  const tasks = { selector: { type: 'task' } }
  const everything = { selector: {} }
  let alice, bob
  /** @type {LiveFeed[]} */
  let feeds = []

  const follow = async (user, body = tasks) => {
    const feed = await LiveFeed.open(db.path('_find?feed=continuous'), { method: 'POST', body, ...user.as })
    feeds.push(feed)
    return feed
  }
  const next = async feed => {
    const { type, id, doc } = await feed.next()
    return [type, ...(id === undefined ? [] : [id]), ...(doc?.n === undefined ? [] : [doc.n])]
  }
  const task = (access, more = {}) => ({ type: 'task', _access: access, ...more })

  beforeEach(async () => { [alice, bob] = [await db.user('staff'), await db.user()] })
  afterEach(() => {
    for (const feed of feeds) feed.close()
    feeds = []
  })

  it('tell of what the member may see, and of nothing else', async () => {
    await db.admin.write('mine', task([alice.name], { n: 1 }))
    await db.admin.write('ours', task(['role:staff'], { n: 2 }))
    await db.admin.write('his', task([bob.name], { n: 3 }))
    await db.admin.write('bare', { type: 'task', n: 4 })
    const feed = await follow(alice)
    assert.deepEqual([await next(feed), await next(feed), await next(feed)], [['enter', 'mine', 1], ['enter', 'ours', 2], ['ready']])
    await bob.write('his-too', task([bob.name]))
    await db.admin.write('bare-too', { type: 'task' })
    const rev = await alice.write('mine-too', task([alice.name], { n: 5 }))
    assert.deepEqual(await next(feed), ['enter', 'mine-too', 5])
    await alice.write('mine-too', task([alice.name], { n: 6, _rev: rev }))
    assert.deepEqual(await next(feed), ['change', 'mine-too', 6])
  })

  it('tell of a document that is given, and taken away', async () => {
    let rev = await db.admin.write('a', task([bob.name]))
    const [feed, his] = [await follow(alice), await follow(bob)]
    assert.deepEqual([await next(feed), await next(his), await next(his)], [['ready'], ['enter', 'a'], ['ready']])
    for (let i = 0; i < 2; i++) {
      rev = await db.admin.write('a', task(['role:staff', bob.name], { n: i, _rev: rev }))
      assert.deepEqual([await next(feed), await next(his)], [['enter', 'a', i], ['change', 'a', i]])
      rev = await db.admin.write('a', task([bob.name], { secret: i, _rev: rev }))
      const { bookmark, ...left } = await feed.next()
      assert.deepEqual(left, { type: 'leave', id: 'a' })
      assert.deepEqual(await next(his), ['change', 'a'])
    }
    // A document that was never in a result leaves without a word.
    rev = await db.admin.write('a', { type: 'note', _access: ['role:staff'], _rev: rev })
    assert.deepEqual(await next(his), ['leave', 'a'])
    await db.admin.write('a', { type: 'note', _rev: rev })
    await db.admin.write('end', task([alice.name]))
    assert.deepEqual(await next(feed), ['enter', 'end'])
  })

  it('tell of what is deleted, and purged', async () => {
    const [first, second] = [await db.admin.write('a', task([alice.name])), await db.admin.write('b', task([alice.name]))]
    const hidden = await db.admin.write('c', task([bob.name]))
    const feed = await follow(alice)
    assert.deepEqual([await next(feed), await next(feed), await next(feed)], [['enter', 'a'], ['enter', 'b'], ['ready']])
    await alice.remove(`a?rev=${first}`)
    assert.deepEqual(await next(feed), ['leave', 'a'])
    assert.equal((await db.admin.post('_purge', { c: [hidden], b: [second] })).status, 201)
    assert.deepEqual(await next(feed), ['leave', 'b'])
  })

  it('end with a change of roles, and tell what that means when they go on', async () => {
    for (const [id, access] of [['staff', ['role:staff']], ['boss', ['role:bosses']], ['mine', [alice.name]], ['both', ['role:staff', 'role:bosses']]]) await db.admin.write(id, task(access))
    const result = new LiveResult()
    const feed = await follow(alice)
    while (result.apply(await feed.next()).type !== 'ready');
    assert.deepEqual([...result.docs.keys()].sort(), ['both', 'mine', 'staff'])
    alice = await db.setRoles(alice, 'bosses')
    assert.equal((await feed.next()).type, 'end')
    const resumed = await follow(alice, { ...tasks, bookmark: result.bookmark, known: result.known })
    const events = []
    for (let event; (event = result.apply(await resumed.next())).type !== 'ready';) events.push(`${event.type} ${event.id}`)
    assert.deepEqual(events.sort(), ['enter boss', 'leave staff'])
  })

  it('end when `_security` takes rights of their users, and no others', async () => {
    const chief = await db.user()
    assert.equal((await db.admin.put('_security', { admins: { names: [chief.name] } })).status, 200)
    const [hers, his, ofChief] = [await follow(alice), await follow(bob), await follow(chief)]
    for (const feed of [hers, his, ofChief]) assert.deepEqual(await next(feed), ['ready'])
    assert.equal((await db.admin.put('_security', { members: { names: [bob.name, chief.name] } })).status, 200)
    for (const ended of [hers, ofChief]) assert.equal((await ended.next()).type, 'end')
    await bob.write('b', task([bob.name]))
    assert.deepEqual(await next(his), ['enter', 'b'])
  })

  it('go on with exactly what differs, or begin again where it is not known what the client has', async () => {
    for (const id of ['a', 'b', 'c']) await alice.write(id, task([alice.name]))
    const result = new LiveResult()
    const feed = await follow(alice)
    while (result.apply(await feed.next()).type !== 'ready');
    feed.close()
    const { body: { _rev } } = await db.admin.get('a')
    await db.admin.write('a', task([bob.name], { _rev }))
    await alice.write('d', task([alice.name]))
    await db.admin.write('hidden', task([bob.name]))
    const asked = { ...tasks, bookmark: result.bookmark }
    const resumed = await follow(alice, { ...asked, known: { ...result.known, hidden: null, nothing: null } })
    const events = []
    for (let event; (event = await resumed.next()).type !== 'ready';) events.push(`${event.type} ${event.id}`)
    assert.deepEqual(events, ['enter d', 'leave a', 'leave hidden', 'leave nothing'])
    const again = await follow(alice, asked)
    assert.deepEqual([await next(again), await next(again), await next(again), await next(again), await next(again)], [['reset'], ['enter', 'b'], ['enter', 'c'], ['enter', 'd'], ['ready']])
    assertRefused(await post(db.path('_find?feed=continuous'), { ...tasks, bookmark: '1-0-0123456789ab' }, alice.as), 400, 'invalid_bookmark')
    const ofBob = await (await follow(bob)).next()
    assert.deepEqual(await next(await follow(alice, { ...tasks, bookmark: ofBob.bookmark, known: {} })), ['reset'])
  })

  it('have a bookmark that says nothing of what others write', async () => {
    const bookmarks = new Set()
    for (let i = 0; i < 3; i++) {
      const feed = await follow(alice, everything)
      for (let event; (event = await feed.next()).type !== 'ready';) bookmarks.add(event.bookmark)
      await bob.write(`b${i}`, task([bob.name]))
      await alice.write(`a${i}`, task([alice.name]))
      bookmarks.add((await feed.next()).bookmark)
    }
    assert.equal(bookmarks.size, 1)
    assert.match([...bookmarks][0], /^a-[\w-]{22}$/)
  })

  it('lose nothing and show nothing of others while all write and documents change hands', async () => {
    const result = new LiveResult()
    const feed = await follow(alice, everything)
    const writer = (async () => {
      for (let i = 0; i < 30; i++) {
        const docs = [`d${i % 7}`, `d${(i * 3) % 7}-x`].map(_id => ({ _id, n: i, _access: i % 3 === 0 ? [bob.name] : i % 3 === 1 ? ['role:staff'] : [alice.name, bob.name] }))
        const { body: { rows } } = await db.admin.post('_all_docs', { keys: docs.map(({ _id }) => _id) })
        await db.admin.post('_bulk_docs', { docs: docs.map((doc, j) => ({ ...doc, ...(rows[j].value && { _rev: rows[j].value.rev }) })) })
      }
      await db.admin.write('last', { _access: [alice.name] })
    })()
    for (let event; (event = result.apply(await feed.next())).id !== 'last';) if (event.doc) assert.ok(event.doc._access.includes(alice.name) || event.doc._access.includes('role:staff'), JSON.stringify(event))
    await writer
    const { body } = await alice.post('_find', { ...everything, limit: 100 })
    assert.deepEqual(result.revisions, body.docs.map(({ _id, _rev }) => `${_id} ${_rev}`).sort())
  })
})
