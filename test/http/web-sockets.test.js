'use strict'

const assert = require('node:assert/strict')
const { AccessDatabase } = require('./support/access-database')
const { TestDatabase } = require('./support/database')
const { LiveFeed } = require('./support/feed')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove } = require('./support/request')
const { RawConnection } = require('./support/raw')
const { server } = require('./support/server')
const { Settings } = require('./support/settings')
const { TestUsers } = require('./support/users')
const { FeedSocket } = require('./support/web-socket')

const NOBODY = { headers: { Authorization: '' } }
const CHANGES = '_changes?feed=websocket'
const FIND = '_find?feed=websocket'

describe('WebSockets', () => {
  const users = new TestUsers()
  const settings = new Settings()
  /** @type {FeedSocket[]} */
  let sockets = []

  before(async function () {
    if ((await get('/')).body.vendor.name !== 'Potoroo') this.skip()
  })

  const follow = async (path, options) => {
    const socket = await FeedSocket.open(path, options)
    sockets.push(socket)
    return socket
  }

  afterEach(() => {
    for (const socket of sockets) socket.terminate()
    sockets = []
  })

  describe('of _changes', () => {
    const db = new TestDatabase()

    it('have the lines of the continuous feed as messages', async () => {
      for (const id of ['a', 'b']) await db.write(id, { text: 'ä\n\u2028', id })
      await db.remove(`b?rev=${(await db.get('b')).body._rev}`)
      const query = 'since=0&include_docs=true&style=all_docs&limit=3'
      const [socket, feed] = [await follow(db.path(`${CHANGES}&${query}`)), await LiveFeed.open(db.path(`_changes?feed=continuous&${query}`))]
      const written = db.write('c', { n: 1 })
      for (let i = 0; i < 4; i++) {
        let line
        do line = await feed.line(); while (line === '')
        assert.equal(await socket.line(), line)
      }
      await written
      assert.deepEqual(await socket.closed, { code: 1000, reason: '' })
    })

    for (const query of ['feed=websocket&feed=longpoll', 'feed=websocket;feed=normal', '%66eed=web%73ocket']) {
      it(`are continuous by the first of several feeds: ${query}`, async () => {
        const socket = await follow(db.path(`_changes?${query}&since=0`))
        for (const id of ['a', 'b']) {
          await db.write(id)
          assert.equal(JSON.parse(await socket.line()).id, id)
        }
        socket.close()
      })
    }

    it('go on after a sequence', async () => {
      await db.write('a')
      const socket = await follow(db.path(CHANGES))
      const { seq } = await socket.next()
      socket.terminate()
      await db.write('b')
      const next = await follow(db.path(`${CHANGES}&since=${encodeURIComponent(seq)}`))
      assert.equal((await next.next()).id, 'b')
      await db.write('c')
      assert.equal((await next.next()).id, 'c')
    })

    it('filter, by a selector in the first message', async () => {
      const socket = await follow(db.path(`${CHANGES}&filter=_selector`), { message: { selector: { n: { $gt: 1 } } } })
      for (const n of [1, 2, 1, 3]) await db.write(`d${n}-${Math.random()}`, { n })
      assert.match((await socket.next()).id, /^d2/)
      assert.match((await socket.next()).id, /^d3/)
    })

    it('ping while nothing happens, without end', async () => {
      const socket = await follow(db.path(`${CHANGES}&heartbeat=20`))
      await socket.pinged(3)
      await db.write('a')
      assert.equal((await socket.next()).id, 'a')
    })

    it('end after a timeout with where they were', async () => {
      await db.write('a')
      const socket = await follow(db.path(`${CHANGES}&timeout=50`))
      const { seq } = await socket.next()
      assert.deepEqual(await socket.next(), { last_seq: seq, pending: 0 })
      assert.equal((await socket.closed).code, 1000)
    })

    it('end with their database', async () => {
      await db.write('a')
      const socket = await follow(db.path(CHANGES))
      assert.equal((await socket.next()).id, 'a')
      await remove(db.path())
      await socket.closed
    })

    it('lose nothing of many writes at once', async () => {
      const socket = await follow(db.path(`${CHANGES}&since=now`))
      await socket.pinged(1)
      const batches = Array.from({ length: 5 }, (_, batch) => db.post('_bulk_docs', { docs: Array.from({ length: 300 }, (_, n) => ({ _id: `d${batch}-${n}` })) }))
      const seen = new Set()
      while (seen.size < 1500) seen.add((await socket.next()).id)
      await Promise.all(batches)
    })

    it('are for those who may read, by whatever they log in with', async () => {
      const [member, stranger] = [await users.add(), await users.add()]
      await put(db.path('_security'), { members: { names: [member.name] } })
      await db.write('a')
      assertRefused(await FeedSocket.refused(db.path(CHANGES), NOBODY), 401, 'unauthorized')
      assertRefused(await FeedSocket.refused(db.path(CHANGES), { headers: { Authorization: 'Basic bm9ib2R5OnI=' } }), 401, 'unauthorized')
      assertRefused(await FeedSocket.refused(db.path(CHANGES), stranger.as), 403, 'forbidden')
      // Nothing is heard of who may not.
      assertRefused(await FeedSocket.refused(db.path(FIND), stranger.as), 403, 'forbidden')
      assert.equal((await (await follow(db.path(CHANGES), member.as)).next()).id, 'a')
      const { headers } = await post('/_session', { name: member.name, password: member.password }, NOBODY)
      const [cookie] = headers.get('set-cookie').split(';')
      assert.equal((await (await follow(db.path(CHANGES), { headers: { Authorization: '', Cookie: cookie } })).next()).id, 'a')
    })

    describe('from pages', () => {
      const own = () => new URL(server.origin).origin
      let cookie
      beforeEach(async () => {
        const { username: name, password } = server.credentials
        const { headers } = await post('/_session', { name, password }, NOBODY)
        cookie = headers.get('set-cookie').split(';')[0]
        await put(db.path('_security'), { admins: { roles: ['_admin'] }, members: { roles: ['_admin'] } })
        await db.write('a')
      })
      const from = (Origin, more = {}) => ({ headers: { Authorization: '', Cookie: cookie, Origin, ...more } })

      it('are open to pages of the server itself', async () => {
        assert.equal((await (await follow(db.path(CHANGES), from(own()))).next()).id, 'a')
      })

      for (const origin of ['https://evil.example', 'null', 'file://', 'http://localhost.evil.example']) {
        it(`are closed to ${origin}`, async () => {
          assertRefused(await FeedSocket.refused(db.path(CHANGES), from(origin)), 403, 'forbidden', /origin/)
          assertRefused(await FeedSocket.refused(db.path(FIND), from(origin)), 403, 'forbidden', /origin/)
          assertRefused(await FeedSocket.refused(db.path(CHANGES), { headers: { Origin: origin } }), 403, 'forbidden', /origin/)
        })
      }

      it('are open to origins of [cors], as nobody unless they may use credentials', async () => {
        await settings.set('cors', 'origins', 'https://app.example')
        assert.equal((await (await follow(db.path(CHANGES), from('https://app.example'))).next()).id, 'a')
        assertRefused(await FeedSocket.refused(db.path(CHANGES), from('https://other.example')), 403, 'forbidden')
        await settings.set('cors', 'credentials', false)
        assertRefused(await FeedSocket.refused(db.path(CHANGES), from('https://app.example')), 401, 'unauthorized')
        await settings.set('cors', 'credentials', true)
        await settings.set('cors', 'origins', '*')
        assertRefused(await FeedSocket.refused(db.path(CHANGES), from('https://any.example')), 401, 'unauthorized')
        await put(db.path('_security'), {})
        assert.equal((await (await follow(db.path(CHANGES), from('https://any.example'))).next()).id, 'a')
      })
    })
  })

  describe('of a database with access by document', () => {
    const db = new AccessDatabase()

    it('tell a member what enters and leaves the result of a find', async () => {
      const [alice, bob] = [await db.user(), await db.user()]
      const socket = await follow(db.path(FIND), { ...alice.as, message: { selector: {} } })
      assert.equal((await socket.next()).type, 'ready')
      await bob.write('b', { _access: [bob.name] })
      const rev = await db.admin.write('a', { _access: [alice.name] })
      const entered = await socket.next()
      await db.admin.write('a', { _rev: rev, _access: [bob.name] })
      assert.deepEqual([entered, await socket.next()].map(({ type, id }) => [type, id]), [['enter', 'a'], ['leave', 'a']])
    })

    it('tell a member of their documents, and of those that go', async () => {
      const [alice, bob] = [await db.user(), await db.user()]
      const socket = await follow(db.path(CHANGES), alice.as)
      await bob.write('b', { _access: [bob.name] })
      const rev = await db.admin.write('a', { _access: [alice.name] })
      assert.equal((await socket.next()).id, 'a')
      await db.admin.write('a', { _rev: rev, _access: [bob.name] })
      const { id, deleted, _access, seq } = await socket.next()
      assert.deepEqual([id, deleted, _access], ['a', true, false])
      assert.match(seq, /^a-/)
    })
  })

  describe('of _find', () => {
    const db = new TestDatabase({ shards: 1 })
    const tasks = { selector: { type: 'task' } }

    it('take the body as their first message', async () => {
      await db.write('a', { type: 'task' })
      const socket = await follow(db.path(FIND), { message: tasks })
      assert.deepEqual([(await socket.next()).type, (await socket.next()).type], ['enter', 'ready'])
      const rev = await db.write('b', { type: 'task' })
      const { type, id } = await socket.next()
      assert.deepEqual([type, id], ['enter', 'b'])
      await db.remove(`b?rev=${rev}`)
      assert.equal((await socket.next()).type, 'leave')
    })

    it('take it as a parameter, and go on from a bookmark', async () => {
      const asked = `${FIND}&request=${encodeURIComponent(JSON.stringify(tasks))}`
      await db.write('a', { type: 'task' })
      const first = await follow(db.path(asked))
      assert.equal((await first.next()).type, 'enter')
      const { type, bookmark } = await first.next()
      assert.equal(type, 'ready')
      first.terminate()
      await db.write('b', { type: 'task' })
      const next = await follow(db.path(`${asked}&bookmark=${bookmark}`))
      assert.deepEqual([(await next.next()).type, (await next.next()).type], ['change', 'ready'])
    })

    it('say in their close what is wrong with a question', async () => {
      const asked = [[{ selector: { $no: 1 } }, 4400, /^invalid_operator: /], [{ ...tasks, limit: 1 }, 4400, /^invalid_key: /], ['not an object', 4400, /^bad_request: /]]
      for (const [message, code, reason] of asked) {
        const closed = await (await follow(db.path(FIND), { message })).closed
        assert.equal(closed.code, code)
        assert.match(closed.reason, reason)
      }
      const socket = await follow(db.path(FIND))
      socket.send('{')
      assert.equal((await socket.closed).code, 4400)
      const long = await follow(db.path(FIND), { message: { selector: { [`$${'ä'.repeat(100)}`]: 1 } } })
      assert.match((await long.closed).reason, /ä/)
    })

    it('say it before they open where the question came with them', async () => {
      assertRefused(await FeedSocket.refused(db.path(`${FIND}&request=${encodeURIComponent('{"selector":1}')}`)), 400, 'invalid_selector_json')
    })

    it('end where a result is too large', async () => {
      await settings.set('live_queries', 'max_documents', 1)
      await db.write('a', { type: 'task' })
      const socket = await follow(db.path(FIND), { message: tasks })
      assert.deepEqual([(await socket.next()).type, (await socket.next()).type], ['enter', 'ready'])
      await db.write('b', { type: 'task' })
      assert.equal((await socket.next()).type, 'error')
      const { code, reason } = await socket.closed
      assert.equal(code, 1011)
      assert.match(reason, /^too_large: /)
    })

    it('are as many of one user as live queries are, and leave room again', async () => {
      await settings.set('live_queries', 'max_queries_per_user', 1)
      const first = await follow(db.path(FIND), { message: tasks })
      assert.equal((await first.next()).type, 'ready')
      assert.equal((await (await follow(db.path(FIND), { message: tasks })).closed).code, 4429)
      await first.close()
      let closed
      do {
        const socket = await follow(db.path(FIND), { message: tasks })
        closed = await Promise.race([socket.closed, socket.next()])
      } while (closed.code === 4429)
      assert.equal(closed.type, 'ready')
    })

    it('are open to pages of the server itself', async () => {
      const { username: name, password } = server.credentials
      const { headers } = await post('/_session', { name, password }, NOBODY)
      const page = { Authorization: '', Cookie: headers.get('set-cookie').split(';')[0], Origin: new URL(server.origin).origin }
      assert.equal((await (await follow(db.path(FIND), { headers: page, message: tasks })).next()).type, 'ready')
    })

    it('take no second message', async () => {
      const socket = await follow(db.path(FIND), { message: tasks })
      assert.equal((await socket.next()).type, 'ready')
      socket.send('{}')
      const { code, reason } = await socket.closed
      assert.equal(code, 1008)
      assert.match(reason, /^bad_request: /)
    })
  })

  describe('that are no feed', () => {
    const db = new TestDatabase({ shards: 1 })

    it('are refused', async () => {
      await db.write('a')
      for (const path of ['/', '/_all_dbs', '/_up', db.path(), db.path('a'), db.path('_all_docs'), db.path('_changes'), db.path('_changes?feed=continuous'), db.path('a?feed=websocket'), db.path('_changes?feed=longpoll&feed=websocket'), db.path('_changes?feed=normal;feed=websocket'), db.path('_changes?feed=websocket&limit=%zz'), db.path('a/_changes?feed=websocket'), '/_db_updates?feed=websocket', '/%ff/_changes?feed=websocket']) {
        assertRefused(await FeedSocket.refused(path), 400, 'bad_request')
      }
      assertRefused(await FeedSocket.refused('/there-is-none/_changes?feed=websocket'), 404, 'not_found')
      assertRefused(await FeedSocket.refused(db.path(`${CHANGES}&limit=-1`)), 400, 'bad_request')
      assertRefused(await get(db.path(CHANGES)), 400, 'bad_request', /Upgrade/)
      assertRefused(await post(db.path(FIND), { selector: {} }), 400, 'bad_request', /Upgrade/)
    })

    const handshake = { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version': 13 }

    const wrong = { 'a key that is none': { 'Sec-WebSocket-Key': 'short' }, 'no key': { 'Sec-WebSocket-Key': '' }, 'an old version': { 'Sec-WebSocket-Version': 8 } }
    for (const [what, headers] of Object.entries(wrong)) {
      it(`are refused with ${what}`, async () => {
        const connection = await RawConnection.open()
        await connection.request('GET', db.path(CHANGES), { ...handshake, ...headers })
        assert.match(await connection.closed(), /^HTTP\/1\.1 400 Bad Request\r\n[^]*"bad_request"/)
      })
    }

    it('are no WebSockets where something else is offered, or written', async () => {
      for (const [method, headers, body] of [['GET', { Upgrade: 'h2c', Connection: 'Upgrade, HTTP2-Settings' }, ''], ['PUT', { Upgrade: 'h2c', Connection: 'Upgrade', 'Content-Length': 2 }, '{}'], ['PUT', { ...handshake, 'Content-Length': 2 }, '{}']]) {
        const connection = await RawConnection.open()
        await connection.request(method, db.path(method === 'GET' ? '' : `d-${Math.random()}`), headers, body)
        assert.match(await connection.received('\r\n\r\n'), /^HTTP\/1\.1 20[01] /)
        await connection.reset()
      }
    })

    it('are no WebSockets while an answer to a request before them is under way', async () => {
      const upgrade = Object.entries({ ...handshake, Host: 'localhost', Authorization: server.authorization, Accept: 'application/json' })
      const head = `GET ${db.path(CHANGES)} HTTP/1.1\r\n${upgrade.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
      for (const path of ['', '_changes?feed=longpoll&since=now&timeout=50']) {
        const connection = await RawConnection.open()
        await connection.request('GET', db.path(path), {}, head)
        assert.match(await connection.received('feed=websocket'), /^HTTP\/1\.1 200 [^]*\nHTTP\/1\.1 400 [^]*"bad_request"/)
        await connection.reset()
      }
      const connection = await RawConnection.open()
      await connection.request('GET', db.path(''), {})
      await connection.received('update_seq')
      await connection.send(head)
      await connection.received('HTTP/1.1 101 ')
      await connection.reset()
    })

    it('hear no bytes of a body that an upgrade has not', async () => {
      const connection = await RawConnection.open()
      await connection.request('GET', db.path(CHANGES), { ...handshake, 'Content-Length': 100000 })
      assert.match(await connection.received('\r\n\r\n'), /^HTTP\/1\.1 101 /)
      await connection.reset()
    })

    /** Frames that the protocol forbids, or that are too large. */
    const frames = {
      'a frame without a mask': [Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
      'a compressed frame': [Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
      'an opcode that there is not': [Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
      'a giant frame': [Buffer.from([0x81, 0xff, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), 1009],
      'a frame longer than numbers go': [Buffer.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), 1009],
      'text that is no UTF-8': [Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff]), 1007],
      'a control frame in parts': [Buffer.from([0x09, 0x80, 0, 0, 0, 0]), 1002]
    }
    for (const [what, [bytes, code]] of Object.entries(frames)) {
      it(`are closed after ${what}`, async () => {
        for (const path of [CHANGES, FIND]) {
          const socket = await follow(db.path(path))
          socket.sendRaw(bytes)
          assert.equal((await socket.closed).code, code)
        }
        assert.equal((await db.get('')).status, 200)
      })
    }

    it('take no more of a question than a request may bring', async () => {
      const socket = await follow(db.path(CHANGES))
      socket.send('x'.repeat(2000))
      assert.equal((await socket.closed).code, 1009)
      await settings.set('chttpd', 'max_http_request_size', 1000)
      const find = await follow(db.path(FIND))
      find.send('x'.repeat(2000))
      assert.equal((await find.closed).code, 1009)
    })

    it('leave nothing behind that hang up at any time', async () => {
      await db.write('a')
      for (const path of [CHANGES, FIND]) {
        const connection = await RawConnection.open()
        await connection.request('GET', db.path(path), handshake)
        await connection.reset()
        const opened = await RawConnection.open()
        await opened.request('GET', db.path(path), handshake)
        await opened.received('101')
        await opened.reset()
      }
      assert.equal((await db.get('a')).status, 200)
    })
  })
})
