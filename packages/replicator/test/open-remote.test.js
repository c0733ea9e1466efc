'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { AttachmentContent, openRemote } = require('..')

const REV = '1-0123456789abcdef0123456789abcdef'

describe('a database elsewhere, for others than replications', () => {
  /** Requests that came. @type {Array<{ path: string, body: any }>} */
  let seen
  let answer
  let server
  let remote

  beforeEach(async () => {
    seen = []
    server = http.createServer(async (req, res) => {
      const { pathname: path, searchParams: query } = new URL(/** @type {string} */ (req.url), 'http://x')
      const text = Buffer.concat(await req.toArray()).toString()
      seen.push({ path, body: text === '' ? null : JSON.parse(text) })
      const { status = 200, headers = {}, body } = answer({ path, query, body: seen[seen.length - 1].body })
      res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    remote = openRemote({ url: `http://127.0.0.1:${server.address().port}/db` }, { agentName: 'test', retries: 5 })
  })

  afterEach(async () => {
    await remote.close()
    server.closeAllConnections()
    server.close()
  })

  /** Documents with two attachments, one of them stored compressed. */
  function bulkGet ({ query, body }) {
    const whole = query.get('attachments') === 'true'
    const file = encoding => ({ content_type: 'text/plain', revpos: 1, digest: 'md5-x', ...encoding, ...(whole ? { data: 'aGVsbG8=' } : { length: 5, stub: true }) })
    const results = body.docs.map(({ id, rev }) => ({ id, docs: [{ ok: { _id: id, _rev: rev, _attachments: { a: file(), b: file({ encoding: 'gzip', encoded_length: 25 }) } } }] }))
    return { body: { results } }
  }

  async function fetched (how) {
    const wanted = ['d', 'e'].map(id => ({ id, rev: REV, attsSince: [] }))
    return (await collect(remote.fetch(wanted, how))).flat()
  }

  async function collect (iterable) {
    const all = []
    for await (const each of iterable) all.push(each)
    return all
  }

  it('gives small attachments of many documents by one request, as whoever asks can take them', async () => {
    answer = bulkGet
    const isContent = each => each.data instanceof AttachmentContent
    const kinds = documents => documents.map(({ attachments }) => Object.values(attachments).map(isContent))
    assert.deepEqual(kinds(await fetched({ content: 'plain' })), [[false, false], [false, false]])
    assert.equal(seen.length, 2)
    assert.deepEqual(kinds(await fetched({ content: 'stored' })), [[true, true], [true, true]])
    assert.deepEqual(kinds(await fetched({ content: 'later' })), [[true, true], [true, true]])
    assert.equal(seen.length, 4)
  })

  it('asks for as many changes as it is told to, page by page', async () => {
    answer = ({ query }) => {
      const [since, limit] = [Number(query.get('since')), Number(query.get('limit'))]
      const results = Array.from({ length: Math.min(limit, 5 - since) }, (_, i) => ({ id: `d${since + i}`, seq: since + i + 1, changes: [{ rev: REV }] }))
      return { body: { results, last_seq: since + results.length, pending: 5 - since - results.length } }
    }
    const limits = [1, 3, 2]
    const pages = await collect(remote.untilNow(0, () => limits.shift()))
    assert.deepEqual(pages.map(({ changes, lastSeq }) => [changes.length, lastSeq]), [[1, 1], [3, 4], [1, 5]])
  })

  it('does not send again what the peer has no way to answer', async () => {
    answer = () => ({ status: 501, body: { error: 'not_implemented' } })
    const { status, json } = await remote.request('GET', '_local_docs')
    assert.deepEqual([status, json.error, seen.length], [501, 'not_implemented', 1])
  })

  it('follows no redirection, and says where it would have led', async () => {
    answer = () => ({ status: 301, headers: { location: 'http://elsewhere.example/db' }, body: '' })
    await assert.rejects(remote.request('GET', ''), { code: 'too_many_redirects', answered: 301, location: 'http://elsewhere.example/db' })
    assert.equal(seen.length, 1)
  })
})
