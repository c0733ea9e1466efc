'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { potoroo, serve } = require('..')
const { demandDatabases } = require('../lib/storage/data-folder')
const { FolderTargets } = require('../lib/import/targets')

describe('a data folder', () => {
  let folder

  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-folder-')) })
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

  const inside = name => path.join(folder, name)
  const options = { port: 0, storage: /** @type {const} */ ('classic-level'), allowVolatile: true }

  /** Things that somebody may take for a data folder, or name by mistake. */
  const others = {
    'a file': [path => fs.writeFileSync(path, ''), /is a file, and no data folder/],
    "a pool's own folder": [path => fs.mkdirSync(path) ?? fs.writeFileSync(`${path}/pool.set`, 'PMEMPOOLSET'), /is a pool's own folder, and no data folder/],
    'a part of a pool': [path => fs.mkdirSync(path) ?? fs.writeFileSync(`${path}/000000.pmem`, ''), /is a pool's own folder/],
    'a folder of LevelDB': [async path => { const level = new ClassicLevel(path); await level.put('a', 'b'); await level.close() }, /is LevelDB's own folder/],
    'a database of pouchdb-adapter-pmem': [path => fs.mkdirSync(path) ?? fs.writeFileSync(`${path}/pouchdb-shared-pool.json`, '{}'), /is a database of pouchdb-adapter-pmem/],
    'a folder of exports': [path => fs.mkdirSync(path) ?? fs.writeFileSync(`${path}/todos.jsonl`, '{"potoroo_export":1}\n'), /has files of potoroo export/]
  }
  for (const [what, [make, said]] of Object.entries(others)) {
    it(`is not ${what}, in which nothing is made`, async () => {
      await make(inside('it'))
      const files = () => fs.statSync(inside('it')).isFile() ? [] : fs.readdirSync(inside('it'))
      const before = files()
      await assert.rejects(serve({ ...options, path: inside('it') }), { code: 'OTHER_FOLDER', message: said })
      await assert.rejects(FolderTargets.open({ ...options, folder: inside('it') }), { code: 'OTHER_FOLDER', message: said })
      assert.throws(() => demandDatabases(inside('it')), { message: said })
      assert.deepStrictEqual(files(), before)
    })
  }

  for (const storage of /** @type {const} */ (['pmem', 'classic-level'])) {
    it(`that is in use is no other server's, in ${storage}`, async () => {
      const first = await serve({ ...options, storage, path: folder, adminParty: true })
      try {
        const { stderr } = spawnSync(process.execPath, [require.resolve('../bin/potoroo.js'), 'serve', '--port', '0', '--allow-volatile', '--storage', storage, '--data', folder], { encoding: 'utf8' })
        assert.equal(stderr, `potoroo: the databases in ${folder} are in use by another process; end it, or choose another folder with --data\n`)
        const app = potoroo({ path: folder, storage, allowVolatile: true, adminParty: true })
        await assert.rejects(app.ready, { code: 'LEVEL_LOCKED', message: `the databases in ${folder} are in use by another process, or by another server of this one; end it, or choose another folder as path` })
        await app.close()
      } finally {
        await first.close()
      }
    })
  }

  it("of which a pool's folder is named is named itself", () => {
    fs.mkdirSync(inside('pmem'))
    fs.writeFileSync(inside('pmem/pool.set'), 'PMEMPOOLSET')
    fs.writeFileSync(inside('potoroo.ini'), '')
    assert.throws(() => demandDatabases(inside('pmem')), { message: `${inside('pmem')} is a pool's own folder, and no data folder (that is ${folder}); name a data folder with --data` })
  })

  it('may be empty, or have files of something else', async () => {
    fs.writeFileSync(inside('notes.txt'), 'notes')
    fs.writeFileSync(inside('lines.jsonl'), '{"a":1}\n')
    await (await FolderTargets.open({ ...options, folder })).close()
    fs.mkdirSync(inside('empty'))
    await (await FolderTargets.open({ ...options, folder: inside('empty') })).close()
  })

  it('that cannot be read is said not to be', function () {
    fs.chmodSync(folder, 0)
    try {
      fs.readdirSync(folder)
      return this.skip() // the superuser reads all
    } catch {}
    assert.throws(() => demandDatabases(folder), { message: /cannot be read: permission denied/ })
  })

  it('that is not there is said not to be', () => {
    fs.writeFileSync(inside('file'), '')
    assert.throws(() => demandDatabases(inside('nothing'), { server: true }), { message: `there are no databases in ${inside('nothing')}, which does not exist; name a data folder with --data, or a server with --server` })
    assert.throws(() => demandDatabases(inside('file/nothing')), { message: /file\/nothing cannot be read: what should be a folder on the way is a file;/ })
    assert.throws(() => demandDatabases(folder), { message: `there are no databases in ${folder}; name a data folder with --data` })
  })

  it('that was made is removed where the storage is refused', async () => {
    const at = inside('a/b')
    await assert.rejects(FolderTargets.open({ ...options, folder: at, storage: 'nonsense' }), { code: 'STORAGE_UNKNOWN' })
    assert.ok(!fs.existsSync(inside('a')))
    await assert.rejects(serve({ ...options, path: at, storage: /** @type {any} */ ('nonsense'), log: () => {} }), { code: 'STORAGE_UNKNOWN' })
    assert.deepStrictEqual(fs.readdirSync(folder), [])
  })
})
