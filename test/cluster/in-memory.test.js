'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const http2 = require('node:http2')
const { once } = require('node:events')
const { AUTHORIZATION, ask, until } = require('./support/ask')
const { startServers } = require('./support/three-servers')

describe('servers that share an engine', () => {
  /** @type {Awaited<ReturnType<typeof startServers>>} */
  let cluster
  /** @type {any[]} */
  let servers
  beforeEach(async () => {
    cluster = await startServers(3, { admins: { admin: 'secret' } })
    servers = cluster.servers
    for (const server of servers) await until(() => ask(server, 'GET', '/_membership'), ({ body }) => body.all_nodes.length === 3)
  })
  afterEach(() => cluster.close())

  /** The index of the server that owns a database. @param {string} name */
  function ownerOf (name) { return servers.findIndex(({ service }) => service.cluster.owns(name)) }

  it('have the same databases, each with one owner', async () => {
    assert.equal((await ask(servers[1], 'PUT', '/db')).status, 201)
    for (let i = 0; i < 9; i++) assert.equal((await ask(servers[i % 3], 'PUT', `/db/${i}`, {})).status, 201)
    for (const server of servers) {
      assert.deepEqual((await ask(server, 'GET', '/_all_dbs')).body, ['_replicator', '_users', 'db'])
      assert.equal((await ask(server, 'GET', '/db')).body.doc_count, 9)
      assert.equal((await ask(server, 'GET', '/db/_changes')).body.results.length, 9)
      assert.equal((await ask(server, 'GET', '/_dbs_info')).body.length, 3)
    }
    assert.equal(servers.filter(({ service }) => service.cluster.owns('db')).length, 1)
  })

  it('list each other', async () => {
    const { body } = await ask(servers[0], 'GET', '/_membership')
    assert.deepEqual(body.cluster_nodes, body.all_nodes)
    for (const name of body.all_nodes) assert.match(name, /^potoroo@127\.0\.0\.1:\d+$/)
  })

  it('see a database that another one drops and makes again', async () => {
    await ask(servers[0], 'PUT', '/db')
    for (const server of servers) await ask(server, 'PUT', `/db/${servers.indexOf(server)}`, {})
    assert.equal((await ask(servers[2], 'DELETE', '/db')).status, 200)
    for (const server of servers) assert.equal((await ask(server, 'GET', '/db')).status, 404)
    await ask(servers[1], 'PUT', '/db')
    for (const server of servers) assert.equal((await ask(server, 'GET', '/db')).body.doc_count, 0)
  })

  it('pass long bodies and answers both ways', async () => {
    await ask(servers[0], 'PUT', '/db')
    const content = crypto.randomBytes(5_000_000)
    for (const [i, server] of servers.entries()) {
      const put = await fetch(`${server.url}/db/doc${i}/a`, { method: 'PUT', headers: { authorization: AUTHORIZATION }, body: content })
      assert.equal(put.status, 201)
      const got = await fetch(`${servers[(i + 1) % 3].url}/db/doc${i}/a`, { headers: { authorization: AUTHORIZATION } })
      assert.ok(Buffer.from(await got.arrayBuffer()).equals(content))
    }
  })

  it('tell each user of a database with access by document what is theirs, wherever they ask', async () => {
    await ask(servers[0], 'PUT', '/db?access=true')
    await ask(servers[0], 'PUT', '/db/_security', {})
    const as = {}
    for (const name of ['ann', 'bea']) {
      as[name] = { authorization: 'Basic ' + Buffer.from(`${name}:pass`).toString('base64') }
      await ask(servers[0], 'PUT', `/_users/org.couchdb.user:${name}`, { name, password: 'pass', roles: [], type: 'user' })
      for (const server of servers) await until(() => ask(server, 'GET', '/_session', undefined, as[name]), ({ body }) => body.userCtx?.name === name)
    }
    const rows = servers.map(server => ask(server, 'GET', '/db/_changes?feed=longpoll', undefined, as.ann))
    const feeds = await Promise.all(servers.map(server => fetch(`${server.url}/db/_changes?feed=continuous&limit=1&heartbeat=100`, { headers: as.ann })))
    for (const [i, server] of servers.entries()) assert.equal((await ask(server, 'PUT', `/db/bea${i}`, { _access: ['bea'] }, as.bea)).status, 201)
    assert.equal((await ask(servers[1], 'PUT', '/db/ann', { _access: ['ann'] }, as.ann)).status, 201)
    for (const { body } of await Promise.all(rows)) assert.deepEqual(body.results.map(({ id }) => id), ['ann'])
    for (const feed of feeds) assert.match(await feed.text(), /^\n*\{"seq":"[^"]+","id":"ann"/)
    for (const server of servers) {
      assert.equal((await ask(server, 'GET', '/db/bea0', undefined, as.ann)).status, 404)
      assert.equal((await ask(server, 'GET', '/db/bea0', undefined, as.bea)).status, 200)
      assert.equal((await ask(server, 'POST', '/db/_revs_diff', { bea0: ['1-a'] }, as.ann)).body.bea0.missing.length, 1)
    }
  })

  it('know users and sessions that another one made', async () => {
    const user = { name: 'ann', password: 'pass', roles: [], type: 'user' }
    assert.equal((await ask(servers[0], 'PUT', '/_users/org.couchdb.user:ann', user)).status, 201)
    const basic = { authorization: 'Basic ' + Buffer.from('ann:pass').toString('base64') }
    const cookies = []
    for (const server of servers) {
      await until(() => ask(server, 'GET', '/_session', undefined, basic), ({ body }) => body.userCtx?.name === 'ann')
      const { headers } = await ask(server, 'POST', '/_session', { name: 'ann', password: 'pass' }, { authorization: '' })
      cookies.push(String(headers.get('set-cookie')).split(';', 1)[0])
    }
    for (const server of servers) {
      for (const cookie of cookies) {
        const res = await fetch(`${server.url}/_session`, { headers: { cookie } })
        assert.equal((/** @type {any} */ (await res.json())).userCtx.name, 'ann')
      }
    }
    const { body } = await ask(servers[1], 'GET', '/_users/org.couchdb.user:ann')
    await ask(servers[2], 'PUT', '/_users/org.couchdb.user:ann', { ...body, password: 'other' })
    for (const server of servers) await until(() => ask(server, 'GET', '/_session', undefined, basic), ({ status }) => status === 401)
  })

  it('count wrong passwords together', async () => {
    await ask(servers[0], 'PUT', '/_node/_local/_config/chttpd_auth_lockout/threshold', '3')
    await ask(servers[0], 'PUT', '/_node/_local/_config/chttpd_auth_lockout/mode', 'enforce')
    await ask(servers[0], 'PUT', '/_users/org.couchdb.user:ann', { name: 'ann', password: 'pass', roles: [], type: 'user' })
    const wrong = { authorization: 'Basic ' + Buffer.from('ann:wrong').toString('base64') }
    for (const server of servers) await until(() => ask(server, 'GET', '/_session', undefined, wrong), ({ status }) => status === 401 || status === 403)
    const right = { authorization: 'Basic ' + Buffer.from('ann:pass').toString('base64') }
    for (const server of servers) await until(() => ask(server, 'GET', '/_session', undefined, right), ({ status }) => status === 403)
  })

  it('have one configuration', async () => {
    for (const [i, server] of servers.entries()) {
      assert.equal((await ask(server, 'PUT', '/_node/_local/_config/test/key', `v${i}`)).status, 200)
      for (const other of servers) assert.equal((await ask(other, 'GET', '/_node/_local/_config/test/key')).body, `v${i}`)
    }
    await ask(servers[2], 'DELETE', '/_node/_local/_config/test/key')
    for (const other of servers) assert.equal((await ask(other, 'GET', '/_node/_local/_config/test/key')).status, 404)
  })

  it('tell updates of all databases', async () => {
    await ask(servers[0], 'PUT', '/db')
    await ask(servers[1], 'PUT', '/db/doc', {})
    const isTold = (/** @type {any} */ { body }) => body.results.some((/** @type {any} */ row) => row.db_name === 'db' && row.type === 'updated')
    for (const server of servers) await until(() => ask(server, 'GET', '/_db_updates'), isTold)
  })

  it('hand over at once when one stops', async () => {
    await ask(servers[0], 'PUT', '/db')
    await ask(servers[0], 'PUT', '/db/doc', {})
    const [owner] = servers.splice(ownerOf('db'), 1)
    const closing = owner.close()
    for (let i = 0; i < 20; i++) assert.equal((await ask(servers[i % 2], 'PUT', `/db/${i}`, {})).status, 201)
    await closing
    for (const server of servers) assert.equal((await ask(server, 'GET', '/db')).body.doc_count, 21)
  })

  it('replace an owner that the engine does not hear, which loses nothing and comes back', async () => {
    await ask(servers[0], 'PUT', '/db')
    await ask(servers[0], 'PUT', '/db/doc', {})
    const index = ownerOf('db')
    const [lost] = servers.slice(index, index + 1)
    const others = servers.filter(server => server !== lost)
    cluster.levels[index].link.isCut = true
    const refused = await ask(lost, 'PUT', '/db/late', {})
    assert.equal(refused.status, 503)
    assert.equal(refused.body.error, 'service_unavailable')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal((await until(() => ask(others[0], 'PUT', '/db/next', {}), ({ status }) => status !== 503)).status, 201)
    await until(() => ask(lost, 'GET', '/_up'), ({ status }) => status === 503)
    cluster.levels[index].link.isCut = false
    await until(() => ask(lost, 'GET', '/_up'), ({ status }) => status === 200)
    for (const server of servers) {
      const { body } = await until(() => ask(server, 'GET', '/db/_all_docs'), ({ status }) => status === 200)
      assert.deepEqual(body.rows.map((/** @type {any} */ { id }) => id), ['doc', 'next'])
    }
  })

  it('refuse the writes of an owner that another has replaced, which closes then', async () => {
    await ask(servers[0], 'PUT', '/db')
    await ask(servers[0], 'PUT', '/db/doc', {})
    const owner = servers[ownerOf('db')]
    const [name] = [...cluster.engine.names].filter(([name, { server }]) => name.startsWith('db:') && server === owner.service.cluster.id).map(([name]) => name).reverse()
    // As if it had been stopped for long.
    const lease = /** @type {any} */ (cluster.engine.names.get(name))
    cluster.engine.names.set(name, { server: null, token: lease.token + 1 })
    assert.equal((await ask(owner, 'PUT', '/db/late', {})).status, 503)
    for (const server of servers) assert.deepEqual((await ask(server, 'GET', '/db/_all_docs')).body.rows.map((/** @type {any} */ { id }) => id), ['doc'])
    assert.equal((await ask(owner, 'PUT', '/db/late', {})).status, 201)
  })

  /** Lines of a continuous feed as they come. @param {{ url: string }} server @param {string} search */
  async function * feedOf (server, search) {
    const res = await fetch(`${server.url}/db/_changes?feed=continuous&${search}`, { headers: { authorization: AUTHORIZATION } })
    assert.equal(res.status, 200)
    let text = ''
    for await (const chunk of /** @type {any} */ (res.body)) {
      const lines = (text + Buffer.from(chunk).toString()).split('\n')
      text = /** @type {string} */ (lines.pop())
      for (const line of lines) if (line !== '') yield JSON.parse(line)
    }
  }

  it('go on with a feed whose owner stops, at the next one', async () => {
    await ask(servers[0], 'PUT', '/db')
    await ask(servers[0], 'PUT', '/db/first', {})
    const owner = ownerOf('db')
    const passer = servers[(owner + 1) % 3]
    const feed = feedOf(passer, 'heartbeat=100&limit=3')
    assert.equal((await feed.next()).value.id, 'first')
    await ask(passer, 'PUT', '/db/second', {})
    assert.equal((await feed.next()).value.id, 'second')
    await servers.splice(owner, 1)[0].close()
    assert.equal((await ask(passer, 'PUT', '/db/third', {})).status, 201)
    const third = (await feed.next()).value
    assert.equal(third.id, 'third')
    assert.equal((await feed.next()).value.last_seq, third.seq)
  })

  it('follow an owner once for all who listen, and tell each of them all that they have not had', async () => {
    await ask(servers[0], 'PUT', '/db')
    const seqs = []
    for (let i = 0; i < 4; i++) {
      await ask(servers[0], 'PUT', `/db/doc${i}`, {})
      seqs.push((await ask(servers[0], 'GET', '/db')).body.update_seq)
    }
    const owner = servers[ownerOf('db')]
    const store = await owner.service.databases.get('db')
    let follows = 0
    const { follow } = store
    store.follow = (/** @type {any[]} */ ...args) => {
      follows++
      return follow.apply(store, args)
    }
    const passer = servers[(ownerOf('db') + 1) % 3]
    const feeds = seqs.flatMap((seq, i) => Array.from({ length: 5 }, () => ({ heard: feedOf(passer, `heartbeat=1000&since=${seq}&limit=${3 - i + 20}`), ids: /** @type {string[]} */ ([]) })))
    const polls = Array.from({ length: 5 }, () => ask(passer, 'GET', `/db/_changes?feed=longpoll&heartbeat=1000&since=${seqs[3]}`))
    const listening = Promise.all(feeds.map(async ({ heard, ids }) => { for await (const { id } of heard) if (id !== undefined) ids.push(id) }))
    for (let i = 4; i < 24; i++) await ask(servers[i % 3], 'PUT', `/db/doc${i}`, {})
    await listening
    for (const [i, { ids }] of feeds.entries()) {
      const from = Math.floor(i / 5) + 1
      assert.deepEqual(ids, Array.from({ length: 24 - from }, (_, n) => `doc${from + n}`))
    }
    for (const { body } of await Promise.all(polls)) assert.equal(body.results[0].id, 'doc4')
    assert.equal(follows, 1)
  })

  it('end a feed with its database', async () => {
    await ask(servers[0], 'PUT', '/db')
    await ask(servers[0], 'PUT', '/db/doc', {})
    const feed = feedOf(servers[(ownerOf('db') + 1) % 3], 'heartbeat=100')
    const { seq } = (await feed.next()).value
    await ask(servers[0], 'DELETE', '/db')
    assert.equal((await feed.next()).value.last_seq, seq)
  })

  it('let only members follow, wherever they ask', async () => {
    await ask(servers[0], 'PUT', '/db')
    await ask(servers[0], 'GET', '/db')
    for (const server of servers) {
      for (const feed of ['longpoll', 'continuous', 'eventsource']) {
        const refused = await ask(server, 'GET', `/db/_changes?feed=${feed}&timeout=1`, undefined, { authorization: '' })
        assert.equal(refused.status, 401)
        assert.equal((await ask(server, 'GET', `/db/_changes?feed=${feed}&since=wrong`)).body.error, 'bad_request')
        assert.equal((await ask(server, 'GET', `/none/_changes?feed=${feed}`)).status, 404)
      }
    }
  })

  it('run replications where _replicator is', async () => {
    for (const name of ['from', 'to']) await ask(servers[0], 'PUT', `/${name}`)
    await ask(servers[1], 'PUT', '/from/doc', { is: 'here' })
    assert.equal((await ask(servers[2], 'POST', '/_replicate', { source: 'from', target: 'to' })).body.ok, true)
    assert.equal((await ask(servers[1], 'GET', '/to/doc')).body.is, 'here')
  })

  it('replicate databases of shards by their names, and no shard', async () => {
    await ask(servers[0], 'PUT', '/sharded?q=2')
    await ask(servers[0], 'PUT', '/whole')
    const shard = '_shards/00000000-7fffffff/sharded'
    for (const request of [{ source: 'whole', target: shard }, { source: shard, target: 'whole' }]) {
      assert.equal((await ask(servers[1], 'POST', '/_replicate', request)).body.error, 'db_not_found')
    }
    for (const request of [{ source: 'whole', target: 'sharded' }, { source: 'sharded', target: 'whole' }]) {
      assert.equal((await ask(servers[1], 'POST', '/_replicate', request)).body.ok, true)
    }
  })

  it('say nothing at their own address to who does not know the secret', async () => {
    const { body } = await ask(servers[0], 'GET', '/_membership')
    const session = http2.connect(`http://${body.all_nodes[0].replace('potoroo@', '')}`)
    session.on('error', () => {})
    const stream = session.request({ ':method': 'GET', ':path': '/_users/_all_docs', authorization: AUTHORIZATION })
    let isAnswered = false
    stream.on('response', () => { isAnswered = true })
    stream.on('error', () => {})
    await once(session, 'close')
    assert.equal(isAnswered, false)
  })
})
