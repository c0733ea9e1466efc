'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { once } = require('node:events')
const http = require('node:http')
const { OwnServer } = require('./support/server')

const REV = '1-0123456789abcdef0123456789abcdef'
const INFO = { db_name: 'x', update_seq: '3-a', instance_start_time: '0', doc_count: 3 }
const OTHER = '1-fedcba9876543210fedcba9876543210'
const row = (id, seq, rev = REV) => ({ id, seq, changes: [{ rev }] })

/** A peer that answers as it is told to: path (without the database's) → answer. */
class Peer {
  requests = []
  #answers = {}
  #server = http.createServer((req, res) => this.#answer(req, res))

  async start () {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.origin = `http://127.0.0.1:${this.#server.address().port}`
  }

  /** @param {Record<string, any>} answers JSON, or a function of request and response */
  use (answers) {
    this.requests = []
    this.#answers = { '': INFO, _ensure_full_commit: { ok: true, instance_start_time: '0' }, _local: { rev: '0-1' }, ...answers }
  }

  async #answer (req, res) {
    const url = new URL(req.url, this.origin)
    const path = decodeURIComponent(url.pathname.replace(/^\/db\/?/, ''))
    this.requests.push({ method: req.method, path, headers: req.headers, query: url.searchParams })
    const chunks = []
    for await (const chunk of req) chunks.push(chunk)
    req.text = Buffer.concat(chunks).toString()
    const answer = this.#answers[path] ?? (path.startsWith('_local/') && req.method === 'PUT' ? this.#answers._local : undefined)
    if (typeof answer === 'function') return answer(req, res, url)
    res.writeHead(answer === undefined ? 404 : path.startsWith('_ensure') || req.method === 'PUT' ? 201 : 200, { 'Content-Type': 'application/json' })
    res.end(JSON.stringify(answer ?? { error: 'not_found', reason: 'missing' }))
  }

  stop () {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

const found = docs => (req, res) => res.end(JSON.stringify({ results: JSON.parse(req.text).docs.map(({ id }) => ({ id, docs: [{ ok: docs[id] }] })) }))
const limited = (page, url) => ({ ...page, results: page.results.slice(0, Number(url.searchParams.get('limit'))) })
const status = (code, headers = {}) => (req, res) => { res.writeHead(code, headers).end('{"error":"no","reason":"not now"}') }

/** Writes for as long as somebody reads, and counts the bytes. */
function endless (counter, text) {
  return (req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' })
    const more = () => {
      while (!res.destroyed && res.write(text)) counter.bytes += text.length
    }
    res.on('drain', more)
    res.on('error', () => {})
    more()
  }
}

describe('replication with a peer that means no good', function () {
  this.timeout(600_000)
  const peer = new Peer()
  /** @type {OwnServer} */
  let ours

  before(async () => {
    [ours] = await Promise.all([OwnServer.start(), peer.start()])
    await ours.ask('PUT', '_node/_local/_config/replicator/retries_per_request', '0')
    await ours.ask('PUT', '_node/_local/_config/replicator/missing_doc_retry_msec', '1')
  })
  after(async () => {
    peer.stop()
    await ours.remove()
  })
  beforeEach(() => ours.create('target'))

  const pull = async (options = {}, url = `${peer.origin.replace('//', '//name:open-sesame@')}/db`) => {
    const response = await ours.fetch('POST', '_replicate', { body: { source: url, target: 'target', ...options } })
    const text = await response.text()
    assert.ok(!text.includes('open-sesame'), text)
    return { status: response.status, body: JSON.parse(text) }
  }
  const refuses = async (answers, error, options) => {
    peer.use(answers)
    const { status: code, body } = await pull(options)
    assert.equal(code, 500, JSON.stringify(body))
    assert.match(`${body.error}: ${body.reason}`, error)
    assert.equal((await ours.ask('GET', 'target')).doc_count, 0)
  }
  const changes = (...results) => ({ results, last_seq: '3-a', pending: 0 })

  it('takes what is right', async () => {
    peer.use({ _changes: changes(row('a', '1-a')), _bulk_get: found({ a: { _id: 'a', _rev: REV, _revisions: { start: 1, ids: [REV.slice(2)] } } }) })
    const { body } = await pull()
    assert.equal(body.history[0].docs_written, 1)
    assert.equal(body.source_last_seq, '3-a')
  })

  for (const [what, answers, error] of [
    ['says it in pages', { '': (req, res) => res.end('<html>') }, /invalid_json/],
    ['is a server and no database', { '': { couchdb: 'Welcome' } }, /db_not_found: could not open/],
    ['has changes that are no JSON', { _changes: (req, res) => res.end('{"results":[') }, /invalid_json/],
    ['has changes that are no list', { _changes: { results: {}, last_seq: 1 } }, /changes_req_failed/],
    ['has changes without a last sequence', { _changes: { results: [] } }, /changes_req_failed/],
    ['has a change of nothing', { _changes: changes(null) }, /malformed/],
    ['has a revision that is none', { _changes: changes(row('a', 1, '../../x')) }, /malformed/],
    ['has a revision that is an object', { _changes: changes(row('a', 1, { toString: 1 })) }, /malformed/],
    ['has an id that is none', { _changes: changes(row({}, 1)) }, /malformed/],
    ['says the same sequence for ever', { _changes: { results: Array.from({ length: 1000 }, (_, n) => row(`d${n}`, '0')), last_seq: 0 } }, /do not go on/],
    ['has not what it says it has', { _changes: changes(row('a', 1)), _bulk_get: found({}) }, /missing_doc/],
    ['gives another document', { _changes: changes(row('a', 1)), _bulk_get: found({ a: { _id: 'b', _rev: REV } }) }, /missing_doc/],
    ['gives attachments that are none', { _changes: changes(row('a', 1)), _bulk_get: found({ a: { _id: 'a', _rev: REV, _attachments: { f: null } } }) }, /missing_doc/],
    ['gives fewer results than asked for', { _changes: changes(row('a', 1)), _bulk_get: { results: [] } }, /missing_doc/],
    ['has too long a header', { '': (req, res) => res.writeHead(200, { 'X-Long': 'x'.repeat(100000) }).end('{}') }, /HPE_HEADER_OVERFLOW/],
    ['redirects for ever', { '': (req, res) => res.writeHead(301, { Location: '/db/' }).end() }, /too_many_redirects/],
    ['redirects to a file', { '': (req, res) => res.writeHead(301, { Location: 'file:///etc/passwd' }).end() }, /bad_redirect/],
    ['hangs up', { '': (req, res) => res.destroy() }, /http_request_failed/],
    ['hangs up in the middle', { _changes: (req, res) => { res.writeHead(200, { 'Content-Length': 1000 }).write('{'); setImmediate(() => res.destroy()) } }, /./],
    ['says another instance at the end', { _changes: changes(row('a', 1)), _bulk_get: found({ a: { _id: 'a', _rev: 'x' } }), _ensure_full_commit: { instance_start_time: '7' } }, /missing_doc/]
  ]) {
    it(`goes on where one ${what}`, () => refuses(answers, error))
  }

  it('writes no revision that is none, and counts it', async () => {
    peer.use({
      _changes: changes(row('a', 1), row('b', 2), row('_c', 3)),
      _bulk_get: found({
        a: { _id: 'a', _rev: REV, _revisions: { start: 1, ids: ['x y', {}] } },
        b: { _id: 'b', _rev: REV, _unknown: 1 },
        _c: { _id: '_c', _rev: REV }
      })
    })
    const { body } = await pull()
    assert.equal(body.history[0].doc_write_failures, 3)
    assert.equal((await ours.ask('GET', 'target')).doc_count, 0)
  })

  it('counts revisions that no database here takes, and writes the others', async () => {
    const foreign = ['1-a"b', '1-a\u2028', '1000000000000000-a', '99999999999999999999-a', `1-${'x'.repeat(1000)}`]
    const docs = { a: { _id: 'a', _rev: REV }, ...Object.fromEntries(foreign.map((rev, n) => [`f${n}`, { _id: `f${n}`, _rev: rev }])) }
    peer.use({ _changes: changes(...Object.values(docs).map(({ _id, _rev }, n) => row(_id, n + 1, _rev))), _bulk_get: found(docs) })
    const { body } = await pull()
    assert.equal(body.history?.[0].doc_write_failures, foreign.length, JSON.stringify(body))
    assert.equal((await ours.ask('GET', 'target')).doc_count, 1)
  })

  it('reads on where documents that it has not seen are written anew meanwhile', async () => {
    const docs = Object.fromEntries(Array.from({ length: 1003 }, (_, n) => [`d${n}`, { _id: `d${n}`, _rev: REV }]))
    const rows = Object.keys(docs).map((id, n) => row(id, `${n + 1}-a`))
    const pages = [{ results: rows.slice(0, 1000), last_seq: '1000-a', pending: 1 }, { results: rows.slice(1000), last_seq: '1005-a', pending: 0 }]
    peer.use({ _changes: (req, res, url) => res.end(JSON.stringify(limited(pages[url.searchParams.get('since') === '0' ? 0 : 1], url))), _bulk_get: found(docs) })
    const { body } = await pull()
    assert.equal(body.history[0].docs_written, 1003)
  })

  it('takes the revisions of a document one by one where they come together', async () => {
    const docs = { a: { _id: 'a', _rev: REV }, b: { _id: 'a', _rev: OTHER } }
    peer.use({
      _changes: changes({ id: 'a', seq: 1, changes: [{ rev: REV }, { rev: OTHER }] }),
      _bulk_get: { results: [{ id: 'a', docs: [{ ok: docs.a }, { ok: docs.b }] }] },
      a: (req, res, url) => res.end(JSON.stringify([{ ok: url.searchParams.get('open_revs').includes(REV) ? docs.a : docs.b }]))
    })
    const { body } = await pull()
    assert.equal(body.history[0].docs_written, 2)
  })

  it('is not held up by what is no document', async () => {
    peer.use({
      _changes: changes(row('a', 1)),
      _bulk_get: (req, res) => res.end('{"results":[{"docs":[{"ok":1234567890123456789,"x":"{"}]}]}')
    })
    const { body } = await pull()
    assert.equal(body.error, 'missing_doc')
  })

  it('asks no database here again for what it refuses', async () => {
    const { body } = await pull({ since_seq: 'none', retries_per_request: 100 }, 'target')
    assert.deepEqual([body.error, body.reason], ['changes_reader_died', 'Malformed sequence supplied in \'since\' parameter.'])
  })

  it('takes nothing for written where it does not say so', async () => {
    await ours.ask('PUT', 'target/a', {})
    peer.use({ _revs_diff: (req, res) => res.end(JSON.stringify({ a: { missing: Object.values(JSON.parse(req.text))[0] } })), _bulk_docs: (req, res) => res.writeHead(201).end('{"ok":true}') })
    const { body } = await pull({ source: 'target', target: `${peer.origin}/db` })
    assert.equal(body.error, 'bulk_docs_failed', JSON.stringify(body))
  })

  it('reads no endless answer', async () => {
    const counter = { bytes: 0 }
    await refuses({ '': endless(counter, ' '.repeat(65536)) }, /longer than/)
    assert.ok(counter.bytes < 128 * 1024 * 1024, `${counter.bytes} bytes`)
  })

  it('reads no endless line of a feed', async () => {
    const counter = { bytes: 0 }
    peer.use({
      _changes: (req, res, url) => url.searchParams.get('feed') === 'continuous' ? endless(counter, 'x'.repeat(65536))(req, res) : res.end(JSON.stringify(changes()))
    })
    const { body } = await pull({ continuous: true })
    const shown = () => ours.fetch('GET', `_scheduler/jobs/${encodeURIComponent(body._local_id)}`)
    // No document asks for it, so it ends with its failure.
    for (let answer = await shown(); answer.status === 200; answer = await shown()) await answer.arrayBuffer()
    assert.ok(counter.bytes < 256 * 1024 * 1024, `${counter.bytes} bytes`)
  })

  it('takes an attachment that is not as it says for none', async () => {
    const stub = { content_type: 'a/b', digest: 'md5-AAAAAAAAAAAAAAAAAAAAAA==', length: 100000, revpos: 1, stub: true }
    await refuses({
      _changes: changes(row('a', 1)),
      _bulk_get: found({ a: { _id: 'a', _rev: REV, _attachments: { f: stub } } }),
      'a/f': (req, res) => res.end(Buffer.alloc(100000))
    }, /./)
  })

  it('takes attachments of generation 0, as CouchDB has them where they came without one', async () => {
    const sizes = { small: 9, large: 100_000 }
    const versions = [['1-aa'], ['2-bb', '1-aa']]
    for (const [edit, revs] of versions.entries()) {
      const content = name => Buffer.alloc(sizes[name], `${edit}`)
      const docOf = isWhole => ({
        _id: 'a',
        _rev: revs[0],
        _revisions: { start: revs.length, ids: revs.map(rev => rev.slice(2)) },
        _attachments: Object.fromEntries(Object.keys(sizes).map(name => {
          const info = { content_type: 'a/b', digest: `md5-${crypto.createHash('md5').update(content(name)).digest('base64')}`, revpos: 0 }
          return [name, isWhole && name === 'small' ? { ...info, data: content(name).toString('base64') } : { ...info, length: sizes[name], stub: true }]
        }))
      })
      peer.use({
        _changes: changes(row('a', 1, revs[0])),
        _bulk_get: (req, res, url) => found({ a: docOf(url.searchParams.get('attachments') === 'true') })(req, res),
        ...Object.fromEntries(Object.keys(sizes).map(name => [`a/${name}`, (req, res) => res.end(content(name))]))
      })
      assert.equal((await pull()).body.history[0].docs_written, 1)
      for (const name of Object.keys(sizes)) assert.equal(await (await ours.fetch('GET', `target/a/${name}`)).text(), content(name).toString())
    }
  })

  it('tells another server no credentials', async () => {
    const other = new Peer()
    await other.start()
    try {
      other.use({ '': status(401) })
      peer.use({ '': (req, res) => res.writeHead(301, { Location: `${other.origin}/db/` }).end() })
      const { body } = await pull({}, { url: `${peer.origin}/db`, headers: { 'X-Key': 'open-sesame' }, auth: { basic: { username: 'u', password: 'open-sesame' } } })
      assert.equal(body.error, 'unauthorized')
      assert.equal(peer.requests[0].headers.authorization, `Basic ${Buffer.from('u:open-sesame').toString('base64')}`)
      assert.equal(peer.requests[0].headers['x-key'], 'open-sesame')
      assert.deepEqual([other.requests[0].headers.authorization, other.requests[0].headers['x-key']], [undefined, undefined])
    } finally {
      other.stop()
    }
  })

  for (const code of [429, 503]) {
    it(`comes back later after ${code}`, async () => {
      let left = 2
      peer.use({
        '': (req, res) => left-- > 0 ? status(code, { 'Retry-After': '0' })(req, res) : res.end(JSON.stringify(INFO)),
        _changes: changes()
      })
      const { body } = await pull({ retries_per_request: 5 })
      assert.equal(body.ok, true)
    })
  }

  it('asks for less at once where that is too long', async () => {
    const long = 'x'.repeat(9 * 1024 * 1024)
    const docs = Object.fromEntries(['a', 'b', 'c', 'd'].map(id => [id, { _id: id, _rev: REV, long }]))
    peer.use({ _changes: changes(...Object.keys(docs).map((id, n) => row(id, n))), _bulk_get: found(docs) })
    assert.equal((await pull()).body.history[0].docs_written, 4)
    const asked = peer.requests.filter(({ path }) => path === '_bulk_get').length
    assert.ok(asked > 1 && asked <= 7, `${asked} requests`)
  })

  it('shows no credentials in the log', () => {
    assert.ok(!ours.output.includes('open-sesame'), ours.output)
  })
})
