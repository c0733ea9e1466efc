'use strict'

const assert = require('node:assert/strict')
const http = require('node:http')
const zlib = require('node:zlib')
const { AccessDatabase } = require('./support/access-database')
const { TestDatabase } = require('./support/database')
const { server } = require('./support/server')

const encoded = text => Buffer.from(text).toString('base64')
const linesOf = ({ text }) => text.trim().split('\n').map(line => JSON.parse(line))

describe('_changes with feed=replication', () => {
  const db = new TestDatabase()
  const feed = async (rest = '', options) => linesOf(await db.get(`_changes?feed=replication&style=all_docs${rest}`, options))

  before(function () { if (server.isCouchDB || Number(process.env.POTOROO_SHARDS ?? 1) > 1) this.skip() })

  it('gives each change with its revisions, and then where it ends', async () => {
    await db.replicate({ _id: 'a', _rev: '2-b', _revisions: { start: 2, ids: ['b', 'a'] }, n: 1 }, { _id: 'a', _rev: '1-c', n: 2 })
    await db.replicate({ _id: 'gone', _rev: '1-d', _deleted: true })
    const [a, gone, end, ...others] = await feed()
    assert.deepEqual([a.id, a.changes], ['a', [{ rev: '2-b' }, { rev: '1-c' }]])
    assert.deepEqual(a.docs, [
      { _id: 'a', _rev: '2-b', n: 1, _revisions: { start: 2, ids: ['b', 'a'] } },
      { _id: 'a', _rev: '1-c', n: 2, _revisions: { start: 1, ids: ['c'] } }
    ])
    assert.deepEqual([gone.deleted, gone.docs], [true, [{ _id: 'gone', _rev: '1-d', _deleted: true, _revisions: { start: 1, ids: ['d'] } }]])
    assert.deepEqual([end.last_seq, end.pending, others], [gone.seq, 0, []])
    assert.deepEqual((await feed(`&since=${encodeURIComponent(a.seq)}`)).map(({ id }) => id), ['gone', undefined])
  })

  it('takes short attachments along, and leaves long ones for themselves', async () => {
    const data = encoded('short')
    await db.write('short', { _attachments: { a: { content_type: 'text/plain', data } } })
    await db.write('long', { _attachments: { a: { content_type: 'image/png', data: Buffer.alloc(1024 * 1024 + 1).toString('base64') } } })
    const [short, long] = await feed()
    assert.equal(short.docs[0]._attachments.a.data, data)
    assert.equal(long.docs[0]._attachments.a.stub, true)
  })

  it('has the filters of other feeds, a limit, and no more than was asked for', async () => {
    for (const id of 'abcd') await db.write(id, { wanted: id < 'c' })
    const { text } = await db.post('_changes?feed=replication&style=all_docs&filter=_selector', { selector: { wanted: true } })
    assert.deepEqual(linesOf({ text }).flatMap(({ docs = [] }) => docs.map(({ _id }) => _id)), ['a', 'b'])
    assert.deepEqual((await feed('&limit=2')).map(({ id, pending }) => id ?? pending), ['a', 'b', 2])
  })

  it('is compressed for those who take that', async () => {
    await db.write('a', { text: 'again '.repeat(10_000) })
    const bytes = await new Promise((resolve, reject) => {
      const headers = { 'Accept-Encoding': 'gzip', Authorization: `Basic ${encoded(`${server.credentials.username}:${server.credentials.password}`)}` }
      http.get(server.origin + db.path('_changes?feed=replication'), { headers }, async res => {
        assert.equal(res.headers['content-encoding'], 'gzip')
        resolve(Buffer.concat(await res.toArray()))
      }).on('error', reject)
    })
    assert.ok(bytes.length < 5000, `${bytes.length} bytes`)
    assert.equal(linesOf({ text: zlib.gunzipSync(bytes).toString() })[0].docs[0].text.length, 60_000)
  })
})

describe('_changes with feed=replication of a database with access by document', () => {
  const db = new AccessDatabase()

  it('has a member\'s documents, and tells what went', async () => {
    const [alice, bob] = [await db.user(), await db.user()]
    const feedOf = async (user, since) => linesOf(await user.get(`_changes?feed=replication&style=all_docs&since=${since}`))
    const rev = await db.admin.write('a', { _access: [alice.name, bob.name] })
    await db.admin.write('b', { _access: [bob.name] })
    const before = await feedOf(alice, 0)
    assert.deepEqual(before.map(({ docs }) => docs?.map(({ _id }) => _id)), [['a'], undefined])
    await db.admin.write('a', { _rev: rev, _access: [bob.name], secret: 1 })
    const [gone] = await feedOf(alice, encodeURIComponent(before.at(-1).last_seq))
    assert.deepEqual([gone.deleted, gone._access, gone.docs.length, gone.docs[0]._deleted, gone.docs[0].secret], [true, false, 1, true, undefined])
  })
})
