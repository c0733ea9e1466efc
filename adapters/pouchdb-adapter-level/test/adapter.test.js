'use strict'

const assert = require('node:assert/strict')
const { existsSync, mkdtempSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')
const PouchDB = require('pouchdb-core')

const plugin = require('..')
const { testAdapter } = require('../../pouchdb-adapter-document-store/test/adapter-suite')
const { survivesKill } = require('../../pouchdb-adapter-document-store/test/survives-kill')

const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-level-'))
let count = 0
const newName = () => path.join(folder, `db-${++count}`)
const open = (name, options) => new PouchDB(name, { adapter: 'level', ...options })

after(() => rmSync(folder, { recursive: true, force: true }))

testAdapter({ adapter: 'level', plugin, name: newName })

describe('pouchdb-adapter-level in Node.js', () => {
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
    await survivesKill(path.join(__dirname, '..'), name, () => open(name))
  })

  it('reports a path that it cannot open', async () => {
    const db = open(path.join(__filename, 'below-a-file'))
    await assert.rejects(db.info(), Error)
  })
})
