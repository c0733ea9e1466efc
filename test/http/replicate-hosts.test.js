'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove } = require('./support/request')
const { server } = require('./support/server')
const { Settings } = require('./support/settings')
const { TestUsers } = require('./support/users')

const INFO = { update_seq: '0', instance_start_time: '0' }

/** A database without documents, on a port of this machine, and who asked for it. */
class Peer {
  asked = []
  /** The place to which it sends whoever asks. @type {string | null} */
  location = null
  #server = http.createServer((req, res) => this.#answer(req, res))

  async start () {
    this.#server.on('connect', (req, socket) => {
      this.asked.push(`CONNECT ${req.url}`)
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    this.#server.listen(0, '0.0.0.0')
    await once(this.#server, 'listening')
    this.port = /** @type {import('node:net').AddressInfo} */ (this.#server.address()).port
  }

  #answer (req, res) {
    this.asked.push(req.url)
    if (this.location !== null) return res.writeHead(307, { Location: this.location }).end()
    const path = req.url.replace(/[?].*/, '').replace(/.*\/db\//, '')
    const answers = { '': INFO, _changes: { results: [], last_seq: '0', pending: 0 }, _ensure_full_commit: { instance_start_time: '0' } }
    const found = Object.hasOwn(answers, path) ? answers[path] : req.method === 'PUT' ? { rev: '0-1' } : undefined
    res.writeHead(found === undefined ? 404 : req.method === 'PUT' || path === '_ensure_full_commit' ? 201 : 200).end(JSON.stringify(found ?? {}))
  }

  stop () {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

describe('hosts that replications ask', function () {
  this.timeout(600_000)
  const target = new TestDatabase()
  const users = new TestUsers()
  const settings = new Settings()
  const peer = new Peer()
  /** @type {any} */
  let bob

  before(() => peer.start())
  after(() => peer.stop())
  beforeEach(async () => {
    peer.asked = []
    peer.location = null
    bob = await users.add()
    await target.put('_security', { admins: { names: [bob.name] }, members: { names: [bob.name] } })
    await settings.set('replicator', 'retries_per_request', 0)
  })

  const urlOf = (host, port = peer.port) => `http://${host}:${port}/db`
  const pull = (source, options = {}, who = bob.as) => post('/_replicate', { source, target: target.name, ...options }, who)
  const refused = async (source, reason = /^Only administrators may replicate with /, options = {}) => {
    const answer = await pull(source, options)
    assertRefused(answer, 403, 'forbidden')
    assert.match(answer.body.reason, reason)
    assert.deepEqual(peer.asked, [])
  }

  for (const host of ['127.0.0.1', '127.9.8.7', 'localhost', 'LOCALHOST', '2130706433', '0177.0.0.1', '0x7f.1', '127.1', '0.0.0.0', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]']) {
    it(`are not this machine as ${host}, but for administrators`, async () => {
      await refused(urlOf(host))
      await refused(urlOf(host).replace('http:', 'https:'))
    })
  }

  for (const host of ['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '[::ffff:a9fe:a9fe]', '2852039166', '168.63.129.16', '100.100.100.200']) {
    it(`are not the link, and not the metadata of a cloud at ${host}`, () => refused(urlOf(host, 80)))
  }

  it('are any for administrators', async () => {
    assert.equal((await pull(urlOf('127.0.0.1'), {}, {})).status, 200)
    assert.ok(peer.asked.length > 0)
  })

  it('are as ever for databases here, by name and by this server\'s own URL', async () => {
    const source = new URL(`/${target.name}`, server.origin)
    const copy = `${target.name}-copy`
    await put(`/${copy}`)
    try {
      await put(`/${copy}/_security`, { admins: { names: [bob.name] }, members: { names: [bob.name] } })
      assert.equal((await post('/_replicate', { source: target.name, target: copy }, bob.as)).status, 200)
      const auth = { basic: { username: bob.name, password: bob.password } }
      assert.equal((await post('/_replicate', { source: { url: source.href, auth }, target: copy }, bob.as)).status, 200)
    } finally {
      await remove(`/${copy}`)
    }
  })

  it('are judged again after each redirection', async () => {
    await settings.set('replicator', 'allowed_hosts', '127.0.0.1')
    peer.location = urlOf('127.0.0.2')
    assertRefused(await pull(urlOf('127.0.0.1')), 403, 'forbidden')
    assert.equal(peer.asked.length, 1)
  })

  it('are judged as proxies, and behind them', async () => {
    const proxy = urlOf('localhost').slice(0, -3)
    for (const scheme of ['http', 'https']) {
      await refused(`${scheme}://192.0.2.1/db`, /^Only administrators/, { source_proxy: proxy })
    }
    await settings.set('replicator', 'allowed_hosts', '*, localhost')
    for (const scheme of ['http', 'https']) {
      for (const host of ['127.0.0.1', '169.254.169.254', 'metadata.google.internal']) {
        await refused(`${scheme}://${host}/db`, /^Only administrators/, { source_proxy: proxy })
      }
    }
    assert.equal((await pull('http://192.0.2.1/db', { source_proxy: proxy })).status, 200)
    assert.equal(peer.asked[0], 'http://192.0.2.1/db/')
    peer.asked = []
    assert.equal((await pull('https://192.0.2.1/db', { source_proxy: proxy })).status, 500)
    assert.deepEqual(peer.asked, ['CONNECT 192.0.2.1:443'])
  })

  it('are those that allowed_hosts names, where it names some', async () => {
    await settings.set('replicator', 'allowed_hosts', '*.example.org, 127.0.0.0/30')
    await refused(urlOf('192.0.2.1'), /^Replications with 192\.0\.2\.1 are not allowed by this server: \[replicator\] allowed_hosts$/)
    await refused(urlOf('127.0.0.4'))
    assert.equal((await pull(urlOf('127.0.0.3'))).status, 200)
    assert.equal((await pull(urlOf('[::ffff:127.0.0.2]'))).status, 200)
  })

  it('are not those that denied_hosts names', async () => {
    await settings.set('replicator', 'allowed_hosts', 'localhost, 127.0.0.0/8')
    await settings.set('replicator', 'denied_hosts', '127.0.0.2/32')
    assert.equal((await pull(urlOf('localhost'))).status, 200)
    peer.asked = []
    await refused(urlOf('127.0.0.2'), /^Replications with 127\.0\.0\.2 are denied by this server: \[replicator\] denied_hosts$/)
    await settings.set('replicator', 'denied_hosts', 'localhost')
    await refused(urlOf('localhost'), /denied_hosts/)
    await settings.set('replicator', 'denied_hosts', '127.0.0.0/8, ::1')
    await refused(urlOf('localhost'), /denied_hosts/)
  })

  it('can be set to nothing but hosts', async () => {
    for (const wrong of ['http://x', '10.0.0.0/33', 'a b', '*x', 'x:1', '1.2.3.4/']) {
      assert.equal((await put('/_node/_local/_config/replicator/denied_hosts', JSON.stringify(wrong))).status, 400, wrong)
    }
  })

  describe('by documents', () => {
    let replicators = ''
    beforeEach(async () => {
      replicators = `/${encodeURIComponent(`${target.name}-r/_replicator`)}`
      await put(replicators)
      await put(`${replicators}/_security`, { members: { names: [bob.name] } })
    })
    afterEach(() => remove(replicators))

    const told = async (id, state) => {
      for (;;) {
        const { body } = await get(`${replicators}/${id}`)
        if (body._replication_state === state) return body
      }
    }

    for (const [what, options] of Object.entries({ 'at once': {}, 'with a filter': { filter: 'd/f' }, continuously: { continuous: true } })) {
      it(`fail for good, ${what}`, async () => {
        await put(`${replicators}/one`, { source: urlOf('127.0.0.1'), target: target.name, ...options }, bob.as)
        const { _replication_state_reason: reason } = await told('one', 'failed')
        assert.match(reason, /^forbidden: Only administrators may replicate with 127\.0\.0\.1/)
        assert.deepEqual(peer.asked, [])
        const { jobs } = (await get('/_scheduler/jobs?limit=1000')).body
        assert.ok(!jobs.some(({ doc_id: id }) => id === 'one'))
      })
    }

    it('fail once the host is denied', async () => {
      await settings.set('replicator', 'allowed_hosts', '127.0.0.1')
      // A feed that has no end.
      await put(`${replicators}/one`, { source: urlOf('127.0.0.1'), target: target.name, continuous: true }, bob.as)
      for (;;) {
        const { body } = await get(`/_scheduler/docs${replicators}/one`)
        if (body.state === 'running' || body.state === 'crashing') break
      }
      await settings.set('replicator', 'denied_hosts', '127.0.0.1')
      assert.match((await told('one', 'failed'))._replication_state_reason, /denied_hosts/)
    })
  })
})
