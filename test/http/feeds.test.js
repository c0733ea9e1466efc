'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { LiveFeed } = require('./support/feed')
const { assertRefused } = require('./support/refusal')
const { remove } = require('./support/request')

describe('Live feeds', () => {
  const db = new TestDatabase()
  const sequence = seq => encodeURIComponent(String(seq))
  /** @type {LiveFeed[]} */
  let feeds = []

  async function follow (query, options) {
    const feed = await LiveFeed.open(db.path(`_changes?${query}`), options)
    feeds.push(feed)
    return feed
  }

  afterEach(() => {
    for (const feed of feeds) feed.close()
    feeds = []
  })

  describe('longpoll', () => {
    it('answers at once when there is something', async () => {
      await db.write('a')
      const { body } = await db.get('_changes?feed=longpoll')
      assert.deepEqual(body.results.map(({ id }) => id), ['a'])
    })

    it('waits for the first change, and says where to go on', async () => {
      await db.write('a')
      const { body: { last_seq: since } } = await db.get('_changes')
      const feed = await follow(`feed=longpoll&since=${sequence(since)}`)
      const rev = await db.write('b')
      const body = await whole(feed)
      assert.deepEqual(body.results.map(({ id, changes }) => [id, changes]), [['b', [{ rev }]]])
      assert.equal(body.last_seq, body.results[0].seq)
      const next = await follow(`feed=longpoll&since=${sequence(body.last_seq)}&include_docs=true`)
      await db.write('c', { n: 3 })
      assert.equal((await whole(next)).results[0].doc.n, 3)
    })

    it('waits for a change that passes the filter', async () => {
      const feed = await follow('feed=longpoll&since=now&filter=_doc_ids', { method: 'POST', body: { doc_ids: ['wanted'] } })
      await db.write('other')
      await db.write('wanted')
      const body = await whole(feed)
      assert.deepEqual(body.results.map(({ id }) => id), ['wanted'])
    })

    it('ends empty after its timeout', async () => {
      await db.write('a')
      const { body } = await db.get('_changes?feed=longpoll&since=now&timeout=50')
      assert.deepEqual(body.results, [])
      assert.equal(String(body.last_seq).split('-')[0], '1')
    })

    it('beats while it waits', async () => {
      const feed = await follow('feed=longpoll&since=now&heartbeat=20')
      assert.equal(await feed.line(), '{"results":[')
      assert.equal(await feed.line(), '')
      assert.equal(await feed.line(), '')
      await db.write('a')
      assert.equal(JSON.parse('{"results":[' + await rest(feed)).results[0].id, 'a')
    })

    it('ends empty when the database is deleted, and finds none where it comes amid that', async () => {
      await db.write('a')
      const since = sequence((await db.get('_changes')).body.last_seq)
      const waiting = await follow(`feed=longpoll&heartbeat=20&since=${since}`)
      await waiting.line()
      const [, amid] = await Promise.all([remove(db.path()), db.get(`_changes?feed=longpoll&since=${since}`)])
      if (amid.status === 200) assert.deepEqual(amid.body.results, [])
      else assertRefused(amid, 404, 'not_found')
      const { results } = JSON.parse('{"results":[' + await rest(waiting))
      assert.deepEqual(results, [])
    })
  })

  describe('continuous', () => {
    it('gives what is there and then what comes', async () => {
      await db.write('a')
      const feed = await follow('feed=continuous')
      assert.equal((await feed.next()).id, 'a')
      const rev = await db.write('b')
      assert.deepEqual((await feed.next()).changes, [{ rev }])
      const { body } = await db.remove(`b?rev=${rev}`)
      const deletion = await feed.next()
      assert.equal(deletion.deleted, true)
      assert.deepEqual(deletion.changes, [{ rev: body.rev }])
    })

    it('is called live too', async () => {
      const feed = await follow('feed=live&since=now')
      await db.write('a')
      assert.equal((await feed.next()).id, 'a')
    })

    it('ends at its limit', async () => {
      await db.write('a')
      const feed = await follow('feed=continuous&limit=2')
      assert.equal((await feed.next()).id, 'a')
      await db.write('b')
      const { seq } = await feed.next()
      const end = await feed.next()
      assert.equal(end.last_seq, seq)
      assert.equal(await feed.next(), null)
    })

    it('ends after its timeout', async () => {
      await db.write('a')
      const feed = await follow('feed=continuous&timeout=50')
      const { seq } = await feed.next()
      assert.deepEqual(await feed.next(), { last_seq: seq, pending: 0 })
      assert.equal(await feed.next(), null)
    })

    it('beats while nothing happens', async () => {
      const feed = await follow('feed=continuous&since=now&heartbeat=20')
      for (let i = 0; i < 3; i++) assert.equal(await feed.line(), '')
      await db.write('a')
      assert.equal((await feed.next()).id, 'a')
    })

    it('brings documents', async () => {
      const feed = await follow('feed=continuous&since=now&include_docs=true')
      await db.write('a', { n: 1 })
      const { doc } = await feed.next()
      assert.equal(doc.n, 1)
      assert.equal(doc._id, 'a')
    })

    it('filters what comes', async () => {
      const feed = await follow('feed=continuous&since=now&filter=_selector', { method: 'POST', body: { selector: { n: { $gt: 1 } } } })
      for (const n of [1, 2, 1, 3]) await db.write(`d-${n}-${Math.random()}`, { n })
      assert.match((await feed.next()).id, /^d-2/)
      assert.match((await feed.next()).id, /^d-3/)
    })

    it('loses nothing of many writes at once', async () => {
      const feed = await follow('feed=continuous&since=now')
      const batches = Array.from({ length: 10 }, (_, batch) => db.post('_bulk_docs', {
        docs: Array.from({ length: 300 }, (_, n) => ({ _id: `d${batch}-${n}` }))
      }))
      const seen = new Set()
      while (seen.size < 3000) seen.add((await feed.next()).id)
      await Promise.all(batches)
    })

    it('ends when the database is deleted', async () => {
      await db.write('a')
      const feed = await follow('feed=continuous&heartbeat=1000')
      assert.equal((await feed.next()).id, 'a')
      await remove(db.path())
      for (let row; (row = await feed.next()) !== null;) assert.ok(row.last_seq !== undefined || row.error !== undefined)
    })
  })

  describe('eventsource', () => {
    it('gives events with their sequence as id', async () => {
      await db.write('a')
      const feed = await follow('feed=eventsource')
      assert.match(feed.headers.get('content-type'), /^text\/event-stream/)
      const { change, id } = await event(feed)
      assert.equal(change.id, 'a')
      assert.equal(JSON.parse(id), change.seq)
      await db.write('b')
      assert.equal((await event(feed)).change.id, 'b')
    })

    it('goes on after Last-Event-ID', async () => {
      await db.write('a')
      await db.write('b')
      const first = await event(await follow('feed=eventsource'))
      assert.equal(first.change.id, 'a')
      const again = await follow('feed=eventsource&since=0', { headers: { 'Last-Event-ID': first.id } })
      assert.equal((await event(again)).change.id, 'b')
    })

    it('beats ten times a second at most', async () => {
      const began = performance.now()
      const feed = await follow('feed=eventsource&since=now&heartbeat=1')
      for (let beats = 0; beats < 5;) if (await feed.line() === 'event: heartbeat') beats++
      assert.ok(performance.now() - began > 490, 'the fifth after half a second')
    })

    it('beats', async () => {
      const feed = await follow('feed=eventsource&since=now&heartbeat=20')
      for (let line = await feed.line(); line !== 'event: heartbeat'; line = await feed.line()) assert.equal(line, '')
      assert.equal(await feed.line(), 'data: ')
    })
  })

  async function rest (feed) {
    let text = ''
    for (let line; (line = await feed.line()) !== null;) text += line
    return text
  }

  async function whole (feed) { return JSON.parse(await rest(feed)) }

  async function event (feed) {
    let line = await feed.line()
    while (line === '') line = await feed.line()
    assert.match(line, /^data: /)
    const id = await feed.line()
    assert.match(id, /^id: /)
    return { change: JSON.parse(line.slice('data: '.length)), id: id.slice('id: '.length) }
  }
})
