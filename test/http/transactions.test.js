'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove, request } = require('./support/request')
const { Settings } = require('./support/settings')
const { NOBODY, TestUsers } = require('./support/users')

const NO_CHANGE = 'Document update conflict.'

/** Makes databases that are removed after each test. */
function databases () {
  const paths = []
  afterEach(async () => { for (const path of paths.splice(0)) await remove(path) })
  return async (query) => {
    const path = `/transactions-${crypto.randomUUID()}`
    paths.push(path)
    assert.equal((await put(`${path}?${query}`)).status, 201)
    return path
  }
}

describe('_transact', function () {
  if (process.env.TEST_URL !== undefined) return
  const users = new TestUsers()
  const settings = new Settings()
  const make = databases()
  let db

  beforeEach(async () => { db = await make('q=1') })

  const transact = (body, options) => post(`${db}/_transact`, body, options)
  const write = async (id, body = {}) => {
    const answer = await put(`${db}/${encodeURIComponent(id)}`, body)
    assert.equal(answer.status, 201, answer.text)
    return answer.body.rev
  }
  const ids = async () => (await get(`${db}/_all_docs`)).body.rows.map(({ id }) => id)

  function assertConflict ({ status, body, text }, conflicts) {
    assert.equal(status, 409, text)
    assert.deepEqual(body, { error: 'conflict', reason: NO_CHANGE, conflicts })
  }

  it('writes all documents if what was read still holds, in order', async () => {
    const [a, b] = [await write('a', { n: 1 }), await write('b')]
    const { status, body } = await transact({
      reads: [{ id: 'a', rev: a }, { id: 'c', rev: null }],
      writes: [{ _id: 'b', _rev: b, _deleted: true }, { _id: 'c', _attachments: { f: { data: 'aGk=', content_type: 'text/plain' } } }, { n: 3 }, { _id: '_local/l' }]
    })
    assert.equal(status, 201)
    assert.deepEqual(body.map(({ ok, id, rev }) => [ok, id.length === 32 ? 'made up' : id, rev.slice(0, 2)]), [[true, 'b', '2-'], [true, 'c', '1-'], [true, 'made up', '1-'], [true, '_local/l', '0-']])
    assertRefused(await get(`${db}/b`), 404, 'not_found', 'deleted')
    assert.equal((await get(`${db}/c/f`)).text, 'hi')
    assert.equal((await get(`${db}/_local/l`)).status, 200)
    const stub = await transact({ reads: [{ id: 'c', rev: body[1].rev }], writes: [{ _id: 'c', _rev: body[1].rev, more: 1, _attachments: { f: { stub: true } } }] })
    assert.equal(stub.status, 201)
    assert.equal((await get(`${db}/c/f`)).text, 'hi')
    const { results } = (await get(`${db}/_changes?since=0`)).body
    assert.equal(results.length, 4)
  })

  it('writes nothing and lists what changed', async () => {
    const [a, b] = [await write('a'), await write('b')]
    const now = await write('a', { _rev: a, n: 2 })
    assertConflict(await transact({ reads: [{ id: 'a', rev: a }], writes: [{ _id: 'x' }] }), [{ id: 'a', rev: now }])
    assertConflict(await transact({ reads: [{ id: 'b', rev: null }, { id: 'none', rev: '1-abc' }], writes: [{ _id: 'x' }] }), [{ id: 'b', rev: b }, { id: 'none', rev: null }])
    assertConflict(await transact({ writes: [{ _id: 'x' }, { _id: 'a', _rev: a }, { _id: 'b' }] }), [{ id: 'a', rev: now }, { id: 'b', rev: b }])
    assertConflict(await transact({ reads: [{ id: 'a', rev: a }] }), [{ id: 'a', rev: now }])
    assert.deepEqual(await ids(), ['a', 'b'])
  })

  it('keeps documents as they were sent', async () => {
    const filler = 'x'.repeat(400 * 1024)
    for (const [id, more] of [['small', ''], ['large', `"filler":"${filler}",`]]) {
      const { status, text } = await transact(`{"writes":[{"_id":"${id}",${more}"n":12345678901234567890,"1":1.0}],"reads":[]}`)
      assert.equal(status, 201, text)
      assert.match((await get(`${db}/${id}`)).text, /"n":12345678901234567890,"1":1\.0/)
    }
  })

  it('takes many documents, all or none', async () => {
    const writes = Array.from({ length: 3000 }, (_, i) => ({ _id: `d${i}`, i }))
    assertConflict(await transact({ reads: [{ id: 'x', rev: '1-x' }], writes }), [{ id: 'x', rev: null }])
    const { status, body } = await transact({ writes })
    assert.deepEqual([status, body.length, body[2999].id], [201, 3000, 'd2999'])
    const { results } = (await get(`${db}/_changes?since=0&limit=1`)).body
    assert.match(results[0].seq, /^1-/)
  })

  it('refuses more documents, and bytes, than one may have', async () => {
    await settings.set('transactions', 'max_documents', 3)
    const [a, b, c] = [{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }]
    assertRefused(await transact({ reads: [{ id: 'x', rev: null }], writes: [a, b, c] }), 413, 'too_large', 'A transaction reads and writes 3 documents at most')
    assert.equal((await transact({ writes: [a, b, c] })).status, 201)
    await settings.set('transactions', 'max_bytes', 1000)
    assertRefused(await transact({ writes: [{ _id: 'd', filler: 'x'.repeat(1000) }] }), 413, 'too_large')
    assertRefused(await transact({ writes: [{ _id: 'd' }], filler: 'x'.repeat(1000) }, { headers: { 'Content-Type': 'text/plain' } }), 415, 'bad_content_type')
    assert.equal((await transact({ writes: [{ _id: 'd' }] })).status, 201)
    assert.deepEqual(await ids(), ['a', 'b', 'c', 'd'])
  })

  it('refuses what is malformed with one word', async () => {
    const twice = '`writes` must name each document once: a'
    assertRefused(await transact({ writes: [{ _id: 'a' }, { _id: 'b' }, { _id: 'a', _deleted: true }] }), 400, 'bad_request', twice)
    for (const body of [[], { writes: {} }, { reads: {} }, { reads: [{ id: 'a', rev: 'x' }] }, { reads: ['a'] }, { writes: ['a'] }, { writes: [{ _id: 'a', _x: 1 }] }, { writes: [{ _id: 'x', _attachments: { _y: {} } }] }]) {
      const { status, text } = await transact({ ...body, ...(Array.isArray(body) && { writes: 7 }) })
      assert.equal(status, 400, `${JSON.stringify(body)} ${text}`)
    }
    assertRefused(await transact({ wrtes: [{ _id: 'a' }] }), 400, 'bad_request', 'A transaction has no `wrtes`; do you mean `writes`?')
    assertRefused(await transact('{', { headers: { 'Content-Type': 'application/json' } }), 400, 'bad_request')
    assertRefused(await transact('{}', { headers: { 'Content-Type': 'text/plain' } }), 415, 'bad_content_type')
    assertRefused(await request('GET', `${db}/_transact`), 405, 'method_not_allowed', 'Only POST allowed')
    assert.deepEqual((await transact({})).body, [])
    assert.deepEqual(await ids(), [])
  })

  it('writes nothing if a document is refused: by a function, by a schema, by its size, for a stub of nothing', async () => {
    await write('_design/v', { validate_doc_update: 'function (doc) { if (doc.wrong) throw { forbidden: "wrong" } }' })
    await write('_design/s', { validate_schema: { schema: { properties: { age: { type: 'integer' } } } } })
    const refuse = async (doc, status, error, reason) => {
      const answer = await transact({ writes: [{ _id: 'x' }, { _id: 'y', ...doc }] })
      assertRefused(answer, status, error, reason)
      assert.equal(answer.body.id, status === 413 ? undefined : 'y')
    }
    await refuse({ wrong: true }, 403, 'forbidden', 'wrong')
    await refuse({ age: 'x' }, 403, 'forbidden', /does not fit schema s/)
    await refuse({ _attachments: { f: { stub: true } } }, 412, 'missing_stub')
    await settings.set('couchdb', 'max_document_size', 1000)
    await refuse({ filler: 'x'.repeat(1000) }, 413, 'document_too_large', 'y')
    assert.deepEqual(await ids(), ['_design/s', '_design/v'])
    assert.equal((await transact({ writes: [{ _id: 'x', age: 1 }, { _id: 'y' }] })).status, 201)
  })

  it('refuses attachments of local documents, which other routes drop as CouchDB does', async () => {
    const local = { _id: '_local/l', _attachments: { f: { data: 'aGk=' } } }
    const refused = await transact({ writes: [{ _id: 'x' }, local] })
    assertRefused(refused, 400, 'bad_request', '_local documents do not accept attachments.')
    assert.equal(refused.body.id, '_local/l')
    assert.deepEqual(await ids(), [])
    assert.equal((await put(`${db}/_local/l`, local)).status, 201)
    assert.equal((await post(`${db}/_bulk_docs`, { docs: [local] })).body[0].ok, true)
    assert.equal((await get(`${db}/_local/l`)).body._attachments, undefined)
  })

  it('of members writes no design documents', async () => {
    const member = await users.add()
    assert.equal((await put(`${db}/_security`, { members: { names: [member.name] } })).status, 200)
    const refused = await transact({ writes: [{ _id: 'a' }, { _id: '_design/d' }] }, member.as)
    assertRefused(refused, 403, 'forbidden', 'You are not a db or server admin.')
    assert.equal((await transact({ writes: [{ _id: 'a' }] }, member.as)).status, 201)
    assertRefused(await transact({ writes: [{ _id: 'b' }] }, NOBODY), 401, 'unauthorized')
    assert.deepEqual(await ids(), ['a'])
  })

  it('writes into partitions', async () => {
    db = await make('q=1&partitioned=true')
    assert.equal((await transact({ reads: [{ id: 'a:1', rev: null }], writes: [{ _id: 'a:1', filler: 'x'.repeat(5000) }, { _id: 'b:1' }] })).status, 201)
    assertRefused(await transact({ writes: [{ _id: 'a:2' }, { _id: 'none' }] }), 400, 'illegal_docid')
    assertRefused(await transact({ writes: [{ _id: 'a:2' }, {}] }), 400, 'illegal_docid')
    await settings.set('couchdb', 'max_partition_size', 1000)
    assertRefused(await transact({ writes: [{ _id: 'c:2' }, { _id: 'a:2' }] }), 403, 'partition_overflow')
    assert.equal((await get(`${db}/_partition/a`)).body.doc_count, 1)
    assert.deepEqual(await ids(), ['a:1', 'b:1'])
  })

  describe('in databases of several shards', () => {
    const shardOf = async (id) => (await get(`${db}/_shards/${encodeURIComponent(id)}`)).body.range
    /** Two ids of one shard, and one of another. */
    const someIds = async () => {
      const shards = new Map()
      for (let i = 0; ; i++) {
        const range = await shardOf(`d${i}`)
        shards.set(range, [...shards.get(range) ?? [], `d${i}`])
        const [one, other] = [...shards.values()].sort((x, y) => y.length - x.length)
        if (one.length >= 2 && other !== undefined) return [one[0], one[1], other[0]]
      }
    }

    beforeEach(async () => { db = await make('q=4') })

    it('is for documents of one shard', async () => {
      const [a, b, c] = await someIds()
      const { status, body } = await transact({ reads: [{ id: b, rev: null }], writes: [{ _id: a }, { _id: b }] })
      assert.equal(status, 201)
      assertConflict(await transact({ reads: [{ id: a, rev: null }], writes: [{ _id: b }] }), [{ id: a, rev: body[0].rev }, { id: b, rev: body[1].rev }])
      const several = 'Transactions of documents of several shards are not implemented'
      assertRefused(await transact({ writes: [{ _id: a, _rev: body[0].rev }, { _id: c }] }), 501, 'not_implemented', several)
      assertRefused(await transact({ reads: [{ id: c, rev: null }], writes: [{ _id: a, _rev: body[0].rev }] }), 501, 'not_implemented', several)
      assertRefused(await transact({ writes: [{ _id: '_design/d' }] }), 501, 'not_implemented', /design documents/)
      assertRefused(await transact({ writes: [{}] }), 400, 'bad_request', /need an `_id`/)
      for (const malformed of [{ writes: 1 }, { writes: ['x'] }, { reads: [null] }, { writes: [{ _id: 7 }] }]) assert.equal((await transact(malformed)).status, 400, JSON.stringify(malformed))
      assert.deepEqual(await ids(), [a, b].sort())
      assertRefused(await transact({ writes: [{ _id: a }] }, NOBODY), 401, 'unauthorized')
    })
  })

  it('of partitions of a database of several shards is for one partition', async () => {
    db = await make('q=4&partitioned=true')
    assert.equal((await transact({ reads: [{ id: 'a:0', rev: null }], writes: [{ _id: 'a:1' }, { _id: 'a:2' }] })).status, 201)
  })

  describe('in databases of the system', () => {
    const CLOSED = { members: { roles: ['_admin'] }, admins: { roles: ['_admin'] } }

    it('hashes passwords, and lets each user write their own document alone', async () => {
      await settings.set('couchdb', 'users_db_security_editable', true)
      const [jan, eva] = [await users.add(), await users.add()]
      assert.equal((await put('/_users/_security', { members: {}, admins: { names: [] } })).status, 200)
      try {
        const [mine, hers] = [(await get(jan.path)).body, (await get(eva.path)).body]
        const inUsers = (body, who) => post('/_users/_transact', body, who)
        assertRefused(await inUsers({ writes: [{ ...mine, x: 1 }, { ...hers, x: 1 }] }, jan.as), 404, 'not_found')
        assertRefused(await inUsers({ reads: [{ id: hers._id, rev: hers._rev }], writes: [{ ...mine, x: 1 }] }, jan.as), 404, 'not_found')
        assertRefused(await inUsers({ reads: [{ id: hers._id, rev: null }] }, jan.as), 404, 'not_found')
        assertRefused(await inUsers({ reads: [{ id: hers._id, rev: null }] }, NOBODY), 404, 'not_found')
        assertRefused(await inUsers({ writes: [{ ...mine, roles: ['x'] }] }, jan.as), 403, 'forbidden')
        assert.equal((await inUsers({ reads: [{ id: mine._id, rev: mine._rev }], writes: [{ ...mine, password: 'plum' }] }, jan.as)).status, 201)
        const { body } = await get(jan.path)
        assert.notEqual(body.derived_key, mine.derived_key)
        assert.equal(body.password, undefined)
        assert.equal((await get(eva.path)).body._rev, hers._rev)
      } finally {
        assert.equal((await put('/_users/_security', CLOSED)).status, 200)
      }
    })

    it('gives replications to who writes them, and finds them by the revisions that are shown', async () => {
      const name = `${db.slice(1)}-r/_replicator`
      const replicator = `/${encodeURIComponent(name)}`
      assert.equal((await put(replicator)).status, 201)
      try {
        assert.equal((await put(`${replicator}/_security`, { members: {}, admins: { names: [] } })).status, 200)
        const [jan, eva] = [await users.add(), await users.add()]
        const body = { source: 'http://u:secret@127.0.0.1:1/x', target: 'http://127.0.0.1:1/y', _replication_state: 'failed' }
        const inReplicator = (transaction, who) => post(`${replicator}/_transact`, transaction, who)
        assertRefused(await inReplicator({ writes: [{ _id: 'a', ...body }] }, NOBODY), 401, 'unauthorized')
        assert.equal((await inReplicator({ writes: [{ _id: 'a', ...body }] }, jan.as)).status, 201)
        const { body: shown } = await get(`${replicator}/a`, eva.as)
        assert.doesNotMatch(JSON.stringify(shown), /secret/)
        assert.equal((await get(`${replicator}/a`, jan.as)).body.owner, jan.name)
        assertRefused(await inReplicator({ writes: [{ _id: 'b', ...body }, { ...shown, x: 1 }] }, eva.as), 403, 'forbidden')
        assert.equal((await inReplicator({ reads: [{ id: 'a', rev: shown._rev }], writes: [{ _id: 'c', ...body }] }, eva.as)).status, 201)
        assertRefused(await get(`${replicator}/b`), 404, 'not_found')
      } finally {
        await remove(replicator)
      }
    })
  })
})
