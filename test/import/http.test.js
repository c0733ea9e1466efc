'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { CouchTarget, StoreTarget, findSources, importDatabase, parseAddress, verifyDatabase } = require('@potoroo/import')
const { contentsOfPouch, contentsOfStore } = require('../../packages/import/test/support/contents')
const { fill, openPouch } = require('../../packages/import/test/support/pouch-database')
const { FaultyProxy } = require('./faulty-proxy')
const { createDatabase, servers } = require('./servers')

const LOCALS = ['_local/settings', '_local/ÿ/€']

for (const [kind, start] of Object.entries(servers)) {
  describe(`importing by HTTP from ${kind}`, () => {
    let server
    /** @type {DocumentStore} */
    let store
    let target
    let db

    before(async () => { server = await start() })
    after(() => server.close())

    beforeEach(async () => {
      store = await DocumentStore.open(new MemoryLevel())
      target = new StoreTarget(store)
      db = await createDatabase(server.url, 'potoroo-import/test')
    })

    afterEach(async () => {
      await store.close()
      await db.destroy()
    })

    async function withSource (work, address = `${server.url}/potoroo-import%2Ftest`, tries = undefined) {
      const { databases: [found] } = await findSources(address, { tries })
      const source = await found.open()
      try {
        return await work(source)
      } finally {
        await source.close()
      }
    }

    const bring = (options, address, tries) => withSource(source => importDatabase(source, target, options), address, tries)

    function compare () {
      const differences = []
      return withSource(source => verifyDatabase(source, target, { onDifference: each => differences.push(each) })).then(() => differences)
    }

    it('brings every leaf with its history and body, and attachments', async () => {
      await fill(db)
      const contents = await contentsOfPouch(db, LOCALS)
      const summary = await bring()
      const { documents } = await contentsOfStore(store)
      assert.deepEqual(documents, contents.documents)
      assert.deepEqual(summary.skipped, [])
      assert.equal(summary.revisions, Object.values(documents).flat().length)
    })

    it('brings documents as they were sent', async function () {
      if (kind === 'PouchDB Server') this.skip() // which keeps what JavaScript makes of them
      const bodies = { a: '{"n":1.0,"m":12345678901234567890,"10":1e2,"9":-0.0,"é":"\\u0000"}', b: '{"z":1,"a":{"2":1,"1":[1.50]}}', c: '{}', d: '{"plain":1}' }
      for (const [id, body] of Object.entries(bodies)) assert.equal((await db.fetch(id, { method: 'PUT', body })).status, 201)
      const { _rev: rev } = await db.get('b')
      await db.putAttachment('b', '7', rev, Buffer.from('7').toString('base64'), 'text/plain')
      await bring()
      // A CouchDB writes some numbers in its own way.
      const asThere = text => kind === 'CouchDB' ? text.replace('1e2', '100.0').replace('-0.0', '0.0').replace('1.50', '1.5') : text
      for (const [id, body] of Object.entries(bodies)) assert.equal((await store.get(id)).body, asThere(body))
      assert.deepEqual(await compare(), [])
    })

    it('brings local documents, where the server lists them', async () => {
      const notices = []
      await fill(db)
      const { locals } = await contentsOfPouch(db, LOCALS)
      await bring({ open: true, onNotice: notice => notices.push(notice) })
      const listed = await withSource(source => source.listsLocals())
      assert.deepEqual((await contentsOfStore(store)).locals, listed ? locals : {})
      assert.equal(notices.length, listed ? 0 : 1)
      assert.equal(listed, kind !== 'PouchDB Server')
    })

    it('finds nothing to say when it compares afterwards', async () => {
      await fill(db)
      await bring()
      assert.deepEqual(await compare(), [])
      const { rev } = await store.get('edited')
      await store.write([{ _id: 'edited', _rev: rev }, { _id: 'only here' }])
      assert.deepEqual((await compare()).map(({ id, what }) => `${id}: ${what}`).sort(), ['edited: is no leaf any more', 'edited: is only here', 'only here: is only here'])
    })

    it('brings thousands of documents, and the second time only what is new', async () => {
      for (let n = 0; n < 2500; n += 500) await db.bulkDocs(Array.from({ length: 500 }, (_, i) => ({ _id: `doc ${n + i}`, n: n + i })))
      const states = []
      assert.equal((await bring({ onProgress: state => states.push(state) })).documents, 2500)
      assert.ok(states.length > 3)
      assert.equal(states.at(-1).left, 0)
      const { _rev: rev } = await db.get('doc 7')
      await db.put({ _id: 'doc 7', _rev: rev, n: 'seven' })
      await db.put({ _id: 'new' })
      const second = await bring()
      assert.deepEqual([second.documents, second.revisions], [2, 2])
      assert.equal((await store.info()).docCount, 2501)
      assert.deepEqual(await compare(), [])
    })

    // PouchDB Server breaks down on attachments that are streamed in.
    if (kind !== 'PouchDB Server') it('goes the other way too: a LevelDB into it', bringLevelInto)

    async function bringLevelInto () {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-import-')) + path.sep
      const before = openPouch('before', folder)
      await fill(before)
      const contents = await contentsOfPouch(before, LOCALS)
      await before.close()
      const { databases: [found] } = await findSources(folder + 'before')
      const source = await found.open()
      const into = await CouchTarget.open(parseAddress(`${server.url}/potoroo-import%2Ftest`))
      try {
        assert.deepEqual((await importDatabase(source, into)).skipped, [])
        assert.deepEqual((await importDatabase(source, into)).documents, 0)
        assert.deepEqual(await contentsOfPouch(db, LOCALS), contents)
        assert.equal((await verifyDatabase(source, into)).differences, 0)
      } finally {
        await source.close()
        await into.close()
        fs.rmSync(folder, { recursive: true })
      }
    }

    it('gets through a network that loses every fourth request, cuts answers off, and fails', async () => {
      await fill(db)
      const contents = await contentsOfPouch(db, [])
      const faults = ['lose', 'cut', 'fail']
      const pauses = []
      const proxy = await FaultyProxy.start(server.url, ({ number }) => number % 4 === 3 ? faults[(number >> 2) % 3] : undefined)
      const { databases: [found] } = await findSources(throughProxy(proxy), { onPause: message => pauses.push(message) })
      const source = await found.open()
      try {
        assert.deepEqual((await importDatabase(source, target)).skipped, [])
        assert.deepEqual((await contentsOfStore(store)).documents, contents.documents)
        assert.ok(proxy.faults > 2)
        assert.ok(pauses.length > 0)
      } finally {
        await source.close()
        await proxy.close()
      }
    })

    it('manages without _bulk_get, _local_docs, _security and _revs_limit, as with old servers', async () => {
      await fill(db)
      const { documents } = await contentsOfPouch(db, [])
      const proxy = await FaultyProxy.start(server.url, ({ url }) => /_bulk_get|_local_docs|_security|_revs_limit/.test(url) ? 'absent' : undefined)
      try {
        assert.deepEqual((await bring({}, throughProxy(proxy))).skipped, [])
        assert.deepEqual((await contentsOfStore(store)).documents, documents)
      } finally {
        await proxy.close()
      }
    })

    it('reports a document that the server cannot give, brings the others, and tries again the next time', async () => {
      await fill(db)
      let broken = true
      const isBad = ({ url, body }) => broken && (body.includes('"rootless"') || url.includes('rootless')) && !url.includes('_revs_diff')
      const proxy = await FaultyProxy.start(server.url, request => isBad(request) ? 'fail' : undefined)
      try {
        const { skipped } = await bring({}, throughProxy(proxy), 2)
        assert.deepEqual([...new Set(skipped.map(({ id }) => id))], ['rootless'])
        assert.equal((await store.get('edited')).rev[0], '3')
        broken = false
        assert.deepEqual((await bring({}, throughProxy(proxy))).documents, 1)
        assert.deepEqual(await compare(), [])
      } finally {
        await proxy.close()
      }
    })

    function throughProxy (proxy) {
      const url = new URL(`${server.url}/potoroo-import%2Ftest`)
      url.port = new URL(proxy.url).port
      return url.href
    }
  })
}
