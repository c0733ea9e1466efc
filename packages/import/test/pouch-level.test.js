'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const crypto = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { MemoryLevel } = require('memory-level')
const { PmemLevel } = require('pmem-level')
const PouchDB = require('pouchdb-core').plugin(require('pouchdb-adapter-pmem'))
const { DocumentStore } = require('@potoroo/document-store')
const { PouchLevelSource, StoreTarget, findSources, importDatabase, verifyDatabase } = require('..')
const { contentsOfPouch, contentsOfStore, sequencesOf } = require('./support/contents')
const { fill, openPouch } = require('./support/pouch-database')

const LOCALS = ['_local/settings', '_local/ÿ/€']

describe("importing PouchDB's LevelDB", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-import-')) + path.sep
  /** @type {DocumentStore} */
  let store
  let target

  beforeEach(async () => {
    store = await DocumentStore.open(new MemoryLevel())
    target = new StoreTarget(store)
  })

  afterEach(() => store.close())
  after(() => fs.rmSync(folder, { recursive: true }))

  /** Fills a database by PouchDB and closes it. */
  async function make (name, work = fill) {
    const db = openPouch(name, folder)
    const result = await work(db)
    await db.close()
    return result
  }

  async function bring (name, options) {
    const source = await PouchLevelSource.open(name, folder + name)
    try {
      return await importDatabase(source, target, options)
    } finally {
      await source.close()
    }
  }

  async function compare (name) {
    const source = await PouchLevelSource.open(name, folder + name)
    const differences = []
    try {
      await verifyDatabase(source, target, { onDifference: difference => differences.push(difference) })
    } finally {
      await source.close()
    }
    return differences
  }

  /** Changes a closed database under PouchDB. */
  async function tamper (name, work) {
    const level = new ClassicLevel(folder + name)
    await work(level)
    await level.close()
  }

  it('brings every leaf with its history and body, attachments and local documents', async () => {
    const contents = await make('all', async db => {
      await fill(db)
      return contentsOfPouch(db, LOCALS)
    })
    const summary = await bring('all')
    assert.deepEqual(await contentsOfStore(store), contents)
    assert.deepEqual(summary.skipped, [])
    assert.equal(summary.revisions, Object.values(contents.documents).flat().length)
    assert.equal(summary.documents, Object.keys(contents.documents).length)
    assert.equal(summary.locals, 2)
  })

  it("makes a database that an application's own PouchDB opens", async () => {
    const contents = await make('embedded', async db => {
      await fill(db)
      return contentsOfPouch(db, LOCALS)
    })
    const level = new PmemLevel(folder + 'embedded-pmem')
    const moved = await DocumentStore.open(level)
    const source = await PouchLevelSource.open('embedded', folder + 'embedded')
    await importDatabase(source, new StoreTarget(moved))
    await source.close()
    await moved.close()
    await level.close()
    const db = new PouchDB(folder + 'embedded-pmem', { adapter: 'pmem' })
    assert.deepEqual(await contentsOfPouch(db, LOCALS), contents)
    await db.close()
  })

  it('gives every document the sequence that it had, so that checkpoints go on being true', async () => {
    const before = await make('sequences', async db => {
      await fill(db)
      await db.put({ _id: '_local/checkpoint', last_seq: 12, history: [{ last_seq: 12, session_id: 'x' }], session_id: 'x' })
      return { ...await db.changes({ since: 12, style: 'all_docs' }), info: await db.info() }
    })
    const { sequencesKept } = await bring('sequences')
    const rows = (await sequencesOf(store)).filter(({ seq }) => seq > 12)
    assert.ok(sequencesKept)
    assert.deepEqual(rows.map(({ seq, id }) => ({ seq, id })), before.results.map(({ seq, id }) => ({ seq, id })))
    assert.equal(store.updateSeq, before.info.update_seq)
    assert.equal(JSON.parse((await store.getLocal('_local/checkpoint')).body).last_seq, 12)
  })

  it('leaves replication checkpoints out where documents have other sequences', async () => {
    await make('renumbered', async db => {
      await db.put({ _id: 'a' })
      await db.put({ _id: '_local/checkpoint', last_seq: 1, history: [{ last_seq: 1, session_id: 'x' }], session_id: 'x' })
    })
    await store.put({ _id: 'there already' })
    const summary = await bring('renumbered')
    assert.deepEqual([summary.sequencesKept, summary.checkpointsLeftOut, summary.locals], [false, 1, 0])
    await assert.rejects(store.getLocal('_local/checkpoint'), { code: 'MISSING' })
  })

  it("leaves out what PouchDB's views note, and their databases", async () => {
    await make('views', async db => {
      await db.put({ _id: '_design/v', views: { v: { map: 'function (doc) { emit(doc._id) }' } } })
      await db.put({ _id: 'a' })
      await db.query('v')
    })
    await bring('views')
    assert.deepEqual(Object.keys((await contentsOfStore(store)).locals), [])
    const { databases } = await findSources(folder)
    assert.ok(fs.readdirSync(folder).some(name => name.startsWith('views-mrview-')))
    assert.ok(databases.every(({ name }) => !name.includes('mrview')))
    assert.ok(databases.some(({ name }) => name === 'views'))
  })

  describe('the security of databases that PouchDB Server 4.2.0 wrote', () => {
    before(() => fs.cpSync(path.join(__dirname, 'fixtures/pouchdb-server-4.2.0'), folder, { recursive: true }))

    it('comes over', async () => {
      const security = { admins: { names: ['anna'], roles: [] }, members: { names: ['berta'], roles: ['readers'] } }
      assert.equal((await bring('closed')).isPublic, false)
      assert.deepEqual(await store.getMeta('security'), security)
      await assert.rejects(store.getLocal('_local/_security'), { code: 'MISSING' })
      assert.deepEqual(await compare('closed'), [])
      await store.setMeta('security', { members: { roles: ['readers'], names: ['berta', 'berta'] }, admins: { names: ['anna'] } })
      assert.deepEqual(await compare('closed'), [], 'it lets in the same people')
      await store.setMeta('security', {})
      assert.deepEqual(await compare('closed'), [{ id: '_security', what: 'lets everybody in' }])
    })

    it('is for administrators where there was none, unless it is to stay open', async () => {
      assert.equal((await bring('open')).isPublic, false)
      assert.deepEqual(await store.getMeta('security'), { admins: { roles: ['_admin'] }, members: { roles: ['_admin'] } })
      assert.deepEqual(await compare('open'), [])
    })

    it('stays open if that is asked for', async () => {
      assert.equal((await bring('open', { open: true })).isPublic, true)
      assert.deepEqual(await store.getMeta('security'), {})
      assert.deepEqual(await compare('open'), [{ id: '_security', what: 'lets everybody in' }])
    })
  })

  it('brings 10,000 documents, and the second time only what is new', async () => {
    await make('many', async db => {
      for (let n = 0; n < 10_000; n += 500) await db.bulkDocs(Array.from({ length: 500 }, (_, i) => ({ _id: `doc ${n + i}`, n: n + i })))
    })
    assert.equal((await bring('many')).documents, 10_000)
    assert.deepEqual(await compare('many'), [])
    await make('many', async db => {
      const { _rev: rev } = await db.get('doc 7')
      await db.put({ _id: 'doc 7', _rev: rev, n: 'seven' })
      await db.put({ _id: 'new' })
      await db.put({ _id: '_local/new', yes: true })
    })
    const second = await bring('many')
    assert.deepEqual([second.documents, second.revisions, second.present, second.locals], [2, 2, 0, 1])
    assert.deepEqual(await compare('many'), [])
    assert.equal((await store.info()).docCount, 10_001)
  })

  it('keeps histories longer than the limit of new databases', async () => {
    const ids = Array.from({ length: 1500 }, (_, i) => `r${1500 - i}`)
    await make('long', async db => {
      const limited = Object.assign(db, { revs_limit: 2000 })
      await limited.bulkDocs([{ _id: 'a', _rev: '1500-r1500', _revisions: { start: 1500, ids } }], { new_edits: false })
    })
    await bring('long')
    const { revisions } = await store.get('a', { revs: true })
    const stored = (await make('long', db => db.get('a', { revs: true })))._revisions
    assert.deepEqual(revisions, stored)
    assert.ok(stored.ids.length >= 1000)
  })

  it('reports what is damaged, brings the rest, and tries again the next time', async () => {
    await make('damaged')
    const cut = '\xffattach-binary-store\xff' + 'md5-eaj2Tb2lOwvhcE1gfP/nQg==' // of `it`
    const digests = Buffer.from('md5-' + crypto.createHash('md5').update('hello').digest('base64'))
    let content
    await tamper('damaged', async level => {
      content = await level.get('\xffattach-binary-store\xff' + digests, { valueEncoding: 'buffer' })
      await level.put('\xffattach-binary-store\xff' + digests, Buffer.from('hallo'), { valueEncoding: 'buffer' })
      await level.put('\xffby-sequence\xff0000000000000001', '{"torn')
      await level.del(cut)
    })
    const skipped = []
    const summary = await bring('damaged', { onSkip: failure => skipped.push(failure) })
    assert.deepEqual(summary.skipped, skipped)
    assert.ok(skipped.some(({ id, reason }) => id === 'files' && reason.includes('digest')), JSON.stringify(skipped))
    assert.ok(skipped.some(({ reason }) => reason.includes('not JSON')))
    assert.equal((await store.get('edited')).rev.slice(0, 1), '3')
    await tamper('damaged', level => level.put('\xffattach-binary-store\xff' + digests, content, { valueEncoding: 'buffer' }))
    const second = await bring('damaged')
    assert.equal(second.documents, 1)
    assert.equal((await (await store.getAttachment('files', 'a b/ü.txt')).read()).toString(), 'hello')
  })

  describe('says clearly', () => {
    it('that a folder is not there', () => assert.rejects(findSources(folder + 'nowhere'), { code: 'SOURCE_NOT_FOUND' }))

    it('that a folder holds nothing of the kind', async () => {
      fs.mkdirSync(folder + 'empty')
      await assert.rejects(findSources(folder + 'empty'), { code: 'SOURCE_FORMAT' })
    })

    it('that a LevelDB is damaged', async () => {
      await make('torn', db => db.put({ _id: 'a' }))
      for (const file of fs.readdirSync(folder + 'torn').filter(name => name.startsWith('MANIFEST'))) fs.truncateSync(path.join(folder, 'torn', file), 10)
      await assert.rejects(bring('torn'), { code: 'SOURCE_UNREADABLE', message: /torn cannot be opened: Corruption/ })
    })

    it('that a LevelDB is not one of PouchDB', async () => {
      await tamper('other', level => level.put('a', 'b'))
      await assert.rejects(bring('other'), { code: 'SOURCE_FORMAT', message: /not one of PouchDB/ })
    })

    it('that a database is in use by another process', async () => {
      await make('busy', db => db.put({ _id: 'a' }))
      const program = 'const { ClassicLevel } = require("classic-level"); new ClassicLevel(process.argv[1]).open().then(() => console.log(1))'
      const child = spawn(process.execPath, ['-e', `${program}; setInterval(() => {}, 1000)`, folder + 'busy'], { cwd: __dirname, stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      await assert.rejects(bring('busy'), { code: 'SOURCE_LOCKED', message: /in use/ })
      child.kill()
      await once(child, 'close')
      assert.equal((await bring('busy')).documents, 1)
    })

    it('that a format is older than what it reads', async () => {
      await tamper('second format', level => level.put('\xffby-sequence\xff_local_uuid', '"x"'))
      await assert.rejects(bring('second format'), { code: 'SOURCE_FORMAT', message: /before 3\.0/ })
      fs.mkdirSync(folder + 'first format')
      await tamper('first format/document-store', level => level.put('a', 'b'))
      await assert.rejects(bring('first format'), { code: 'SOURCE_FORMAT', message: /before 2\.0/ })
    })
  })

  it('verify tells what differs', async () => {
    await make('compared')
    await bring('compared')
    assert.deepEqual(await compare('compared'), [])
    const { rev } = await store.get('more files')
    await store.write([{ _id: 'more files', _rev: rev }, { _id: 'only here' }])
    await store.write([{ _id: 'forked', _rev: '3-e', _revisions: { start: 3, ids: ['e', 'b', 'r'] } }], { newEdits: false })
    await store.putLocal({ _id: '_local/settings', _rev: '0-1', colour: 'blue' })
    const differences = (await compare('compared')).map(({ id, what }) => `${id}: ${what}`).sort()
    assert.deepEqual(differences, ['_local/settings: has another body', 'forked: is only here', 'more files: is no leaf any more', 'more files: is only here', 'only here: is only here'])
  })
})
