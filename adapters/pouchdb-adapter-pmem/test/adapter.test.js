'use strict'

const assert = require('node:assert/strict')
const { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')
const PouchDB = require('pouchdb-core')

const plugin = require('..')
const { testAdapter } = require('../../pouchdb-adapter-document-store/test/adapter-suite')
const { testOnFiles } = require('../../pouchdb-adapter-document-store/test/file-suite')

const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-pmem-'))
let count = 0
const newName = () => path.join(folder, `db-${++count}`)
const open = (name, options) => new PouchDB(name, { adapter: 'pmem', ...options })

after(() => rmSync(folder, { recursive: true, force: true }))

testAdapter({ adapter: 'pmem', plugin, name: newName })
testOnFiles({ adapter: 'pmem', packageFolder: path.join(__dirname, '..'), folder, name: newName })

describe('pouchdb-adapter-pmem, with a key', () => {
  const key = Buffer.alloc(32, 'k')

  it('refuses a slip in its name, with which the data would lie there as they are', async () => {
    for (const [slip, known] of [['keys', 'key'], ['kye', 'key'], ['maxsize', 'maxSize'], ['share', 'shared']]) {
      const name = newName()
      await assert.rejects(open(name, { [slip]: key }).put({ _id: 'one' }), { message: `The adapter pmem has no option ${slip}; do you mean ${known}?` })
      assert.equal(existsSync(name), false)
    }
  })

  it('encrypts a database, and asks for its key again', async () => {
    const name = newName()
    const db = open(name, { key })
    await db.put({ _id: 'one', text: 'nobody is to read this' })
    await db.close()
    const files = readdirSync(name).map(file => readFileSync(path.join(name, file)))
    assert.ok(files.length > 1 && !files.some(bytes => bytes.includes('nobody')))
    await assert.rejects(open(name).info(), error => error.cause?.code === 'LEVEL_PMEM_KEY_NEEDED')
    await assert.rejects(open(name, { key: Buffer.alloc(32, 'x') }).info(), error => {
      assert.equal(error.code, 'LEVEL_PMEM_WRONG_KEY')
      assert.equal(error.message, `The database ${JSON.stringify(name)} cannot be opened: ${error.cause.message}`)
      return /another key/.test(error.message)
    })
    const again = open(name, { key })
    assert.equal((await again.get('one')).text, 'nobody is to read this')
    await again.destroy()
    assert.equal(existsSync(name), false)
  })
})

describe('pouchdb-adapter-pmem, in a pool that is full', () => {
  for (const bytes of [200_000, 1_000_000, 4_000_000]) {
    it(`removes documents of ${bytes} bytes, and has room again`, async () => {
      const db = open(newName(), { maxSize: 24 * 2 ** 20 })
      const put = (id, length) => db.put({ _id: id, text: 'x'.repeat(length) })
      const revs = []
      await assert.rejects(async () => { for (;;) revs.push((await put(`doc-${revs.length}`, bytes)).rev) }, { status: 507 })
      for (let length = bytes / 4, i = 0; length >= 1000; length /= 4) await assert.rejects(async () => { for (;;) await put(`small-${i++}`, length) }, { status: 507 })
      for (const [i, rev] of revs.entries()) await db.remove(`doc-${i}`, rev)
      await db.compact()
      for (const i of revs.keys()) await put(`new-${i}`, bytes / 2)
      await db.destroy()
    })
  }
})
