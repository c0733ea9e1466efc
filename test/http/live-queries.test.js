'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { LiveFeed } = require('./support/feed')
const { LiveResult } = require('./support/live-result')
const { RawConnection } = require('./support/raw')
const { get, post, put, remove } = require('./support/request')
const { Settings } = require('./support/settings')
const { NOBODY, TestUsers } = require('./support/users')

describe('Live queries', () => {
  const users = new TestUsers()
  const settings = new Settings()
  let name = ''
  /** @type {LiveFeed[]} */
  let feeds = []

  const path = rest => `/${name}/${rest}`
  const write = async (id, body) => {
    const found = await get(path(id))
    const answer = await put(path(id), { ...body, ...(found.status === 200 && { _rev: found.body._rev }) })
    assert.equal(answer.status, 201, answer.text)
    return answer.body.rev
  }
  const follow = async (body, query = 'feed=continuous', options = {}) => {
    const feed = await LiveFeed.open(path(`_find?${query}`), { method: 'POST', body, ...options })
    feeds.push(feed)
    return feed
  }
  const brief = ({ type, id, doc }) => [type, ...(id === undefined ? [] : [id]), ...(doc === undefined ? [] : [doc.n])]
  const next = async feed => brief(await feed.next())
  const tasks = { selector: { type: 'task', n: { $gt: 3 } } }

  beforeEach(async () => {
    name = `live-${crypto.randomUUID()}`
    assert.ok((await put(`/${name}?q=1`)).status < 300)
  })

  afterEach(async () => {
    for (const feed of feeds) feed.close()
    feeds = []
    await remove(`/${name}`)
  })

  it('send the result, and then what enters, changes and leaves', async () => {
    await write('a', { type: 'task', n: 5 })
    await write('b', { type: 'task', n: 1 })
    const feed = await follow(tasks)
    assert.equal(feed.headers.get('content-type'), 'application/json')
    const entered = await feed.next()
    assert.deepEqual([entered.type, entered.id, entered.doc.n, entered.doc._id], ['enter', 'a', 5, 'a'])
    assert.deepEqual(await next(feed), ['ready'])
    await write('b', { type: 'task', n: 4 })
    assert.deepEqual(await next(feed), ['enter', 'b', 4])
    const rev = await write('b', { type: 'task', n: 6 })
    const changed = await feed.next()
    assert.deepEqual([changed.type, changed.doc], ['change', { _id: 'b', _rev: rev, type: 'task', n: 6 }])
    await write('other', { type: 'note', n: 9 })
    await write('a', { type: 'task', n: 0 })
    assert.deepEqual(await next(feed), ['leave', 'a'])
    await remove(path(`b?rev=${rev}`))
    assert.deepEqual(await next(feed), ['leave', 'b'])
  })

  it('keep to the winner of a conflict, and to what a purge leaves', async () => {
    const rev = await write('a', { type: 'task', n: 5 })
    const feed = await follow(tasks)
    assert.deepEqual([await next(feed), await next(feed)], [['enter', 'a', 5], ['ready']])
    const winner = `${rev.split('-')[0]}-${'f'.repeat(32)}`
    await post(path('_bulk_docs'), { new_edits: false, docs: [{ _id: 'a', _rev: `1-${'0'.repeat(32)}`, type: 'note' }] })
    await post(path('_bulk_docs'), { new_edits: false, docs: [{ _id: 'a', _rev: winner, type: 'task', n: 7 }] })
    assert.deepEqual(await next(feed), ['change', 'a', 7])
    assert.equal((await post(path('_purge'), { a: [winner] })).status, 201)
    assert.deepEqual(await next(feed), ['change', 'a', 5])
    assert.equal((await post(path('_purge'), { a: [rev, `1-${'0'.repeat(32)}`] })).status, 201)
    assert.deepEqual(await next(feed), ['leave', 'a'])
  })

  it('show the fields that are asked for, in the order of a sort', async () => {
    await post(path('_index'), { index: { fields: ['n'] } })
    for (const n of [5, 9, 7]) await write(`d${n}`, { type: 'task', n, more: 'x' })
    const feed = await follow({ selector: { n: { $gt: 3 } }, sort: [{ n: 'desc' }], fields: ['n'] })
    const found = [await feed.next(), await feed.next(), await feed.next()]
    assert.deepEqual(found.map(({ id, doc }) => [id, doc]), [['d9', { n: 9 }], ['d7', { n: 7 }], ['d5', { n: 5 }]])
    assert.deepEqual(await next(feed), ['ready'])
    await write('d6', { n: 6, more: 'y' })
    assert.deepEqual((await feed.next()).doc, { n: 6 })
  })

  it('go on from a bookmark with exactly what happened meanwhile', async () => {
    for (const n of [4, 5, 6]) await write(`d${n}`, { type: 'task', n })
    const result = new LiveResult()
    const feed = await follow(tasks)
    for (let i = 0; i < 4; i++) result.apply(await feed.next())
    feed.close()
    await write('d4', { type: 'task', n: 40 })
    await write('d4', { type: 'task', n: 41 })
    await write('d5', { type: 'task', n: 0 })
    await write('d7', { type: 'task', n: 7 })
    await write('none', { type: 'task', n: 0 })
    const resumed = await follow({ ...tasks, bookmark: result.bookmark, known: result.known })
    const events = []
    for (let event; (event = result.apply(await resumed.next())).type !== 'ready';) events.push(brief(event))
    assert.deepEqual(events, [['change', 'd4', 41], ['leave', 'd5'], ['enter', 'd7', 7]])
    const { body } = await post(path('_find'), { ...tasks, limit: 100 })
    assert.deepEqual(result.revisions, body.docs.map(({ _id, _rev }) => `${_id} ${_rev}`).sort())
  })

  it('lose nothing and tell nothing twice while clients come and go and others write', async () => {
    const result = new LiveResult()
    const writer = { isBusy: true }
    const writing = (async () => {
      for (let i = 0; i < 60; i++) {
        const docs = Array.from({ length: 4 }, (_, j) => ({ id: `d${(i * 7 + j * 3) % 20}`, n: (i + j) % 9 }))
        await Promise.all(docs.map(({ id, n }) => write(id, { type: 'task', n })))
      }
      writer.isBusy = false
    })()
    let turns = 0
    while (writer.isBusy || turns < 3) {
      const feed = await follow({ ...tasks, ...(result.bookmark && { bookmark: result.bookmark, known: result.known }) }, 'feed=continuous&timeout=200')
      const most = 5 + turns++ % 20
      for (let i = 0, event; i < most && (event = await feed.next()) !== null && event.type !== 'end'; i++) result.apply(event)
      feed.close()
    }
    await writing
    const feed = await follow({ ...tasks, bookmark: result.bookmark, known: result.known })
    while (result.apply(await feed.next()).type !== 'ready');
    const { body } = await post(path('_find'), { ...tasks, limit: 100 })
    assert.deepEqual(result.revisions, body.docs.map(({ _id, _rev }) => `${_id} ${_rev}`).sort())
    assert.ok(turns > 2)
  })

  it('tell a slow reader what there is in the end, and wait for nobody', async () => {
    const body = JSON.stringify(tasks)
    const slow = await RawConnection.open()
    await slow.request('POST', path('_find?feed=continuous'), { 'Content-Type': 'application/json', 'Content-Length': body.length }, body)
    await slow.received('"ready"')
    slow.pause()
    const more = 'x'.repeat(100_000)
    const rounds = 150
    for (let n = 4; n < 4 + rounds; n++) await write('a', { type: 'task', n, more })
    const rev = await write('a', { type: 'task', n: 1000 })
    slow.resume()
    const events = (await slow.received(rev)).split('"type":"').slice(1).map(text => text.slice(0, text.indexOf('"')))
    assert.deepEqual(events.slice(0, 2), ['ready', 'enter'])
    assert.ok(events.length < rounds, `${events.length} events of ${rounds}`)
    await slow.reset()
  })

  it('begin again where a bookmark is of another database', async () => {
    await write('a', { type: 'task', n: 5 })
    const feed = await follow({ ...tasks, bookmark: '7-0-0123456789ab' })
    assert.deepEqual([await next(feed), await next(feed), await next(feed)], [['reset'], ['enter', 'a', 5], ['ready']])
  })

  it('are events of an EventSource, which goes on from the last', async () => {
    await write('a', { type: 'task', n: 5 })
    const asked = `_find?feed=eventsource&request=${encodeURIComponent(JSON.stringify(tasks))}`
    const first = await LiveFeed.open(path(asked))
    feeds.push(first)
    assert.equal(first.headers.get('content-type'), 'text/event-stream')
    const event = async feed => {
      let line
      do line = await feed.line(); while (!line.startsWith('data: {'))
      return { ...JSON.parse(line.slice('data: '.length)), last: (await feed.line()).slice('id: '.length) }
    }
    assert.deepEqual(brief(await event(first)), ['enter', 'a', 5])
    const ready = await event(first)
    assert.deepEqual([ready.type, ready.bookmark], ['ready', ready.last])
    first.close()
    await write('b', { type: 'task', n: 6 })
    await write('a', { type: 'task', n: 0 })
    const second = await LiveFeed.open(path(asked), { headers: { 'Last-Event-ID': ready.last } })
    feeds.push(second)
    const events = [await event(second), await event(second), await event(second)]
    assert.deepEqual(events.map(brief), [['change', 'b', 6], ['leave', 'a'], ['ready']])
  })

  it('beat in silence, or end with a bookmark', async () => {
    await write('a', { type: 'task', n: 5 })
    const beating = await follow(tasks, 'feed=continuous&heartbeat=20')
    assert.deepEqual([await next(beating), await next(beating)], [['enter', 'a', 5], ['ready']])
    assert.deepEqual([await beating.line(), await beating.line()], ['', ''])
    const ending = await follow(tasks, 'feed=continuous&timeout=50')
    const [, ready, end, nothing] = [await ending.next(), await ending.next(), await ending.next(), await ending.next()]
    assert.deepEqual([end, nothing], [{ type: 'end', bookmark: ready.bookmark }, null])
  })

  it('end with their database', async () => {
    const feed = await follow(tasks)
    assert.deepEqual(await next(feed), ['ready'])
    await remove(`/${name}`)
    assert.equal((await feed.next()).type, 'end')
    assert.equal(await feed.next(), null)
  })

  const refused = {
    limit: [{ limit: 5 }, 'invalid_key'],
    skip: [{ skip: 1 }, 'invalid_key'],
    conflicts: [{ conflicts: true }, 'invalid_key'],
    'an old index': [{ update: false }, 'invalid_key'],
    'a malformed selector': [{ selector: { $no: 1 } }, 'invalid_operator'],
    'a sort without an index': [{ sort: ['n'] }, 'no_usable_index'],
    'a malformed bookmark': [{ bookmark: 'g1AAAA' }, 'invalid_bookmark'],
    'a malformed list of what is known': [{ known: ['a'] }, 'invalid_key']
  }
  for (const [what, [members, error]] of Object.entries(refused)) {
    it(`refuse ${what}`, async () => {
      const { status, body } = await post(path('_find?feed=continuous'), { ...tasks, ...members })
      assert.deepEqual([status, body.error], [400, error])
    })
  }

  it('refuse a feed that there is not, and a GET without one', async () => {
    assert.equal((await post(path('_find?feed=longpoll'), tasks)).status, 400)
    assert.equal((await get(path('_find?feed=eventsource'))).status, 400)
    const { status, body, headers } = await get(path('_find'))
    assert.deepEqual([status, body.reason, headers.get('allow')], [405, 'Only POST allowed', 'POST'])
  })

  it('are for those who may find', async () => {
    const member = await users.add()
    const stranger = await users.add()
    await put(path('_security'), { members: { names: [member.name] } })
    await write('a', { type: 'task', n: 5 })
    assert.equal((await post(path('_find?feed=continuous'), tasks, NOBODY)).status, 401)
    assert.equal((await post(path('_find?feed=continuous'), tasks, stranger.as)).status, 403)
    const feed = await follow(tasks, 'feed=continuous', member.as)
    assert.deepEqual(await next(feed), ['enter', 'a', 5])
  })

  it('end when their user changes, who asks again with other rights', async () => {
    const member = await users.add({ roles: ['cooks'] })
    const other = await users.add()
    await put(path('_security'), {})
    const [feed, others] = [await follow(tasks, 'feed=continuous', member.as), await follow(tasks, 'feed=continuous', other.as)]
    assert.deepEqual([await next(feed), await next(others)], [['ready'], ['ready']])
    const { body } = await get(member.path)
    assert.equal((await put(member.path, { ...body, roles: [] })).status, 201)
    assert.equal((await feed.next()).type, 'end')
    assert.equal(await feed.next(), null)
    await write('a', { type: 'task', n: 5 })
    assert.deepEqual(await next(others), ['enter', 'a', 5])
  })

  it('are open to members of a database with access by document, and to its administrators', async () => {
    const [member, boss] = [await users.add(), await users.add()]
    const guarded = `${name}-a`
    assert.equal((await put(`/${guarded}?access=true&q=1`)).status, 201)
    try {
      await put(`/${guarded}/_security`, { admins: { names: [boss.name] }, members: { names: [member.name] } })
      await put(`/${guarded}/mine`, { type: 'task', n: 5, _access: [member.name] })
      await put(`/${guarded}/other`, { type: 'task', n: 6 })
      const query = `_find?feed=continuous&request=${encodeURIComponent(JSON.stringify(tasks))}`
      for (const mine of [await LiveFeed.open(`/${guarded}/${query}`, member.as), await LiveFeed.open(`/${guarded}/_find?feed=continuous`, { method: 'POST', body: tasks, ...member.as })]) {
        feeds.push(mine)
        assert.deepEqual([await next(mine), await next(mine)], [['enter', 'mine', 5], ['ready']])
      }
      const feed = await LiveFeed.open(`/${guarded}/_find?feed=continuous`, { method: 'POST', body: tasks, ...boss.as })
      feeds.push(feed)
      assert.deepEqual([await next(feed), await next(feed), await next(feed)], [['enter', 'mine', 5], ['enter', 'other', 6], ['ready']])
    } finally {
      await remove(`/${guarded}`)
    }
  })

  it('are as many of one user as may be, and of the server', async () => {
    await settings.set('live_queries', 'max_queries_per_user', 2)
    const [first, second] = [await follow(tasks), await follow(tasks)]
    assert.deepEqual([await next(first), await next(second)], [['ready'], ['ready']])
    const third = await post(path('_find?feed=continuous'), tasks)
    assert.deepEqual([third.status, third.body.error], [429, 'too_many_requests'])
    await remove(`/${name}`)
    assert.equal((await first.next()).type, 'end')
    await put(`/${name}?q=1`)
    const feed = await follow(tasks)
    assert.deepEqual(await next(feed), ['ready'])
  })

  it('say where a result has more documents than it may', async () => {
    await settings.set('live_queries', 'max_documents', 2)
    for (const n of [4, 5]) await write(`d${n}`, { type: 'task', n })
    const feed = await follow(tasks)
    assert.deepEqual([await next(feed), await next(feed), await next(feed)], [['enter', 'd4', 4], ['enter', 'd5', 5], ['ready']])
    await write('d6', { type: 'task', n: 6 })
    const { type, error } = await feed.next()
    assert.deepEqual([type, error], ['error', 'too_large'])
    assert.equal(await feed.next(), null)
  })

  it('are of a partition', async () => {
    const partitioned = `${name}-p`
    await put(`/${partitioned}?partitioned=true&q=1`)
    try {
      await put(`/${partitioned}/one:a`, { n: 5 })
      await put(`/${partitioned}/two:a`, { n: 5 })
      const feed = await LiveFeed.open(`/${partitioned}/_partition/one/_find?feed=continuous`, { method: 'POST', body: { selector: { n: { $gt: 3 } } } })
      feeds.push(feed)
      assert.deepEqual([await next(feed), await next(feed)], [['enter', 'one:a', 5], ['ready']])
      await put(`/${partitioned}/two:b`, { n: 6 })
      await put(`/${partitioned}/one:b`, { n: 7 })
      assert.deepEqual(await next(feed), ['enter', 'one:b', 7])
    } finally {
      await remove(`/${partitioned}`)
    }
  })

  it('are of one partition in a database of several shards', async () => {
    const sharded = `${name}-s`
    await put(`/${sharded}?partitioned=true&q=3`)
    try {
      const whole = await post(`/${sharded}/_find?feed=continuous`, tasks)
      assert.deepEqual([whole.status, whole.body.error], [501, 'not_implemented'])
      const feed = await LiveFeed.open(`/${sharded}/_partition/one/_find?feed=continuous`, { method: 'POST', body: { selector: { n: { $gt: 3 } } } })
      feeds.push(feed)
      assert.deepEqual(await next(feed), ['ready'])
      await put(`/${sharded}/one:b`, { n: 7 })
      assert.deepEqual(await next(feed), ['enter', 'one:b', 7])
    } finally {
      await remove(`/${sharded}`)
    }
  })
})
