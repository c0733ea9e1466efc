'use strict'

const assert = require('node:assert/strict')
const { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')
const PouchDB = require('pouchdb-core')

const plugin = require('..')
const { testAdapter } = require('../../pouchdb-adapter-document-store/test/adapter-suite')
const { survivesKill } = require('../../pouchdb-adapter-document-store/test/survives-kill')

const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-pmem-'))
let count = 0
const newName = () => path.join(folder, `db-${++count}`)
const open = (name, options) => new PouchDB(name, { adapter: 'pmem', ...options })

after(() => rmSync(folder, { recursive: true, force: true }))

testAdapter({ adapter: 'pmem', plugin, name: newName })

describe('pouchdb-adapter-pmem, with a key', () => {
  const key = Buffer.alloc(32, 'k')

  it('encrypts a database, and asks for its key again', async () => {
    const name = newName()
    const db = open(name, { key })
    await db.put({ _id: 'one', text: 'nobody is to read this' })
    await db.close()
    const files = readdirSync(name).map(file => readFileSync(path.join(name, file)))
    assert.ok(files.length > 1 && !files.some(bytes => bytes.includes('nobody')))
    await assert.rejects(open(name).info(), error => error.cause?.code === 'LEVEL_PMEM_KEY_NEEDED')
    await assert.rejects(open(name, { key: Buffer.alloc(32, 'x') }).info(), error => {
      assert.equal(error.code, 'LEVEL_DATABASE_NOT_OPEN')
      assert.equal(error.cause.code, 'LEVEL_PMEM_WRONG_KEY')
      assert.equal(error.message, `The database ${JSON.stringify(name)} cannot be opened: ${error.cause.message}`)
      return /another key/.test(error.message)
    })
    const again = open(name, { key })
    assert.equal((await again.get('one')).text, 'nobody is to read this')
    await again.destroy()
    assert.equal(existsSync(name), false)
  })
})

describe('pouchdb-adapter-pmem, on files', () => {
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
