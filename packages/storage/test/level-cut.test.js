'use strict'

const assert = require('node:assert')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { DurableClassicLevel } = require('..')

describe('LevelDB cut off while its folder is made', () => {
  let folder
  let count = 0
  let first
  let second

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-level-cut-'))
    first = await makeFirst(path.join(folder, 'first'))
    second = await makeSecond(path.join(folder, 'second'))
  })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  /** LevelDB stops half way, for it cannot make its second MANIFEST. */
  async function makeFirst (location) {
    fs.mkdirSync(path.join(location, 'MANIFEST-000002'), { recursive: true })
    await assert.rejects(new ClassicLevel(location).open())
    return fs.readFileSync(path.join(location, 'MANIFEST-000001'))
  }

  async function makeSecond (location) {
    const level = new ClassicLevel(location)
    await level.open()
    await level.close()
    return fs.readFileSync(path.join(location, 'MANIFEST-000002'))
  }

  /** The contents of a file that a power cut may leave, if nothing has flushed it: each length, or zeros. */
  const torn = bytes => [...Array.from({ length: bytes.length + 1 }, (_, n) => bytes.subarray(0, n)), Buffer.alloc(bytes.length)]

  const some = bytes => [undefined, Buffer.alloc(0), bytes]

  /** Each subset of the files that LevelDB makes, with what may be in them. `undefined` is no file. */
  function * cuts () {
    const named = n => Buffer.from(`MANIFEST-00000${n}\n`)
    const manifests = {
      1: [undefined, ...torn(first)].flatMap(one => some(second).map(two => [one, two])),
      2: [undefined, ...torn(second)].flatMap(two => some(first).map(one => [one, two]))
    }
    for (const n of [1, 2]) {
      for (const [one, two] of manifests[n]) yield { CURRENT: named(n), 'MANIFEST-000001': one, 'MANIFEST-000002': two, '000003.log': Buffer.alloc(0) }
    }
    for (const current of [undefined, ...torn(named(1))]) {
      for (const one of some(first)) {
        for (const log of [undefined, Buffer.alloc(0)]) {
          yield { CURRENT: current, 'MANIFEST-000001': one, '000001.dbtmp': named(1), '000003.log': log, LOCK: log, LOG: Buffer.from('2026') }
        }
      }
    }
  }

  function layOut (files) {
    const location = path.join(folder, `${count++}`)
    fs.mkdirSync(location)
    for (const [name, bytes] of Object.entries(files)) {
      if (bytes !== undefined) fs.writeFileSync(path.join(location, name), bytes)
    }
    return location
  }

  async function use (location, work) {
    const level = new DurableClassicLevel(location)
    await level.open()
    try {
      return await work(level)
    } finally {
      await level.close()
    }
  }

  const rows = location => use(location, level => level.iterator().all())
  const drafts = () => fs.readdirSync(folder).filter(name => name.includes('.draft-'))
  const describeFiles = files => Object.entries(files).map(([name, bytes]) => `${name}: ${bytes === undefined ? 'none' : bytes.length}`).join(', ')

  it('opens, whatever is left of it', async function () {
    this.timeout(600_000)
    let unopened = 0
    for (const files of cuts()) {
      const location = layOut(files)
      const plain = new ClassicLevel(location)
      await plain.open().then(() => plain.close(), () => { unopened++ })
      fs.rmSync(location, { recursive: true })
      const again = layOut(files)
      try {
        await use(again, level => level.put('key', 'value'))
        assert.deepStrictEqual(await rows(again), [['key', 'value']])
      } catch (error) {
        assert.fail(`${describeFiles(files)}: ${error.cause?.message ?? error.message}`)
      }
      fs.rmSync(again, { recursive: true })
    }
    assert.ok(unopened > 200, `LevelDB itself opens all but ${unopened}`)
    assert.deepStrictEqual(drafts(), [])
  })

  it('is not replaced once a write was acknowledged', async function () {
    this.timeout(600_000)
    const source = path.join(folder, 'written')
    const level = new DurableClassicLevel(source)
    await level.put('key', 'value')
    const [name] = fs.readdirSync(source).filter(name => name.endsWith('.log'))
    const log = fs.readFileSync(path.join(source, name))
    await level.close()
    for (const files of cuts()) {
      const location = layOut({ ...files, [name]: log })
      const found = await rows(location).catch(() => null)
      if (found === null) assert.deepStrictEqual(fs.readFileSync(path.join(location, name)), log, describeFiles(files))
      else assert.deepStrictEqual(found, [['key', 'value']], describeFiles(files))
      fs.rmSync(location, { recursive: true })
    }
    assert.deepStrictEqual(drafts(), [])
  })

  it('is not replaced where there are tables, or where a MANIFEST names some', async () => {
    const source = path.join(folder, 'tables')
    await use(source, async level => {
      await level.put('a', '')
      await level.compactRange('a', 'b')
    })
    const whole = Object.fromEntries(fs.readdirSync(source).map(name => [name, fs.readFileSync(path.join(source, name))]))
    const table = Object.keys(whole).find(name => name.endsWith('.ldb'))
    for (const changed of [{ CURRENT: undefined }, { CURRENT: Buffer.alloc(0) }, { CURRENT: Buffer.from('MANIFEST-000009\n') }, { [table]: undefined }]) {
      const location = layOut({ ...whole, ...changed })
      const before = digest(location)
      await assert.rejects(new DurableClassicLevel(location).open(), error => error.cause.code.startsWith('LEVEL_'))
      assert.deepStrictEqual(digest(location), before)
    }
  })

  it('is not replaced where there is what is not its own', async () => {
    const location = layOut({ CURRENT: Buffer.alloc(0), 'notes.txt': Buffer.from('mine') })
    await assert.rejects(new DurableClassicLevel(location).open(), error => error.cause.code === 'LEVEL_CORRUPTION')
    assert.strictEqual(fs.readFileSync(path.join(location, 'notes.txt'), 'utf8'), 'mine')
  })

  it('leaves alone what another has open', async () => {
    const location = path.join(folder, 'open')
    await use(location, async level => {
      await assert.rejects(new DurableClassicLevel(location).open(), error => error.cause.code === 'LEVEL_LOCKED')
      await level.put('key', 'value')
    })
    assert.deepStrictEqual(await rows(location), [['key', 'value']])
  })

  it('has drafts removed with the next that is made, unless there is anything in them', async () => {
    const location = path.join(folder, 'drafted')
    fs.mkdirSync(`${location}.draft-cut`)
    fs.writeFileSync(`${location}.draft-cut/MANIFEST-000001`, first)
    fs.mkdirSync(`${location}.draft-mine`)
    fs.writeFileSync(`${location}.draft-mine/000003.log`, 'x')
    assert.deepStrictEqual(await rows(location), [])
    assert.deepStrictEqual(drafts(), ['drafted.draft-mine'])
    fs.rmSync(`${location}.draft-mine`, { recursive: true })
  })

  it('is made as the options of opening say', async () => {
    const location = path.join(folder, 'options')
    await assert.rejects(new DurableClassicLevel(location, { createIfMissing: false }).open())
    assert.strictEqual(fs.existsSync(path.join(location, 'CURRENT')), false)
    const level = new DurableClassicLevel(location, { errorIfExists: true })
    await level.open()
    await level.close()
    await assert.rejects(new DurableClassicLevel(location, { errorIfExists: true }).open(), error => /exists/.test(error.cause.message))
    const below = path.join(folder, 'not', 'yet', 'there')
    assert.deepStrictEqual(await rows(below), [])
  })

  /** The data only: LevelDB writes LOG at each opening, even one that fails. */
  function digest (location) {
    return fs.readdirSync(location).filter(name => !/^LO(CK|G)/.test(name))
      .map(name => [name, createHash('sha256').update(fs.readFileSync(path.join(location, name))).digest('hex')])
  }
})
