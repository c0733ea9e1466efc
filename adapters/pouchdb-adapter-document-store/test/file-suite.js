'use strict'

const assert = require('node:assert/strict')
const { existsSync } = require('node:fs')
const path = require('node:path')
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-leveldb'))

const { survivesKill } = require('./survives-kill')

/**
 * Tests of an adapter that keeps databases in files.
 *
 * @param {{ adapter: string, packageFolder: string, folder: string, name: () => string }} adapter packageFolder: of the adapter;
 *   folder: an existing one for databases; name: makes the path of a database that is not there
 */
function testOnFiles ({ adapter, packageFolder, folder, name: newName }) {
  const open = (name, options) => new PouchDB(name, { adapter, ...options })

  describe(`pouchdb-adapter-${adapter}, on files`, () => {
    it('puts the database where its name says, below a prefix', async () => {
      const db = open('below', { prefix: folder + path.sep })
      await db.info()
      assert.equal(existsSync(path.join(folder, 'below')), true)
      await db.destroy()
      assert.equal(existsSync(path.join(folder, 'below')), false)
    })

    it('shares a database between two ways to write its path', async () => {
      const name = newName()
      const first = open(name)
      await first.put({ _id: 'a' })
      const second = open(path.relative(process.cwd(), name))
      assert.equal((await second.get('a'))._id, 'a')
      await second.close()
      await first.destroy()
    })

    it('has every acknowledged write after its process was killed', async () => {
      const name = newName()
      await survivesKill(packageFolder, name, () => open(name))
    })

    it('leaves what PouchDB stored in LevelDB as it is, and says how it is brought over', async () => {
      const name = newName()
      const theirs = new PouchDB(name, { adapter: 'leveldb' })
      const { rev } = await theirs.put({ _id: 'years of work' })
      await theirs.close()
      for (const use of ['info', 'destroy']) await assert.rejects(open(name)[use](), Error)
      const again = new PouchDB(name, { adapter: 'leveldb' })
      assert.equal((await again.get('years of work'))._rev, rev)
      await again.destroy()
    })

    it('reports a path that it cannot open', async () => {
      const db = open(path.join(__filename, 'below-a-file'))
      await assert.rejects(db.info(), Error)
    })
  })
}

module.exports = { testOnFiles }
