'use strict'

const assert = require('node:assert/strict')
const { execFile, fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { Worker } = require('node:worker_threads')
const { DocumentStore } = require('@potoroo/document-store')
const { PmemLevel } = require('pmem-level')
const PouchDB = require('pouchdb-core')

PouchDB.plugin(require('..'))

const POOL = 'pouchdb-shared-pool'
const MIB = 2 ** 20
const program = path.join(__dirname, 'other-process.js')
const pmemobj = path.join(path.dirname(require.resolve('pmemobj/package.json')), 'bin/pmemobj.js')

describe('databases of one folder, with pouchdb-adapter-pmem', function () {
  this.timeout(600_000)
  let root
  let folder
  let count = 0
  const started = []

  before(() => { root = fs.mkdtempSync(path.join(tmpdir(), 'shared-pool-')) })

  after(() => fs.rmSync(root, { recursive: true, force: true }))

  beforeEach(() => {
    folder = path.join(root, `${count++}`)
    fs.mkdirSync(folder)
  })

  afterEach(() => Promise.all(started.splice(0).map(end => end())))

  const nameOf = (name) => path.join(folder, name)
  const open = (name, options) => new PouchDB(nameOf(name), { adapter: 'pmem', ...options })
  const has = (...names) => fs.existsSync(path.join(folder, ...names))
  const ids = async (db) => (await db.allDocs()).rows.map(({ id }) => id)

  /** Opens it, with a document that has the database's name. */
  async function make (name, options) {
    const db = open(name, options)
    await db.put({ _id: `doc of ${name}` })
    return db
  }

  /** Another process, or thread, that does as it is told: rejects with the code of its error. */
  function other (start) {
    const it = start()
    const end = it instanceof Worker ? () => it.terminate() : () => it.kill('SIGKILL') && once(it, 'exit')
    started.push(end)
    const ask = async (verb, name, options = {}) => {
      const message = { verb, name: nameOf(name), options }
      it instanceof Worker ? it.postMessage(message) : it.send(message)
      const [{ result, error }] = await once(it, 'message')
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    }
    return { ask, end }
  }

  const otherProcess = () => other(() => fork(program))
  const otherThread = () => other(() => new Worker(program))

  it('have one pool together, which is listed by pmemobj', async () => {
    const databases = await Promise.all(Array.from({ length: 20 }, (_, i) => make(`db ${i}`)))
    const pool = nameOf(POOL)
    assert.deepEqual(fs.readdirSync(folder).sort(), [...databases.map((db, i) => `db ${i}`), POOL].sort())
    const size = fs.readdirSync(pool).reduce((sum, file) => sum + fs.statSync(path.join(pool, file)).size, 0)
    assert.ok(size < 20 * MIB, `${size} bytes`)
    for (const [i, db] of databases.entries()) assert.deepEqual(await ids(db), [`doc of db ${i}`])
    await Promise.all(databases.map((db) => db.close()))
    const { stdout } = await promisify(execFile)(process.execPath, [pmemobj, 'info', '--json', pool])
    const maps = JSON.parse(stdout).maps
    assert.equal(maps.length, 20)
    for (const [i] of databases.entries()) assert.equal(maps.filter(({ name, entries }) => name.startsWith(`db ${i}#`) && entries > 0).length, 1)
  })

  it('are backed up one by one, into pools of their own', async () => {
    const databases = await Promise.all(['a', 'b'].map((name) => make(name)))
    await Promise.all(databases.map((db) => db.close()))
    const { map } = JSON.parse(fs.readFileSync(nameOf(`a/${POOL}.json`), 'utf8'))
    const run = (...words) => promisify(execFile)(process.execPath, [pmemobj, ...words])
    await run('backup', nameOf(POOL), nameOf('a.backup'), '--map', map, '--as', 'level')
    await run('restore', nameOf('a.backup'), nameOf('copy'))
    const copy = open('copy')
    assert.deepEqual(await ids(copy), ['doc of a'])
    await copy.destroy()
    assert.equal(has('copy'), false)
  })

  it('are there again, also where the folder has moved', async () => {
    await Promise.all(['a', 'b'].map(async (name) => (await make(name)).close()))
    const moved = `${folder} moved`
    fs.renameSync(folder, moved)
    folder = moved
    fs.renameSync(nameOf('b'), nameOf('c'))
    const [a, b, c] = [open('a'), await make('b'), open('c')]
    assert.deepEqual([await ids(a), await ids(b), await ids(c)], [['doc of a'], ['doc of b'], ['doc of b']])
    await b.put({ _id: 'new' })
    assert.deepEqual(await ids(c), ['doc of b'])
    await Promise.all([a, b, c].map((db) => db.close()))
  })

  it('are destroyed each for itself, and the pool with the last one', async () => {
    const [a, b, below] = [await make('a'), await make('b'), await make('a/below')]
    await a.destroy()
    assert.deepEqual([has('a'), has('a', 'below'), has(POOL)], [true, true, true])
    assert.deepEqual(await ids(b), ['doc of b'])
    const again = open('a')
    assert.deepEqual(await ids(again), [])
    await below.destroy()
    await b.close()
    await again.destroy()
    assert.deepEqual(fs.readdirSync(folder).sort(), ['b', POOL])
    const last = open('b')
    assert.deepEqual(await ids(last), ['doc of b'])
    await last.destroy()
    assert.deepEqual(fs.readdirSync(folder), [])
  })

  it('are made and destroyed at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      const databases = await Promise.all(['a', 'b', 'c'].map((name) => make(name)))
      const [, d] = await Promise.all([databases[0].destroy(), make('d'), databases[1].destroy(), databases[2].destroy()])
      assert.deepEqual(await ids(d), ['doc of d'])
      await d.destroy()
      assert.deepEqual(fs.readdirSync(folder), [])
    }
  })

  it('have hostile names', async () => {
    const names = ['__proto__', 'constructor', 'a b\t#', 'ü\u{1f998}', '..a', 'x'.repeat(255), '%2f', 'level', '{"map":"level"}', 'deep/er/../er/name', '../outside']
    const databases = await Promise.all(names.map((name) => make(name)))
    for (const [i, db] of databases.entries()) assert.deepEqual(await ids(db), [`doc of ${names[i]}`])
    assert.equal(has('deep', 'er', POOL), true)
    await Promise.all(databases.map((db) => db.destroy()))
    assert.deepEqual(fs.readdirSync(folder), ['deep'])
    assert.equal(fs.existsSync(path.join(root, 'outside')), false)
    await assert.rejects(open('x'.repeat(300)).info(), { code: 'ENAMETOOLONG' })
    await assert.rejects(open('a\0b').info(), TypeError)
    await assert.rejects(open(POOL).info(), /where the databases of its folder have their pool/)
    assert.deepEqual(fs.readdirSync(folder), ['deep'])
  })

  it('are pools of their own where that is asked for', async () => {
    const all = await Promise.all([make('shared false', { shared: false }), make('size', { size: 16 * MIB }), make('file', { maxSize: 24 * MIB }), make('shared')])
    for (const name of ['shared false', 'size', 'file']) assert.equal(has(name, 'pool.set'), true)
    assert.match(fs.readFileSync(nameOf('file/pool.set'), 'utf8'), new RegExp(`^${24 * MIB} `, 'm'))
    assert.equal(has('shared', 'pool.set'), false)
    await Promise.all(all.map((db) => db.close()))
    const again = [open('shared false'), open('size'), open('file'), open('shared', { shared: false, size: 16 * MIB })]
    for (const db of again) assert.equal((await ids(db)).length, 1)
    await Promise.all(again.map((db) => db.destroy()))
    assert.deepEqual(fs.readdirSync(folder), [])
  })

  it('are what they were before there was a shared pool', async () => {
    const level = new PmemLevel(nameOf('before'))
    const store = await DocumentStore.open(level, { name: nameOf('before') })
    await store.write([{ _id: 'old' }])
    await store.close()
    await level.close()
    const [before, beside] = [open('before'), await make('beside')]
    assert.deepEqual(await ids(before), ['old'])
    await before.destroy()
    assert.deepEqual(fs.readdirSync(folder).sort(), ['beside', POOL])
    await beside.destroy()
  })

  it('leave what is no database alone, and take an empty folder', async () => {
    fs.mkdirSync(nameOf('letters'))
    fs.writeFileSync(nameOf('letters/1'), 'a letter')
    fs.writeFileSync(nameOf('file'), 'a letter')
    fs.mkdirSync(nameOf('empty'))
    await assert.rejects(open('letters').info(), (error) => error.cause.code === 'LEVEL_PMEM_NOT_A_POOL')
    await assert.rejects(open('file').info(), (error) => error.cause.code === 'LEVEL_PMEM_NOT_A_POOL')
    const taken = await make('empty')
    assert.equal(has('empty', 'pool.set'), true)
    await taken.destroy()
    assert.deepEqual(fs.readdirSync(folder).sort(), ['file', 'letters'])
  })

  it('say so where their pool is missing, and begin again where they were removed', async () => {
    const [a, b] = [await make('a'), await make('b')]
    await Promise.all([a.close(), b.close()])
    fs.mkdirSync(nameOf('elsewhere'))
    fs.renameSync(nameOf('a'), nameOf('elsewhere/a'))
    await assert.rejects(open('elsewhere/a').info(), { code: 'LEVEL_PMEM_NOT_FOUND', message: /elsewhere\/pouchdb-shared-pool, which is missing/ })
    fs.writeFileSync(nameOf('elsewhere/a/pouchdb-shared-pool.json'), '{"map":')
    await assert.rejects(open('elsewhere/a').info(), /pouchdb-shared-pool.json is damaged/)
    fs.rmSync(nameOf('b'), { recursive: true })
    const again = open('b')
    assert.deepEqual(await ids(again), [])
    await again.close()
  })

  it('are one process\'s at a time; a new one of another process has a pool of its own', async () => {
    const a = await make('a')
    const b = await make('b')
    await b.close()
    const { ask, end } = otherProcess()
    for (const name of ['a', 'b']) await assert.rejects(ask('open', name, { id: 'theirs' }), { code: 'LEVEL_LOCKED', message: /.*/ })
    assert.deepEqual(await ask('open', 'c', { id: 'theirs' }), ['theirs'])
    assert.equal(has('c', 'pool.set'), true)
    await assert.rejects(open('c').info(), { code: 'LEVEL_LOCKED' })
    await ask('destroy', 'c')
    assert.equal(has('c'), false)
    await ask('open', 'c', { id: 'theirs' })
    await a.close()
    assert.deepEqual(await ask('open', 'b', { id: 'theirs' }), ['doc of b', 'theirs'])
    await assert.rejects(open('a').info(), (error) => error.cause.code === 'LEVEL_LOCKED' && /^The database ".*" cannot be opened: .*another process/.test(error.message))
    await end()
    const mine = ['a', 'b', 'c'].map((name) => open(name))
    assert.deepEqual(await Promise.all(mine.map(ids)), [['doc of a'], ['doc of b', 'theirs'], ['theirs']])
    await Promise.all(mine.map((db) => db.destroy()))
    assert.deepEqual(fs.readdirSync(folder), [])
  })

  it('are made at the same time by several processes, each in one place', async () => {
    const processes = [otherProcess(), otherProcess(), otherProcess()]
    for (let round = 0; round < 3; round++) {
      const results = await Promise.allSettled(processes.map(({ ask }, i) => ask('open', 'same', { id: `${i}` })))
      const winners = processes.filter((_, i) => results[i].status === 'fulfilled')
      assert.ok(winners.length <= 1, `${winners.length} have it open`)
      assert.equal(has('same', 'pool.set') && has('same', `${POOL}.json`), false)
      for (const { ask } of winners) await ask('destroy', 'same')
    }
  })

  it('are shared by the threads of a process, which make them side by side', async () => {
    const threads = [otherThread(), otherThread()]
    const opened = await Promise.all(threads.flatMap(({ ask }, i) => [ask('open', `of ${i}`, { id: `${i}` })]))
    assert.deepEqual(opened, [['0'], ['1']])
    const mine = await make('mine')
    assert.deepEqual(await threads[1].ask('open', 'both', { id: 'one' }), ['one'])
    assert.equal(fs.readdirSync(folder).filter((name) => has(name, 'pool.set')).join(), POOL)
    for (const [i, { ask }] of threads.entries()) await ask('destroy', `of ${i}`)
    await mine.destroy()
    await threads[1].ask('close', 'both')
    const left = open('both')
    assert.deepEqual(await ids(left), ['one'])
    await left.destroy()
    assert.deepEqual(fs.readdirSync(folder), [])
  })

  it('are one thread\'s at a time, so that no change is written over', async () => {
    const threads = [otherThread(), otherThread()]
    const asked = await Promise.allSettled(threads.map(({ ask }, i) => ask('open', 'same', { id: `${i}` })))
    assert.deepEqual(asked.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const [has, lacks] = asked[0].status === 'fulfilled' ? threads : [...threads].reverse()
    await assert.rejects(lacks.ask('open', 'same', { id: 'later' }), { code: 'LEVEL_LOCKED' })
    await assert.rejects(ids(open('same')), { message: /another thread of this process has it open/ })
    await has.ask('close', 'same')
    const both = await lacks.ask('open', 'same', { id: 'later' })
    assert.equal(both.length, 2)
    await lacks.ask('destroy', 'same')
  })

  it('are whole, or not there, when their process was killed while it made and destroyed them', async () => {
    for (let round = 0; round < 3; round++) {
      const killed = fork(path.join(__dirname, 'creates-until-killed.js'), [folder])
      const made = new Map()
      killed.on('message', ({ made: n, begun, destroyed }) => {
        if (n !== undefined) made.set(n, true)
        else if (begun !== undefined) made.set(begun, 'perhaps')
        else made.delete(destroyed)
        if (made.size === 3 + round) killed.kill('SIGKILL')
      })
      await once(killed, 'close')
      const names = fs.readdirSync(folder).filter((name) => name !== POOL)
      for (const [n, state] of made) if (state === true) assert.ok(names.includes(`${n}`), `${n} is there`)
      for (const name of names) {
        const db = open(name)
        const found = await ids(db)
        if (made.get(Number(name)) === true) assert.deepEqual(found, ['doc'])
        else assert.ok(found.length <= 1)
        await db.destroy()
      }
      assert.deepEqual(fs.readdirSync(folder).filter((name) => name !== POOL), [])
    }
  })
})
