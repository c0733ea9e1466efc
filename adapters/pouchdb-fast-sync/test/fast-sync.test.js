'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { EventEmitter, once } = require('node:events')
const PouchDB = require('pouchdb')
const { serve } = require('potoroo')
const fastSync = require('..')

const auth = { username: 'admin', password: 'secret' }

/** A PouchDB of its own: a plugin changes the class that it is given. */
function freshPouchDB () {
  const file = require.resolve('pouchdb')
  const cached = require.cache[file]
  delete require.cache[file]
  try {
    return require('pouchdb').plugin(require('pouchdb-adapter-memory-level')).plugin(fastSync)
  } finally {
    require.cache[file] = cached
  }
}

describe('pouchdb-fast-sync', function () {
  this.timeout(600_000)
  const Fast = freshPouchDB()
  let server, url, requests, broken, local

  before(async () => { server = await serve({ storage: 'memory', port: 0, admins: { [auth.username]: auth.password }, log: () => {} }) })
  after(() => server.close())
  beforeEach(() => {
    url = `${server.url}/test-${crypto.randomUUID()}`
    requests = []
    broken = () => {}
    local = new Fast(crypto.randomUUID(), { adapter: 'memory-level' })
  })
  afterEach(() => local.destroy())

  const remote = (Class = Fast) => new Class(url, {
    auth,
    async fetch (url, options) {
      requests.push(`${options?.method ?? 'GET'} ${url}`)
      return broken(String(url)) ?? PouchDB.fetch(url, options)
    }
  })
  const documents = (count, more = () => ({})) => Array.from({ length: count }, (_, n) => ({ _id: `d${String(n).padStart(5, '0')}`, n, ...more(n) }))
  const fill = async (count, more) => { assert.ok((await remote(PouchDB).bulkDocs(documents(count, more))).every(({ ok }) => ok)); requests = [] }
  // Digests are of what is stored, which our server compresses.
  const withoutDigests = doc => { for (const attachment of Object.values(doc._attachments ?? {})) delete attachment.digest; return doc }
  const rowsOf = async pouch => (await pouch.allDocs({ include_docs: true, attachments: true, conflicts: true })).rows.map(({ doc }) => withoutDigests(doc))
  const streams = () => requests.filter(request => request.includes('feed=replication')).length
  // Answers with what is made of the server's stream.
  const spoil = answer => {
    const headers = { Authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}` }
    broken = url => url.includes('feed=replication')
      ? PouchDB.fetch(url, { headers }).then(response => response.text()).then(text => new Response(answer(text)))
      : undefined
  }
  const spoilChange = change => spoil(text => text.split('\n').map(line => {
    if (!line.includes('"d00250"')) return line
    const told = JSON.parse(line)
    change(told)
    return JSON.stringify(told)
  }).join('\n'))
  const assertSame = async () => assert.deepEqual(await rowsOf(local), await rowsOf(remote(PouchDB)))

  it('brings everything in a few requests', async () => {
    await fill(1500, n => n % 50 === 0 ? { _attachments: { a: { content_type: 'text/plain', data: Buffer.from(`file ${n}`).toString('base64') } } } : {})
    await remote(PouchDB).bulkDocs([{ _id: 'd00700', _rev: '1-c0ffee' }], { new_edits: false })
    requests = []
    const { docs_written: written } = await local.replicate.from(remote())
    assert.equal(written, 1501)
    assert.ok(requests.length < 25, requests.join('\n'))
    assert.equal(streams(), 1)
    await assertSame()
  })

  it('leaves checkpoints that PouchDB goes on from, and goes on from those of PouchDB', async () => {
    await fill(500)
    await local.replicate.from(remote())
    const again = await PouchDB.replicate(remote(PouchDB), local)
    assert.equal(again.docs_read, 0)
    assert.ok(requests.filter(request => request.includes('_bulk_get')).length <= 1)
    await remote(PouchDB).put({ _id: 'later' })
    requests = []
    assert.equal((await local.replicate.from(remote())).docs_written, 1)
    assert.equal(streams(), 0)
  })

  it('goes on in the ordinary way where the stream breaks off', async () => {
    await fill(1500)
    spoil(text => text.slice(0, text.length / 3))
    await local.replicate.from(remote())
    assert.ok(requests.filter(request => request.includes('_bulk_get')).length > 3)
    await assertSame()
  })

  const lies = {
    'another document than its change names': ({ docs: [doc] }) => { doc._id = 'd00001' },
    'another revision than its change names': ({ docs: [doc] }) => { doc._rev = '2-c0ffee' },
    'ancestors of another revision': ({ docs: [doc] }) => { doc._revisions = { start: 9, ids: ['c0ffee'] } },
    'a revision without ancestors, and a tree': ({ docs: [doc] }) => {
      delete doc._revisions
      doc._rev_tree = [{ pos: 9, ids: ['c0ffee', {}, []] }]
    },
    'more ancestors than there can be': ({ docs: [{ _revisions: revisions }] }) => { revisions.ids.push('c0ffee') },
    'no document': told => { told.docs = [null] },
    'no changes': told => { told.changes = 'all' }
  }
  for (const [what, lie] of Object.entries(lies)) {
    it(`stores nothing of a page with ${what}, and asks for no more streams`, async () => {
      await fill(600)
      const told = []
      spoilChange(change => {
        lie(change)
        told.push(change)
      })
      await local.replicate.from(remote())
      assert.equal(told.length, 1)
      assert.equal(streams(), 1)
      assert.ok(requests.filter(request => request.includes('_bulk_get')).length > 3, requests.join('\n'))
      await assertSame()
    })
  }

  it('gives up a stream with an endless line', async () => {
    await fill(500)
    const part = new Uint8Array(1024 * 1024).fill(32)
    let sent = 0
    spoil(() => new ReadableStream({ pull: controller => { sent++; controller.enqueue(part) } }))
    await local.replicate.from(remote())
    assert.ok(sent >= 32 && sent < 40, `${sent} MiB`)
    assert.equal(streams(), 1)
    await assertSame()
  })

  it('gives up a stream that stalls', async () => {
    await fill(500)
    spoil(text => new ReadableStream({ start: controller => controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2))) }))
    await local.replicate.from(remote(), { stream_timeout: 100 })
    assert.equal(streams(), 1)
    await assertSame()
  })

  it('gives up a stream that does not begin', async () => {
    await fill(500)
    broken = url => url.includes('feed=replication') ? new Promise(() => {}) : undefined
    await local.replicate.from(remote(), { stream_timeout: 100 })
    assert.equal(streams(), 1)
    await assertSame()
  })

  it('is as ever with a server that cannot stream', async () => {
    await fill(500)
    broken = url => /\/\.\.\/$|:\d+\/$/.test(url) ? Promise.resolve(new Response('{"couchdb":"Welcome"}')) : undefined
    await local.replicate.from(remote())
    assert.equal(streams(), 0)
    await assertSame()
  })

  it('keeps to filters', async () => {
    await fill(1000)
    await local.replicate.from(remote(), { selector: { n: { $gte: 400 } } })
    assert.equal(streams(), 1)
    assert.deepEqual((await rowsOf(local)).map(({ n }) => n), Array.from({ length: 600 }, (_, i) => 400 + i))
  })

  it('syncs live, both ways, after it', async () => {
    await fill(500)
    await local.put({ _id: 'mine' })
    const sync = local.sync(remote(), { live: true })
    const arrived = new EventEmitter()
    local.changes({ live: true, since: 0 }).on('change', ({ id }) => arrived.emit(id))
    const there = remote(PouchDB).changes({ live: true, since: 0 })
    await Promise.all([once(arrived, 'd00499'), new Promise(resolve => there.on('change', ({ id }) => { if (id === 'mine') resolve() }))])
    const later = once(arrived, 'later')
    await remote(PouchDB).put({ _id: 'later' })
    await later
    there.cancel()
    sync.cancel()
    await sync.catch(() => {})
    assert.equal(streams(), 1)
    await assertSame()
  })
})
