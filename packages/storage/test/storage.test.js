'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { open } = require('..')
const { durabilityOf } = require('../lib/durability')
const { fileSystemOf } = require('../lib/file-system')

const index = require.resolve('..')

describe('storage', () => {
  let folder
  let count = 0

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-storage-')) })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  const next = () => path.join(folder, `${count++}`)
  const openHere = options => open({ allowVolatile: true, path: next(), ...options })

  for (const storage of ['pmem', 'classic-level', 'memory']) {
    it(`opens ${storage}`, async () => {
      const opened = await openHere({ storage })
      const { level } = opened
      assert.strictEqual(opened.storage, storage)
      assert.strictEqual(level.status, 'open')
      await level.batch([{ type: 'put', key: 'a', value: '1' }, { type: 'put', key: 'b', value: '2' }])
      await level.batch().put('c', '3').del('a').write()
      assert.deepStrictEqual(await level.iterator().all(), [['b', '2'], ['c', '3']])
      const description = opened.describe()
      assert.strictEqual(description.storage, storage)
      assert.strictEqual(description.path, opened.path)
      assert.strictEqual(description.reason, undefined)
      await level.close()
    })
  }

  it('takes a pool by itself, also on an ordinary file system', async function () {
    const { volatile, dax } = fileSystemOf(__dirname)
    if (volatile || dax || process.env.PMEM_IS_PMEM_FORCE === '1') this.skip()
    const folder = fs.mkdtempSync(path.join(__dirname, 'ordinary-'))
    try {
      const { storage, level, describe } = await open({ path: folder })
      assert.strictEqual(storage, 'pmem')
      assert.strictEqual(describe().reason, undefined)
      await level.close()
    } finally {
      fs.rmSync(folder, { recursive: true })
    }
  })

  for (const storage of ['pmem', 'classic-level']) {
    it(`lets nobody else read ${storage}, also in folders that were open to all`, async function () {
      if (process.platform === 'win32') this.skip()
      const { mask, folder } = { mask: process.umask(0o022), folder: next() }
      try {
        const { level } = await openHere({ storage, path: folder })
        await level.put('key', 'value')
        await level.close()
        fs.chmodSync(folder, 0o755)
        fs.chmodSync(path.join(folder, storage), 0o755)
        if (storage === 'classic-level') for (const name of fs.readdirSync(path.join(folder, storage))) fs.chmodSync(path.join(folder, storage, name), 0o644)
        const again = (await openHere({ storage, path: folder })).level
        if (storage === 'classic-level') assert.strictEqual(fs.statSync(path.join(folder, storage)).mode & 0o777, 0o700)
        for (const name of fs.readdirSync(path.join(folder, storage))) assert.strictEqual(fs.statSync(path.join(folder, storage, name)).mode & 0o777, 0o600, name)
        await again.close()
      } finally {
        process.umask(mask)
      }
    })
  }

  it('has what was written when it opens again', async () => {
    for (const storage of ['pmem', 'classic-level']) {
      const folder = next()
      const { level } = await openHere({ storage, path: folder })
      await level.put('key', 'value')
      await level.close()
      const again = await openHere({ storage, path: folder })
      assert.strictEqual(await again.level.get('key'), 'value')
      await again.level.close()
    }
  })

  it('takes a pool by itself, in what stands in for persistent memory', async () => {
    const forced = process.env.PMEM_IS_PMEM_FORCE
    process.env.PMEM_IS_PMEM_FORCE = '1'
    const { level, storage, describe } = await openHere({ size: 16 * 2 ** 20, maxSize: 2 ** 30 })
    if (forced === undefined) delete process.env.PMEM_IS_PMEM_FORCE
    else process.env.PMEM_IS_PMEM_FORCE = forced
    assert.strictEqual(storage, 'pmem')
    const { pool } = describe()
    assert.strictEqual(pool.maxSize, 2 ** 30)
    assert.ok(pool.size >= 16 * 2 ** 20 && pool.used > 0)
    await level.close()
  })

  it('takes by itself what is there', async () => {
    const folder = next()
    const first = await openHere({ storage: 'classic-level', path: folder })
    await first.level.put('key', 'value')
    await first.level.close()
    const { level, storage, describe } = await openHere({ path: folder })
    assert.strictEqual(storage, 'classic-level')
    assert.match(describe().reason, /already/)
    assert.strictEqual(await level.get('key'), 'value')
    await level.close()
  })

  it('refuses what it does not know', async () => {
    await assert.rejects(open({ storage: 'mongodb', path: folder }), { code: 'STORAGE_UNKNOWN' })
    await assert.rejects(open({ storage: 'pmem' }), { code: 'STORAGE_UNKNOWN' })
    await assert.rejects(open(), { code: 'STORAGE_UNKNOWN' })
    await assert.rejects(open({ path: 3 }), { code: 'STORAGE_UNKNOWN' })
  })

  it('says that another has it open, again and to each process', async () => {
    const program = 'require(process.argv[1]).open({ allowVolatile: true, storage: process.argv[2], path: process.argv[3] })' +
      '.then(() => console.log("opened"), error => console.log(error.cause.code))'
    const ofOthers = (storage, folder) => spawnSync(process.execPath, ['-e', program, index, storage, folder], { encoding: 'utf8' }).stdout.trim()
    for (const storage of ['pmem', 'classic-level']) {
      const folder = next()
      const { level } = await openHere({ storage, path: folder })
      for (let i = 0; i < 2; i++) {
        await assert.rejects(openHere({ storage, path: folder }), error => error.cause.code === 'LEVEL_LOCKED')
        assert.strictEqual(ofOthers(storage, folder), 'LEVEL_LOCKED')
      }
      await level.close()
      assert.strictEqual(ofOthers(storage, folder), 'opened')
      await (await openHere({ storage, path: folder })).level.close()
    }
  })

  it('clears, a range too, in classic-level', async () => {
    const { level } = await openHere({ storage: 'classic-level' })
    await level.batch(Array.from({ length: 2500 }, (_, i) => ({ type: 'put', key: String(i).padStart(4, '0'), value: '' })))
    await level.clear({ gte: '0010', lt: '2400', limit: 2300 })
    assert.strictEqual((await level.keys().all()).length, 200)
    const sublevel = level.sublevel('s', { keyEncoding: 'view' })
    await sublevel.put(new Uint8Array([255]), '')
    await sublevel.clear()
    assert.strictEqual((await level.keys().all()).length, 200)
    await level.clear()
    assert.deepStrictEqual(await level.keys().all(), [])
    await level.close()
  })
})

describe('storage without the addon', () => {
  let folder

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-storage-')) })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  /** In a process where pmemobj does not load, as on a machine without libpmemobj. */
  function openWithout (options) {
    const script = `
      const Module = require('node:module')
      const load = Module._load
      Module._load = (name, ...rest) => {
        if (name === 'pmemobj') throw new Error('libpmemobj.so.1: cannot open shared object file')
        return load(name, ...rest)
      }
      require(${JSON.stringify(index)}).open(${JSON.stringify({ allowVolatile: true, ...options })}).then(({ storage, describe }) => {
        console.log(JSON.stringify({ storage, reason: describe().reason }))
      }, error => console.log(JSON.stringify({ code: error.code, message: error.message })))
    `
    return JSON.parse(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout)
  }

  it('is classic-level, and says why', () => {
    const { storage, reason } = openWithout({ path: path.join(folder, 'new') })
    assert.strictEqual(storage, 'classic-level')
    assert.match(reason, /libpmemobj\.so\.1/)
  })

  it('does not pass a pool over', async () => {
    const location = path.join(folder, 'pool')
    const { level } = await open({ storage: 'pmem', path: location, allowVolatile: true })
    await level.close()
    for (const storage of ['auto', 'pmem']) assert.strictEqual(openWithout({ path: location, storage }).code, 'STORAGE_UNAVAILABLE')
    assert.deepStrictEqual(fs.readdirSync(location), ['pmem'])
  })
})

describe('a file system that forgets', function () {
  const root = '/dev/shm'

  before(function () {
    if (!fs.existsSync(root) || !fileSystemOf(root).volatile) this.skip()
  })

  it('is refused, unless allowed', async () => {
    const location = fs.mkdtempSync(path.join(root, 'potoroo-storage-'))
    for (const storage of ['auto', 'pmem', 'classic-level']) {
      await assert.rejects(open({ storage, path: path.join(location, 'below', 'it') }), error => {
        assert.strictEqual(error.code, 'STORAGE_VOLATILE')
        assert.match(error.message, /tmpfs/)
        return true
      })
    }
    assert.deepStrictEqual(fs.readdirSync(location), [])
    for (const storage of ['pmem', 'classic-level']) {
      const { level, describe } = await open({ storage, path: location, allowVolatile: true })
      const { fileSystem, medium, survives } = describe()
      assert.deepStrictEqual({ fileSystem, medium, survives }, { fileSystem: 'tmpfs', medium: 'tmpfs', survives: 'process crash, not a restart of the machine' })
      await level.close()
    }
    fs.rmSync(location, { recursive: true })
  })
})

describe('what a write survives', () => {
  const readme = fs.readFileSync(path.join(__dirname, '../README.md'), 'utf8')
  const disk = { type: 'ext4', volatile: false, dax: false }
  const dax = { type: 'ext4', volatile: false, dax: true }
  const tmpfs = { type: 'tmpfs', volatile: true, dax: false }
  const cases = [
    ['pmem', dax, true, '0', 'persistent memory (DAX)', 'process crash and power cut'],
    ['pmem', dax, true, '1', 'persistent memory (DAX)', 'process crash and power cut'],
    ['pmem', disk, true, '1', 'emulated persistent memory', 'process crash, not a restart of the machine'],
    ['pmem', disk, false, '0', 'file system', 'process crash and power cut'],
    ['classic-level', disk, false, '0', 'file system', 'process crash and power cut'],
    ['classic-level', dax, false, '1', 'file system', 'process crash and power cut'],
    ['pmem', tmpfs, true, '1', 'tmpfs', 'process crash, not a restart of the machine'],
    ['pmem', tmpfs, false, '0', 'tmpfs', 'process crash, not a restart of the machine'],
    ['classic-level', tmpfs, false, '0', 'tmpfs', 'process crash, not a restart of the machine'],
    ['memory', null, false, '0', 'memory', 'nothing'],
    ['pmem', dax, true, '0', 'persistent memory (DAX)', 'process crash and power cut', 'relaxed'],
    ['pmem', disk, false, '0', 'file system', 'process crash; a power cut loses at most the last second and nothing older', 'relaxed'],
    ['classic-level', disk, false, '0', 'file system', 'process crash and power cut', 'relaxed'],
    ['pmem', tmpfs, false, '0', 'tmpfs', 'process crash, not a restart of the machine', 'relaxed']
  ]
  const force = process.env.PMEM_IS_PMEM_FORCE

  afterEach(() => {
    delete process.env.PMEM_IS_PMEM_FORCE
    if (force !== undefined) process.env.PMEM_IS_PMEM_FORCE = force
  })

  for (const [storage, fileSystem, isPmem, forced, medium, survives, durability] of cases) {
    it(`${storage} on ${fileSystem?.dax ? 'DAX' : fileSystem?.type ?? 'nothing'}, forced: ${forced}${durability === undefined ? '' : `, ${durability}`}`, () => {
      process.env.PMEM_IS_PMEM_FORCE = forced
      const said = durabilityOf(storage, fileSystem, isPmem, durability)
      assert.strictEqual(said.medium, medium)
      assert.strictEqual(said.survives, survives)
      assert.ok(readme.includes(`| \`${said.medium}\` | \`${said.commit}\` | \`${said.survives}\` |`), `${JSON.stringify(said)} is not in the README`)
    })
  }

  it('is told of the file system that a path will be on', () => {
    assert.deepStrictEqual(fileSystemOf('/proc/self'), { type: 'proc', volatile: false, dax: false })
    assert.deepStrictEqual(fileSystemOf(path.join(os.tmpdir(), 'no', 'such', 'folder')), fileSystemOf(os.tmpdir()))
  })
})
