'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs/promises')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { createError } = require('@potoroo/errors')
const { serve } = require('..')

const ADMIN = 'Basic ' + Buffer.from('admin:secret').toString('base64')
const CONNECTIONS = 8
const DOCUMENTS = 10
const EDITS = 60

describe('writes that threads prepare', function () {
  this.timeout(600_000)
  let folder, server, agents, db

  before(async () => {
    const shared = await fs.access('/dev/shm').then(() => '/dev/shm', () => os.tmpdir())
    folder = await fs.mkdtemp(path.join(shared, 'potoroo-prepared-'))
    server = await serve({ port: 0, path: folder, storage: 'pmem', size: 64 * 1024 * 1024, allowVolatile: true, workers: 2, admins: { admin: 'secret' }, config: { chttpd_auth: { iterations: 10 } }, log: () => {} })
    agents = Array.from({ length: CONNECTIONS }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }))
    // From here on every thread knows who it is.
    await everywhere(connection => send('GET', '/_session', { connection }))
  })
  after(async () => {
    agents.forEach(agent => agent.destroy())
    await server.close()
    await fs.rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    db = `/db-${crypto.randomUUID()}`
    assert.equal((await send('PUT', db)).status, 201)
  })

  const everywhere = ask => Promise.all(agents.map((_, connection) => ask(connection)))

  async function send (method, url, { body, connection = 0, authorization = ADMIN, headers } = /** @type {any} */ ({})) {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const request = http.request(server.url + url, {
      method,
      agent: agents[connection],
      headers: { authorization, ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }), ...headers }
    })
    request.end(text)
    const [response] = await once(request, 'response')
    let answer = ''
    for await (const chunk of response.setEncoding('utf8')) answer += chunk
    const isJson = response.headers['content-type'] === 'application/json' && answer !== ''
    return { status: response.statusCode, headers: response.headers, text: answer, body: isJson ? JSON.parse(answer) : undefined }
  }

  /** How many writes the owner did from their beginning, and how many it committed only, while something is done. */
  async function countWrites (act) {
    const store = await server.service.databases.get(db.slice(1))
    const counts = { whole: 0, prepared: 0 }
    const { write, writePrepared } = store
    store.write = function (...given) {
      counts.whole++
      return write.apply(this, given)
    }
    store.writePrepared = function (...given) {
      counts.prepared++
      return writePrepared.apply(this, given)
    }
    await act()
    delete store.write
    delete store.writePrepared
    return counts
  }

  it('are only committed by the owner, and answered like others', async () => {
    const counts = await countWrites(() => everywhere(async connection => {
      const id = `${db}/d${connection}`
      const created = await send('PUT', id, { connection, body: { n: 1 } })
      assert.deepEqual([created.status, created.body.ok, created.headers.etag], [201, true, `"${created.body.rev}"`])
      assert.equal(created.headers.location, server.url + id)
      const updated = await send('PUT', `${id}?rev=${created.body.rev}`, { connection, body: { n: 2 } })
      assert.equal(updated.status, 201)
      const matched = await send('PUT', id, { connection, body: { n: 3 }, headers: { 'if-match': updated.body.rev } })
      assert.equal(matched.status, 201)
      const conflict = await send('PUT', id, { connection, body: { n: 4 } })
      assert.deepEqual([conflict.status, conflict.body], [409, { error: 'conflict', reason: 'Document update conflict.' }])
      assert.equal((await send('DELETE', `${id}?rev=${matched.body.rev}`, { connection })).status, 200)
      assert.equal((await send('GET', id, { connection })).status, 404)
      const posted = await send('POST', db, { connection, body: { n: 1 } })
      assert.deepEqual([posted.status, posted.headers.location], [201, `${server.url}${db}/${posted.body.id}`])
      const bulk = await send('POST', `${db}/_bulk_docs`, { connection, body: { docs: [{ _id: `b${connection}`, n: 1 }, { _id: posted.body.id }, { n: 1 }] } })
      assert.equal(bulk.status, 201)
      assert.deepEqual(bulk.body.map(({ ok, error }) => ok ?? error), [true, 'conflict', true])
    }))
    assert.deepEqual(counts, { whole: 0, prepared: 7 * CONNECTIONS })
  })

  it('are the owner\'s where they are not plain', async () => {
    const requests = [
      ['PUT', '_design/d', { language: 'javascript' }], ['PUT', 'a', { _attachments: { b: { data: 'YQ==' } } }], ['PUT', 'c?batch=ok', {}],
      ['POST', '_bulk_docs', { docs: [{ _id: '_local/l' }] }], ['POST', '_bulk_docs', { docs: [{ _id: 'e' }], atomic: true }]
    ]
    for (const [method, url, body] of requests) {
      const counts = await countWrites(async () => {
        const { status } = await send(method, `${db}/${url}`, { body })
        assert.ok(status === 201 || status === 202, `${url}: ${status}`)
        if (status === 202) while ((await send('GET', `${db}/c`)).status !== 200);
      })
      assert.deepEqual(counts, { whole: 1, prepared: 0 }, url)
    }
    for (const [method, url, body, expected] of [['PUT', 'a', '[]', 400], ['PUT', 'b', { _odd: 1 }, 400], ['PUT', '_odd', {}, 400], ['POST', '_bulk_docs', { docs: [{ _id: 1 }] }, 400], ['DELETE', 'none', undefined, 404]]) {
      assert.equal((await send(method, `${db}/${url}`, { body })).status, expected, url)
    }
  })

  it('obey functions and schemas from when they were written until they are deleted', async () => {
    const rules = [{ validate_doc_update: 'function (doc) { if (doc.bad) throw { forbidden: "bad" } }' }, { validate_schema: { schema: { type: 'object', properties: { bad: false } } } }]
    for (const rule of rules) {
      const { status: made, body: { rev } } = await send('PUT', `${db}/_design/rule`, { body: rule })
      assert.equal(made, 201)
      await everywhere(async connection => {
        assert.equal((await send('PUT', `${db}/bad`, { connection, body: { bad: true } })).status, 403)
        const { body } = await send('POST', `${db}/_bulk_docs`, { connection, body: { docs: [{ _id: 'bad', bad: true }, { good: true }] } })
        assert.deepEqual(body.map(({ ok, error }) => ok ?? error), ['forbidden', true])
      })
      await send('DELETE', `${db}/_design/rule?rev=${rev}`)
      const { status, body } = await send('PUT', `${db}/bad`, { body: { bad: true } })
      assert.equal(status, 201)
      await send('DELETE', `${db}/bad?rev=${body.rev}`)
    }
  })

  it('count the documents of a request once', async () => {
    // Not the number of _stats, which is that of the last ten seconds.
    const of = async () => Number(/^couchdb_httpd_bulk_docs_count (\d+)$/m.exec((await send('GET', '/_node/_local/_prometheus')).text)[1])
    await send('PUT', `${db}/_design/rule`, { body: { validate_doc_update: 'function () {}' } })
    const before = await of()
    await everywhere(connection => send('POST', `${db}/_bulk_docs`, { connection, body: { docs: [{ n: 1 }] } }))
    assert.equal(await of() - before, CONNECTIONS)
  })

  it('are of the database that has the name', async () => {
    await everywhere(async connection => {
      for (let i = 0; i < 20; i++) {
        if (connection === 0) {
          await send('DELETE', db)
          assert.equal((await send('PUT', db)).status, 201)
        } else {
          const { status } = await send('PUT', `${db}/d${connection}-${i}`, { connection, body: { n: i } })
          assert.ok(status === 201 || status === 404, String(status))
        }
      }
    })
    const { body: { doc_count: count } } = await send('GET', db)
    const { body: { rows } } = await send('GET', `${db}/_all_docs`, { connection: 1 })
    assert.equal(rows.length, count)
  })

  it('find no database where theirs is being deleted', async () => {
    const { databases } = server.service
    const store = await databases.get(db.slice(1))
    store.writePrepared = async () => { throw createError('CLOSED') }
    // It ends once somebody waits for its end.
    databases.settled = name => databases.destroy(name)
    try {
      const { status, body } = await send('POST', `${db}/_bulk_docs`, { body: { docs: [{ n: 1 }, { n: 2 }] } })
      assert.deepEqual([status, body.error], [404, 'not_found'])
    } finally {
      delete databases.settled
    }
  })

  it('let one of several writers win, and forget none of theirs', async () => {
    // By document: the revisions that were acknowledged, with what was written.
    const written = new Map(Array.from({ length: DOCUMENTS }, (_, i) => [`d${i}`, []]))
    const edit = async (connection, n) => {
      const id = `d${crypto.randomInt(DOCUMENTS)}`
      const { status: found, body: { _rev } } = await send('GET', `${db}/${id}`, { connection })
      const body = { _id: id, ...(found === 200 && { _rev }), by: `${connection}-${n}` }
      const isOne = crypto.randomInt(2) === 0
      const answer = isOne ? await send('PUT', `${db}/${id}`, { connection, body }) : await send('POST', `${db}/_bulk_docs`, { connection, body: { docs: [body, { n }] } })
      const { rev, error } = isOne ? answer.body : answer.body[0]
      if (error === undefined) written.get(id).push({ parent: body._rev, rev, by: body.by })
      else assert.equal(error, 'conflict')
    }
    await everywhere(async connection => { for (let n = 0; n < EDITS; n++) await edit(connection, n) })
    for (const [id, edits] of written) {
      const byParent = new Map(edits.map(each => [each.parent, each]))
      assert.equal(byParent.size, edits.length, `${id} was edited twice from one revision`)
      if (edits.length === 0) continue
      const history = []
      for (let next = byParent.get(undefined); next !== undefined; next = byParent.get(next.rev)) history.push(next)
      assert.equal(history.length, edits.length)
      const { body } = await send('GET', `${db}/${id}?revs=true`, { connection: 1 })
      const last = history[history.length - 1]
      assert.deepEqual([body._rev, body.by, body._revisions.ids.length], [last.rev, last.by, history.length])
    }
  })
})
