'use strict'

const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/** Makes a folder of the tests the working one, and the addon of persistent memory fail on demand. */
const BEFORE = `
  const Module = require('node:module')
  const { _load } = Module
  Module._load = function (name, ...rest) {
    if (process.env.NO_PMEM && name === 'pouchdb-adapter-pmem') throw Object.assign(new Error('the addon is away'), { code: 'ADDON_MISSING' })
    return _load.call(this, name, ...rest)
  }
  const PouchDB = require(${JSON.stringify(path.join(__dirname, '..'))})
  process.on('warning', ({ code, message }) => console.log(code, message));
`

describe('pouchdb-potoroo', () => {
  let folder
  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pouchdb-potoroo-')) })
  afterEach(() => fs.rmSync(folder, { recursive: true }))

  const run = (code, env = {}) => execFileSync(process.execPath, ['-e', `${BEFORE}(async () => { ${code} })()`],
    { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8' })
  const noPmem = { NO_PMEM: '1' }

  const WRITE = 'const db = new PouchDB("todos"); console.log((await db.put({ _id: "milk" })).ok, db.adapter); await db.close()'
  const READ = 'const db = new PouchDB("todos"); console.log((await db.get("milk"))._id, db.adapter); await db.close()'

  it('stores in persistent memory, queries and replicates', () => {
    const output = run(`${WRITE}
      const there = new PouchDB('todos')
      const copy = new PouchDB('copy', { adapter: 'memory-level' })
      await there.replicate.to(copy)
      console.log((await copy.find({ selector: { _id: 'milk' } })).docs.length, (await copy.query(doc => emit(doc._id))).rows.length)
      await there.close()`)
    assert.strictEqual(output, 'true pmem\n1 1\n')
  })

  it('stores in LevelDB where there is no persistent memory, says so once, and finds it again later', () => {
    const output = run(`${WRITE}; await new PouchDB("other").close()`, noPmem)
    assert.deepStrictEqual(output.trim().split('\n').sort(), [
      'POTOROO_NO_PMEM New databases are stored in LevelDB, and not in persistent memory: the addon is away',
      'true classic-level'
    ])
    assert.strictEqual(run(READ), 'milk classic-level\n')
  })

  it('makes no empty database in the place of one in persistent memory', () => {
    run(WRITE)
    const output = run('await new PouchDB("todos").info().then(console.log, error => console.log(error.message))', noPmem)
    assert.match(output, /todos holds something else than LevelDB, and persistent memory is not available: the addon is away/)
    assert.strictEqual(run(READ), 'milk pmem\n')
  })
})
